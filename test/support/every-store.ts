/** Uses the service in every way that a store has statements for, from requests, RPC, consumers, cron and alarms. */
import { createExecutionContext, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { noteFirstKey } from "../../src/base/db/first-keys-store";
import { createDeps } from "../../src/base/deps";
import { tellAlarms } from "../../src/service/alarms/tell";
import { startSweepers } from "../../src/service/upkeep/start";
import { releaseHeld } from "../../src/webhooks/delivery/lanes/release";
import { COUNTED_TABLES } from "../../src/webhooks/stats/counted-tables";
import { countPage, withControlPlane } from "../../src/webhooks/stats/stored-bytes-store";
import { publishAudit } from "../../src/webhooks/subscriptions/audit-feed";
import { browse, newSlug } from "./catalogue";
import { call, eventually, logIn, newEmail, PASSWORD, type Person, signUp, signUpVerified, verify } from "./client";
import { holding } from "./console";
import { consumeBatch, hourly } from "./engine";
import { operateAll } from "./every-platform-store";
import { signOnEverybody } from "./every-sign-on-store";
import { attempt as attemptNow, review } from "./failing";
import { answering, formerService, login as legacyLogin } from "./former-service";
import { FIREBASE, storeFirebaseHash } from "./imported-hashes";
import { connect } from "./listener";
import { codeIn, mailTo, tokenIn } from "./mailbox";
import { claimsOf, comeBack, departureOf, newBrowser, newPersonAtProvider, signInAs } from "./oauth";
import { loginWith, registerWithPasskey, withPasskey } from "./passkeys";
import { joinTenant } from "./people";
import { purgeAll } from "./purges";
import { endedAttempts, newInbox, subscribe } from "./receiver";
import { replay } from "./replays";
import { deliveryDb, SHARD } from "./shard";
import { useConnections } from "./sign-on";
import { maintain } from "./upkeep";

export async function useEveryStore(): Promise<void> {
  const person = await logIn(await signUp());
  const used = await deliver(person);
  await changeSubscriptions(person, used);
  await useEventTypes(await signUpVerified());
  await useFilters(await signUpVerified());
  await changeAccounts(person);
  await readAll(person, used);
  await signIn(used.id);
  await operateAll(used.id, await endAccounts());
  await useConnections(await signUpVerified());
  await signOnEverybody();
  await consumeBatch([{ of: "no known shape" }], "postern-mail-dead");
  await tellAlarms(await createDeps(env, createExecutionContext()));
  await purgeAll();
}

/** Uses a feed and a consumer of it. */
async function pull(token: string): Promise<void> {
  const feed = (await call("POST", "/feeds", { token, body: { name: "n", events: ["*"] } })).body.data;
  const path = `/feeds/${feed.id}`;
  // The second call finds what the first has published.
  const once = { token, body: { type: "T", payload: 1 }, headers: { "idempotency-key": "once" } };
  for (const _ of ["first", "second"]) await call("POST", "/events", once);
  const { cursor } = (await call("GET", `${path}/events?from=oldest`, { token: feed.token })).body;
  await call("GET", `${path}/events?consumer=a`, { token: feed.token });
  await call("POST", `${path}/consumers/a/ack`, { token: feed.token, body: { cursor } });
  await call("POST", `${path}/consumers/a/seek`, { token: feed.token, body: { to: "now" } });
  for (const listed of ["/feeds", path, `${path}/consumers`]) await call("GET", listed, { token });
  await call("PATCH", path, { token, body: { events: ["T"] } });
  await call("POST", `${path}/token`, { token, body: {} });
  await call("DELETE", `${path}/consumers/a`, { token });
  await call("DELETE", path, { token });
}

/** Opens a listener, connects it and closes it. */
async function listen(token: string): Promise<void> {
  const { _id, ticket } = (await call("POST", "/listen", { token, body: { events: ["*"] } })).body.data;
  const { socket } = await connect(_id, ticket);
  await runDurableObjectAlarm(env.LISTEN_SOCKET.getByName(_id));
  socket.close();
  await call("GET", "/listen", { token });
  await call("DELETE", `/listen/${_id}`, { token });
}

/** Makes a portal token, uses it and ends it. */
async function usePortal(token: string): Promise<void> {
  const { data } = (await call("POST", "/portal-tokens", { token, body: { permissions: ["webhook.read"] } })).body;
  await call("GET", "/webhooks", { token: data.token });
  await call("GET", "/portal-links", { token });
  await call("DELETE", `/portal-links/${data.id}`, { token });
}

/** Delivers to subscriptions that answer, fail, are gone and have a limit, until users were told. */
async function deliver(person: Person) {
  const { token } = person;
  const source = { name: "n", provider: "github", secrets: ["a secret"] };
  const { data } = (await call("POST", "/sources", { token, body: source })).body;
  await call("POST", `/in/${data.id}`, { body: {} });
  await pull(token);
  await listen(token);
  await usePortal(token);
  const id = await subscribe(person, newInbox("200").url);
  const goneId = await subscribe(person, newInbox("410").url, { delivery: { retry: { onGone: "disable" } } });
  const event = { tenantId: person.tenantId, publication: { type: "OrderPaid", payload: 1 }, idempotencyKey: null };
  await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body: JSON.stringify(event) });
  const [attempt] = await endedAttempts(person, id, 1);
  await endedAttempts(person, goneId, 1);
  const onTrial = await signUp();
  await subscribe(onTrial, newInbox("200").url);
  await verify(onTrial.email);
  await call("POST", "/events", { token: onTrial.token, body: { type: "OrderPaid", payload: 1 } });
  const limits = { delivery: { rateLimit: { limit: 1, per: "hour" } } };
  const limitedId = await subscribe(person, newInbox("200").url, { events: ["Limited"], ...limits });
  await call("POST", "/events/batch", { token, body: { events: Array(3).fill({ type: "Limited", payload: 1 }) } });
  const failingId = await subscribe(person, newInbox("500").url, { events: ["Failing"] });
  await call("POST", "/events", { token, body: { type: "Failing", payload: 1 } });
  const [failedAttempt] = await endedAttempts(person, failingId, 1);
  await attemptNow(person, failingId, 10);
  await deliveryDb.prepare("UPDATE episodes SET failing_since = 1 WHERE subscription_id = ?").bind(failingId).run();
  await deliveryDb.prepare("UPDATE hourly_stats SET failing_since = 1 WHERE subscription_id = ?").bind(failingId).run();
  await review();
  await maintain(await createDeps(env, createExecutionContext()), releaseHeld);
  await subscribe(person, newInbox("200").url, { events: ["postern.audit"] });
  await maintain(await createDeps(env, createExecutionContext()), publishAudit);
  await noteFirstKey(await createDeps(env, createExecutionContext()));
  await mailTo(person.email, /will be disabled/);
  return { id, attempt, limitedId, failingId, failedAttempt };
}

