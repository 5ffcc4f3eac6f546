/** The shop and Postern: its settings, who is signed in, and what the shop does as itself. */
import { createClient } from "postern/client";
import { createWebSession, forNode } from "postern/web";

const { POSTERN_URL, PLATFORM_KEY, CLIENT_ID, CLIENT_SECRET, APP_SECRET } = process.env;
export const { PORT = "3000", SHOP_DB = "shop.db", APP_URL = `http://localhost:${PORT}` } = process.env;
export const SECRET = APP_SECRET;

export const CUSTOMERS = [
  { id: "tea-house", name: "Tea House", email: "ada@tea-house.example" },
  { id: "book-barn", name: "Book Barn", email: "ben@book-barn.example" },
];

/** Who is signed in. */
export const web = forNode(
  createWebSession({
    issuer: POSTERN_URL,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SECRET,
    origin: APP_URL,
  }),
);

const postern = createClient({ baseUrl: POSTERN_URL, platformKey: PLATFORM_KEY });

/**
 * Makes a customer a tenant under the shop's own id, and its first user the owner, who gets a mail to set a password.
 * Can be repeated: what is there stays, and no second mail is sent.
 */
export async function addCustomer({ id, name, email }) {
  const { tenants, users, members } = postern.platform;
  const tenant = await tenants.create({ name, externalId: id });
  if ((await members.list(tenant.id)).data.length > 0) return;
  const owner = await users.create({ email, externalId: `owner-of-${id}` });
  await users.mail(owner.id, { kind: "password-reset" });
  await members.add(tenant.id, { user: owner.id, role: "owner" });
}

/** Publishes an event to whatever a customer has subscribed. A repetition with the same key publishes nothing. */
export const publish = (customerId, event, idempotencyKey) =>
  postern.inTenant(`ext:${customerId}`).events.publish(event, { idempotencyKey });

/** Subscribes the shop to what happens to users and members, once. */
export async function subscribeToPeople() {
  const { webhooks } = postern.inTenant("platform");
  const subscriptions = await webhooks.list();
  if (subscriptions.some(({ externalId }) => externalId === "shop")) return;
  const url = `${APP_URL}/postern`;
  await webhooks.create({ externalId: "shop", name: "shop", url, events: ["user.*", "member.*"], secret: SECRET });
}
