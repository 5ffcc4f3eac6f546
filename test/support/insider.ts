/** Somebody who is inside a tenant by every way that there is. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/base/deps";
import { newClientId } from "../../src/oauth/clients/keys";
import { newClient } from "../../src/oauth/clients/schemas";
import { makeOfflineToken } from "../../src/oauth/tokens/refresh-token";
import type { SignedOn } from "../../src/sign-on/signed-on";
import type { SoftPasskey } from "./authenticator";
import { call, newAddress, newEmail, PASSWORD, type Person, signUpVerified } from "./client";
import { SAFARI } from "./devices";
import { connect, openListener } from "./listener";
import { codeIn, mailTo, tokenIn } from "./mailbox";
import { addPasskey } from "./passkeys";
import { invite } from "./people";
import { newPlatformKey } from "./platform-keys";
import { newPortalLink, openPortal } from "./portal";
import { newInbox, subscribe } from "./receiver";
import { knownWord } from "./signed-on";

/** A person who is an admin of somebody's tenant, with everything that may open it for them. */
export interface Insider {
  boss: Person;
  /** The session that makes the changes. */
  own: Person;
  /** Another session, from another device. */
  other: Person;
  email: string;
  tenantId: string;
  apiKey: string;
  tenantKey: string;
  /** Of a portal of the tenant. */
  portalToken: string;
  /** Of the pages of another. */
  portalCookie: string;
  /** An operator has made it. */
  platformKey: string;
  source: { id: string; secret: string };
  feed: { id: string; token: string };
  /** The answer to a poll of the feed by the other session, which has waited since before the event. */
  openPoll: Promise<{ status: number; body: { data?: unknown[] } }>;
  /** The socket of a listener of the other session, which is open. */
  openSocket: Awaited<ReturnType<typeof connect>> & { listenerId: string };
  /** An app that somebody has allowed to stay connected. */
  app: { clientId: string; refreshToken: string };
  mailedCode: { state: string; code: string };
  passkey: SoftPasskey;
  sub: string;
  /** The word of the tenant's own provider, as whom it knows the person. */
  word: SignedOn;
  accomplice: { email: string; token: string };
  resetToken: string;
  changeToken: string;
  webhookId: string;
  /** The link for "this was not me" in the mail about the other session. */
  notMe: string;
  /** The settings of the service from the event on. */
  variables: Record<string, unknown>;
}

const from = () => ({ "cf-connecting-ip": newAddress() });

/** A request that succeeds, from an address of its own. */
export async function must(method: string, path: string, token: string | undefined, body: unknown = {}) {
  const answer = await call(method, path, { token, body, headers: from() });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status} ${answer.body.code}`);
  return answer.body;
}

export async function resetTokenOf(email: string): Promise<string> {
  await must("POST", "/auth/forgot-password", undefined, { email });
  return tokenIn(await mailTo(email, /Reset your/));
}

/** Asks for another address. Returns the token that is mailed to it. */
export async function changeTokenOf(person: Person): Promise<string> {
  const email = newEmail();
  await must("POST", "/auth/change-email", person.token, { email });
  return tokenIn(await mailTo(email, /Confirm your new/));
}

async function newIdentity({ userId }: Person): Promise<string> {
  const sub = `sub-${crypto.randomUUID()}`;
  await env.DB.prepare(
    `INSERT INTO identities (issuer, sub, id, user_id, provider, email, created_at)
     VALUES ('https://id.issuer.example', ?, ?, ?, 'oidc', 'a@example.com', ?)`,
  )
    .bind(sub, crypto.randomUUID(), userId, Date.now())
    .run();
  return sub;
}

/** As the consent and the exchange of a code would. */
async function connectApp({ userId }: Person, tenantId: string): Promise<Insider["app"]> {
  const [clientId, grantId] = [newClientId(), crypto.randomUUID()];
  const { name, type, auth, ...settings } = newClient.parse({
    name: "Shop",
    type: "native",
    redirectUrls: ["http://localhost/callback"],
    grants: ["authorization_code", "refresh_token"],
    accessTokenSeconds: 60,
  });
  const [now, end] = [Date.now(), Date.now() + 1e9];
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO oauth_clients (id, name, type, auth, enabled, settings, created_at, updated_at)
       VALUES (?, ?, ?, ?, 1, ?, 1, 1)`,
    ).bind(clientId, name, type, auth, JSON.stringify(settings)),
    env.DB.prepare(
      `INSERT INTO oauth_grants (id, user_id, client_id, tenant_id, session_id, created_at, issued_at, scopes,
         generation, expires_at, ends_at, sign_in_id, amr, authenticated_at)
       VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?5, '["offline_access"]', 1, ?6, ?6, ?1, '["password"]', ?5)`,
    ).bind(grantId, userId, clientId, tenantId, now, end),
  ]);
  const { keys } = await createDeps(env, createExecutionContext());
  return { clientId, refreshToken: await makeOfflineToken(keys, { clientId, grantId, generation: 1 }) };
}