/** Filters events, changes the filter and its types, and tries it. */
async function useFilters(person: Person): Promise<void> {
  const id = await subscribe(person, newInbox("200").url, { delivery: { filter: { payload: 1 } } });
  const send = (method: string, path: string, body?: unknown) => call(method, path, { token: person.token, body });
  await send("POST", "/events", { type: "OrderPaid", payload: 2 });
  await send("PATCH", `/webhooks/${id}`, { events: ["a", "OrderPaid"], delivery: { filter: { payload: 3 } } });
  await send("POST", `/webhooks/${id}/filter/test`, { type: "a", payload: 1 });
  await replay(person, id, { which: "all" });
}

/** Declares a type, publishes what its schema takes, warns of and refuses, and deletes it. */
async function useEventTypes({ token }: Person): Promise<void> {
  const slug = newSlug();
  const send = (method: string, path: string, body?: unknown) => call(method, path, { token, body });
  await send("POST", "/event-types", { name: "a", schema: { type: "integer" }, enforce: "warn" });
  for (const payload of [1, "a"]) await send("POST", "/events", { type: "a", payload });
  await send("PATCH", "/event-types/a", { enforce: "reject", examples: [1] });
  await send("POST", "/events", { type: "a", payload: "a" });
  await send("POST", "/event-types/a/versions", { schema: true });
  for (const path of ["", "/a", "/a/versions", "/a/versions/1"]) await send("GET", `/event-types${path}`);
  await send("GET", "/event-types?prefix=a&group=b&archived=only");
  await send("PATCH", "/tenant/event-types", { mode: "known", catalog: { slug, public: true } });
  for (const path of ["", "/a", "/types.ts"]) await browse(slug + path);
  for (const catalog of [{ title: "t" }, { public: false, slug: null }, { slug }]) {
    await send("PATCH", "/tenant/event-types", { catalog });
  }
  await send("POST", "/event-types/import", {
    eventTypes: [
      { name: "a", schema: { type: "string" } },
      { name: "b", examples: [1] },
    ],
  });
  await send("POST", "/event-types/import", { eventTypes: [{ name: "b", examples: [2] }] });
  await send("GET", "/event-types/export");
  await send("DELETE", "/event-types/a");
}

