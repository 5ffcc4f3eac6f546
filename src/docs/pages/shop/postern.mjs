/** The shop and Postern: its settings, what it does as itself, and who is signed in. */
import { createHmac } from "node:crypto";
import { createClient, PosternError } from "postern/client";
import { createSessionVerifier, SessionError } from "postern/session";

const { PLATFORM_KEY, SHOP_SECRET, PORT = "3000", SHOP_DB = "shop.db" } = process.env;
const { POSTERN_URL = "http://localhost:8787", SHOP_URL = `http://localhost:${PORT}` } = process.env;
if (!PLATFORM_KEY || !SHOP_SECRET) throw new Error("Set PLATFORM_KEY, and SHOP_SECRET to a long random text.");

export { PORT, SHOP_DB, SHOP_SECRET, SHOP_URL };

export const CUSTOMERS = [
  { id: "tea-house", name: "Tea House", email: "ada@tea-house.example" },
  { id: "book-barn", name: "Book Barn", email: "ben@book-barn.example" },
];

// What the shop does as itself, with its platform key.

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

// Who is signed in. The tokens are in a cookie that scripts of the page cannot read.

const DAYS_30 = 30 * 86_400;
const OPTIONS = `Path=/; Max-Age=${DAYS_30}; HttpOnly; SameSite=Lax${SHOP_URL.startsWith("https:") ? "; Secure" : ""}`;
const EXPECTED = { issuer: POSTERN_URL, audience: "postern" };
const sessions = createSessionVerifier(EXPECTED);
/** For tokens that have just come from Postern. */
const newTokens = createSessionVerifier({ ...EXPECTED, revocation: "off" });

/** A client of Postern that acts as whoever sends this request. It keeps the tokens in the cookie of the response. */
export function clientOf(request, response) {
  let tokens = tokensIn(request.headers.cookie);
  const save = (next) => {
    tokens = next;
    response.setHeader("Set-Cookie", `shop_session=${next ? encode(next) : ""}; ${OPTIONS}`);
  };
  return createClient({ baseUrl: POSTERN_URL, tokens: { load: () => tokens && withKey(tokens), save } });
}

/**
 * Returns userId, tenantId and role of whoever sends this request, or null. Usually this asks nobody. Throws
 * SessionError with the status 403 for somebody who lacks the second factor that the tenant requires.
 */
export async function signedIn(request, response) {
  const tokens = tokensIn(request.headers.cookie);
  if (!tokens) return null;
  try {
    return await sessions.verify(tokens.accessToken);
  } catch (error) {
    if (!(error instanceof SessionError) || error.status === 503) throw error;
  }
  // The token has expired, the role has changed, or a second factor was due. A session that has ended gets no other token.
  try {
    const renewed = await clientOf(request, response).auth.refresh();
    return renewed && (await newTokens.verify(renewed.accessToken));
  } catch (error) {
    if (error instanceof PosternError && error.status === 401) return null;
    throw error;
  }
}

/** Requests that arrive together renew under the same key, so each gets the same answer; so does a lost one. */
function withKey(tokens) {
  const hex = createHmac("sha256", SHOP_SECRET).update(tokens.refreshToken).digest("hex");
  const refreshKey = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return { ...tokens, refreshKey: refreshKey.join("-") };
}

const encode = ({ accessToken, refreshToken }) =>
  Buffer.from(JSON.stringify({ accessToken, refreshToken })).toString("base64url");

function tokensIn(cookies = "") {
  const value = cookies.match(/(?:^|; )shop_session=([\w-]+)/)?.[1];
  try {
    return value ? JSON.parse(Buffer.from(value, "base64url").toString()) : null;
  } catch {
    return null;
  }
}