async function openSocketOf(token: string): Promise<Insider["openSocket"]> {
  const { _id: listenerId, ticket } = await openListener(token);
  const opened = await connect(listenerId, ticket);
  await opened.ready;
  return { ...opened, listenerId };
}

/** The other session comes first: "this was not me" ends what was set up after it. */
export async function newInsider(): Promise<Insider> {
  const [boss, person] = [await signUpVerified(), await signUpVerified()];
  const { tenantId } = boss;
  await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'admin', 1)")
    .bind(tenantId, person.userId)
    .run();
  const { data } = await must("POST", "/auth/switch-tenant", person.token, { tenantId });
  const own = { ...person, tenantId, token: data.accessToken as string, refreshToken: data.refreshToken as string };
  const { email } = person;
  const second = await call("POST", "/auth/login", {
    body: { email, password: PASSWORD, tenantId },
    headers: { ...from(), "user-agent": SAFARI },
  });
  const { accessToken: token, refreshToken } = second.body.data;
  const notMe = tokenIn(await mailTo(email, /New sign-in/));
  const newKey = { name: "key", scopes: ["webhook.read"] };
  const { key } = (await must("POST", "/api-keys", token, newKey)).data;
  const { key: tenantKey } = (await must("POST", "/api-keys", token, { ...newKey, owner: "tenant" })).data;
  const portal = (await must("POST", "/portal-tokens", token, { permissions: ["webhook.read"] })).data;
  const secret = "a signing secret";
  const source = (await must("POST", "/sources", token, { name: "code", provider: "github", secrets: [secret] })).data;
  const feed = (await must("POST", "/feeds", token, { name: "orders", events: ["*"] })).data;
  const { state } = (await must("POST", "/auth/code", undefined, { email })).data;
  const accomplice = newEmail();
  const insider: Omit<Insider, "openPoll"> = {
    boss,
    own,
    other: { ...own, token, refreshToken },
    email,
    tenantId,
    apiKey: key,
    tenantKey,
    portalToken: portal.token,
    portalCookie: await openPortal(await newPortalLink(token)),
    platformKey: (await newPlatformKey(["events.publish"])).key,
    source: { id: source.id, secret },
    feed: { id: feed.id, token: feed.token },
    openSocket: await openSocketOf(token),
    app: await connectApp(person, tenantId),
    mailedCode: { state, code: codeIn(await mailTo(email, /sign-in code/)) },
    passkey: await addPasskey(own),
    sub: await newIdentity(person),
    word: await knownWord({ ...person, tenantId }),
    accomplice: { email: accomplice, token: await invite(own, accomplice, "viewer") },
    resetToken: await resetTokenOf(email),
    changeToken: await changeTokenOf(own),
    webhookId: await subscribe(own, newInbox("200").url),
    notMe,
    variables: {},
  };
  // Last, because it waits for 20 seconds.
  const poll = (query: string) => call("GET", `/feeds/${feed.id}/events${query}`, { token, headers: from() });
  const { cursor } = (await poll("")).body;
  const openPoll = poll(`?cursor=${cursor}&wait=20`);
  return { ...insider, openPoll };
}