type Used = Awaited<ReturnType<typeof deliver>>;

async function changeSubscriptions({ token }: Person, { id, attempt, limitedId }: Used): Promise<void> {
  await call("GET", `/webhooks/${id}/attempts/${attempt._id}`, { token });
  await call("POST", `/webhooks/${id}/test`, { token });
  await eventually("a wait for a start", () =>
    deliveryDb
      .prepare("SELECT 1 FROM outbox WHERE subscription_id = ? AND slot_at IS NOT NULL")
      .bind(limitedId)
      .first(),
  );
  await call("PATCH", `/webhooks/${limitedId}`, { token, body: { delivery: { rateLimit: null } } });
  const signed = { delivery: { signature: "v1+v1a" } };
  await call("PATCH", `/webhooks/${id}`, { token, body: { ...signed, secret: "another" } });
  await call("POST", `/webhooks/${id}/secret/rotate`, { token, body: {} });
  await call("POST", `/webhooks/${id}/secret/rotate`, { token, body: { kind: "v1a" } });
  await call("DELETE", `/webhooks/${id}/secret/previous`, { token });
  await call("GET", `//.well-known/webhook-keys/${id}`);
  await call("GET", "//metrics", { token: env.METRICS_TOKEN });
}

async function changeAccounts(person: Person): Promise<void> {
  const { token } = person;
  await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
  await call("POST", "/auth/forgot-password", { body: { email: person.email } });
  await mailTo(person.email, /reset/i);
  await call("GET", "/tenant/security", { token });
  await call("PATCH", "/auth/me", { token, body: { name: "Ada" } });
  await call("POST", "/auth/change-email", { token, body: { email: newEmail() } });
  await call("POST", "/auth/2fa/enable", { token });
  await call("POST", "/api-keys", { token, body: { name: "key", scopes: ["webhook.read"] } });
  await mailTo(person.email, /API key/);
  await joinTenant(person, "viewer");
  const squatter = await signUp();
  const [mover, held] = [await signUpVerified(), await signUp()];
  await call("POST", "/auth/change-email", { token: mover.token, body: { email: held.email } });
  const confirmation = { token: tokenIn(await mailTo(held.email, /Confirm your new/)) };
  await call("POST", "/auth/change-email/confirm", { token: mover.token, body: confirmation });
  const notMe = { token: tokenIn(await mailTo(squatter.email, /Verify/)) };
  await call("POST", "/auth/not-me", { body: notMe });
  const intruded = await logIn(await signUp());
  await call("POST", "/api-keys", { token: intruded.token, body: { name: "key", scopes: ["webhook.read"] } });
  await call("POST", "/auth/not-me", { body: { token: tokenIn(await mailTo(intruded.email, /API key/)) } });
  await call("POST", "/invitations", { token, body: { email: "new@example.com", role: "viewer" } });
  await call("GET", "/members", { token });
  await call("PATCH", `/members/${person.userId}`, { token, body: { role: "viewer" } });
}

