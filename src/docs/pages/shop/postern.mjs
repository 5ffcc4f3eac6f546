/** What the shop does as itself, with its platform key. */
import { createClient } from "postern/client";
import { PLATFORM_KEY, POSTERN_URL } from "./settings.mjs";

const postern = createClient({ baseUrl: POSTERN_URL, platformKey: PLATFORM_KEY });

/**
 * Makes a customer a tenant, and its first user the owner, who gets a mail to set a password. Returns the tenant's id.
 * If it was cut short, run it again: what is there stays.
 */
export async function addCustomer({ id, name, email }) {
  const { tenants, users, members } = postern.platform;
  const tenant = await tenants.create({ name, externalId: id });
  const owner = await users.create({ email, externalId: `owner-of-${id}` });
  await members.add(tenant.id, { user: owner.id, role: "owner" });
  await users.mail(owner.id, { kind: "password-reset" });
  return tenant.id;
}

/** Publishes an event to whatever a customer has subscribed. A repetition with the same key publishes nothing. */
export const publish = (customerId, event, idempotencyKey) =>
  postern.inTenant(`ext:${customerId}`).events.publish(event, { idempotencyKey });

/** Subscribes the shop to what happens to users and members, once. */
export async function subscribeToPeople(url, secret) {
  const { webhooks } = postern.inTenant("platform");
  const subscriptions = await webhooks.list();
  if (subscriptions.some(({ externalId }) => externalId === "shop")) return;
  await webhooks.create({ externalId: "shop", name: "shop", url, events: ["user.*", "member.*"], secret });
}