async function readAll(person: Person, { id, failingId, failedAttempt }: Used): Promise<void> {
  const { token } = person;
  const browser = await holding(person, 2 * 3_600_000);
  await browser.get(`/people/${crypto.randomUUID()}/left`);
  await replay(person, failingId, { which: "all" });
  await browser.get(`/webhooks/${failingId}`);
  await browser.get(`/webhooks/${failingId}/replays`);
  await browser.get(`/webhooks/${failingId}/attempts/${failedAttempt._id}`);
  // The hourly job does so only in a large database.
  const counting = await createDeps(env, createExecutionContext());
  for (const table of COUNTED_TABLES)
    await countPage(counting.shards.db(SHARD), table, { after: null, limit: 1, nowMs: Date.now() });
  await withControlPlane(counting, [{ tenantId: person.tenantId, bytes: 1 }]);
  await hourly({ SECRET_KEYS: `c144a6f37bd358f8df12faaf2e78ad96b13e71b7e6a84620ff2cae9efdf58d3b,${env.SECRET_KEYS}` });
  await call("GET", "/stats", { token });
  await call("GET", "/events", { token });
  await call("GET", "/audit", { token });
  await call("GET", "/auth/me/activity", { token });
  await call("POST", "/auth/login", { body: { email: person.email, password: "wrong" } });
  await call("POST", `/webhooks/${id}/retry-failed`, { token, body: { since: "2026-01-01T00:00:00Z" } });
  const since = new Date(Date.now() - 60_000).toISOString();
  await call("POST", `/webhooks/${id}/replay`, { token, body: { since, which: "missing" } });
  await browser.get("/activity");
  await browser.get("/security");
  await browser.get("/webhooks");
  await browser.get(`/events?q=${id}`);
  await browser.get("/events");
  await browser.get(`/events/${id}`);
  await startSweepers(await createDeps(env, createExecutionContext()));
  await call("GET", "/auth/me/export", { token });
}

/** Signs in with a mailed code, a passkey and a provider. */
async function signIn(id: string): Promise<void> {
  const stranger = await signUp();
  const { state } = (await call("POST", "/auth/code", { body: { email: stranger.email } })).body.data;
  const code = codeIn(await mailTo(stranger.email, /sign-in code/));
  await call("POST", "/auth/code/verify", { body: { state, code } });
  await loginWith((await withPasskey()).passkey);
  await registerWithPasskey({ email: newEmail() });
  const mover = await signUpVerified();
  await storeFirebaseHash(mover.userId);
  await call("POST", "/auth/login", { body: { email: mover.email, password: FIREBASE.password } });
  formerService(answering({ ok: true, profile: { emailVerified: true } }));
  await legacyLogin(newEmail());
  vi.unstubAllGlobals();
  const visitor = newBrowser({ LINK_BY_EMAIL: "always" });
  await newBrowser().send("GET", "/account");
  await signInAs(visitor, newPersonAtProvider());
  await signInAs(visitor, newPersonAtProvider({ email: (await logIn(await signUp())).email }));
  const linker = await logIn(await signUp());
  const linking = await visitor.send("POST", "/api/v1/auth/identities/oidc", { token: linker.token, body: {} });
  const departure = departureOf(linking.body.data.url);
  await comeBack(visitor, "oidc", departure, { claims: claimsOf(departure, newPersonAtProvider()) });
  await call("DELETE", `/auth/identities/${id}`, { token: linker.token });
  await call("POST", "/auth/logout-all", { token: linker.token });
}

/** Returns somebody whose account is left. */
async function endAccounts(): Promise<Person> {
  const others = [await signUp(), await signUp()];
  await call("POST", "/auth/step-up", { token: others[0]?.token, body: { password: PASSWORD } });
  await (await holding(await signUp())).get("/security/delete");
  const exporter = await signUp();
  await subscribe(exporter, newInbox("200").url);
  await call("GET", "/tenant/export", { token: exporter.token });
  await call("DELETE", "/tenant", { token: others[0]?.token, body: {} });
  await call("DELETE", "/auth/me", { token: others[1]?.token, body: { password: PASSWORD, deleteTenants: true } });
  return exporter;
}
