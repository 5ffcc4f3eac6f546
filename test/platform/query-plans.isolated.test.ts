/** Every statement of the suite is explained at the end of its file (setup.ts); here: that none is missed, and that a scan is seen. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { tellAlarms } from "../../src/operations/alarms/tell";
import { startSweepers } from "../../src/operations/upkeep/sweeper";
import { createDeps } from "../../src/platform/deps";
import { releaseHeld } from "../../src/webhooks/delivery/held";
import { publishAudit } from "../../src/webhooks/subscriptions/audit-feed";
import { call, eventually, logIn, PASSWORD, signUp } from "../support/client";
import { holding } from "../support/console";
import { consumeBatch, hourly } from "../support/engine";
import { attempt as attemptNow, review } from "../support/failing";
import { codeIn, mailTo, tokenIn } from "../support/mailbox";
import { claimsOf, comeBack, departureOf, newBrowser, newPersonAtProvider, signInAs } from "../support/oauth";
import { operate, operator } from "../support/operators";
import { loginWith, withPasskey } from "../support/passkeys";
import { purgeAll } from "../support/purges";
import { badPlans, collected, statementsAcrossPlanes } from "../support/query-plans";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

test.each([
  ["a table", "SELECT payload FROM events WHERE type = ?"],
  [
    "a table behind an alias",
    "SELECT 1 FROM subscriptions s JOIN events e ON e.tenant_id = s.tenant_id WHERE s.id = ?",
  ],
  ["a whole index", "SELECT id FROM sessions ORDER BY expires_at"],
  ["a whole partial index", "SELECT id FROM events WHERE fan_out_after IS NOT NULL"],
  [
    "a table in a subquery of a write",
    "DELETE FROM attempts WHERE (subscription_id, id) IN (SELECT subscription_id, id FROM attempts WHERE status = ? LIMIT 1)",
  ],
  ["a table that SQLite makes an index for", "SELECT 1 FROM json_each(?) j CROSS JOIN users u ON u.name = j.value"],
])("a full scan is seen: %s", async (_what, query) => {
  expect(await badPlans(env.DB, [query])).toHaveLength(1);
});

test.each([
  ["by key", "SELECT payload FROM events WHERE id = ?"],
  ["by the keys of a list", "SELECT 1 FROM events WHERE id IN (SELECT value FROM json_each(?))"],
  [
    "through a subquery",
    "SELECT 1 FROM (SELECT id FROM users WHERE email = ? LIMIT 5) u JOIN sessions s ON s.user_id = u.id",
  ],
])("no full scan is seen: %s", async (_what, query) => {
  expect(await badPlans(env.DB, [query])).toEqual([]);
});

test("an exception allows one step of one statement", async () => {
  const query = "SELECT name FROM tenants";
  const exception = { statement: /FROM tenants$/, step: /^SCAN tenants$/, reason: "for this test" };
  expect(await badPlans(env.DB, [query], [exception])).toEqual([]);
  expect(await badPlans(env.DB, [query, `${query} LIMIT 1`], [exception])).toHaveLength(1);
});

/** A statement that only this store sends. */
const OF_STORE: Record<string, RegExp> = {
  "api-keys": /INSERT INTO api_keys/,
  "attempts/log-store": /WITH examined AS MATERIALIZED/,
  attempts: /a\.kind AS kind,/,
  "subscriptions/audit-feed-store": /UPDATE audit_feeds/,
  "audit/failed-login-store": /'auth\.login_failed'/,
  "audit/forget-store": /SET actor_name = NULL/,
  "audit/names-store": /UNION ALL SELECT k\.id, k\.name/,
  "audit/read-store": /reach LEFT JOIN page/,
  "audit/record-store": /INSERT INTO audit_events/,
  "audit/retention-store": /DELETE FROM audit_events/,
  auth: /INSERT INTO users/,
  "auth/proof-store": /UPDATE mail_codes SET tries = \? WHERE id = \? AND EXISTS/,
  "auth/sweep-store": /FROM known_devices WHERE last_seen_at <=/,
  "console/security": /FROM passkeys WHERE user_id = \? ORDER BY created_at, id/,
  "console/subscriptions": /instr\(lower\(s\.name\)/,
  "db/dead-letters-store": /INSERT INTO dead_letters/,
  "operator/audit-store": /FROM users u WHERE u\.id = \?$/,
  "operator/holds-store": /FROM sends_held WHERE tenant_id >=/,
  "operator/person-store": /u\.suspended_reason AS suspendedReason/,
  "operator/search-store": /lower\(substr\(url/,
  "operator/status-store": /FROM dead_letters/,
  "operator/suspend-store": /SET suspended_at = \?/,
  "operator/two-factor-store": /AND u\.totp_enabled_at IS NOT NULL AND u\.email_verified_at IS NOT NULL/,
  "recovery/two-factor-removal-store": /'remove-factor' AND t\.used_at IS NULL/,
  "operator/tenant-store": /t\.suspended_reason AS suspendedReason/,
  "db/shard-sizes-store": /INSERT INTO shards/,
  "deletion/abandoned-store": /FROM email_tokens e INDEXED BY/,
  "deletion/preview-store": /THEN 'goes'/,
  "exports/account-store": /SELECT k\.id, k\.tenant_id AS tenantId, k\.user_id AS userId/,
  "exports/tenant-store": /a\.status <> 'moved'/,
  "deletion/account-store": /INSERT INTO purges .*'user'/s,
  "deletion/ending-store": /DELETE FROM tenants WHERE id IN \(SELECT subject_id/,
  "deletion/pages-store": /LIMIT \? OFFSET \?/,
  "deletion/purge-store": /UPDATE purges SET step/,
  "deletion/tenant-steps-store": /FROM subscriptions s\s+CROSS JOIN attempts a/,
  "deletion/tenant-store": /json_group_array\(m\.user_id\)/,
  "deletion/user-steps-store": /^SELECT id FROM api_keys WHERE user_id = \?$/,
  "delivery/claim-store": /INSERT INTO attempts .*'moved'/s,
  "delivery/gone-store": /SET gone_since = t\.first_at/,
  "delivery/line-store": /SET due_at = t\.next_due_at, slot_at = t\.slot_at/,
  "delivery/held-store": /release_rate AS rate/,
  "delivery/record-store": /UPDATE attempts SET status = t\.status/,
  "delivery/retention-store": /DELETE FROM hourly_stats/,
  "delivery/sweep-store": /SET has_backlog = 0/,
  "stats/episode-marks-store": /INSERT INTO episodes/,
  "episodes/recipients-store": /m\.alerts = 1/,
  "episodes/review-store": /UPDATE episodes SET mailed_stage/,
  "events/accept-statements-store": /INSERT INTO events .* FROM json_each\(\?\)\) e/s,
  "events/accept-store": /FROM listed e CROSS JOIN outbox o/,
  "events/list-store": /OFFSET \?\) END AS examined/,
  "events/outcomes-store": /trail\(subscription_id/,
  "events/fan-out-store": /fan_out_after IS NOT NULL AND created_at <=/,
  invitations: /INSERT INTO invitations/,
  alarms: /FROM alarms WHERE finding/,
  "mailer/failures-store": /FROM mail_failures WHERE id = 1/,
  metrics: /AS oldestDueAt, \(SELECT count/,
  members: /from "memberships" inner join "users"/,
  recovery: /INSERT INTO email_tokens .*'verify'/s,
  rekey: /AS encrypted FROM "users"/,
  rotation: /SET secret_sealed = \?, secret_digest = \?,/,
  "signing-keys": /SELECT k\.public AS publicKey/,
  stats: /GROUP BY h\.hour/,
  "stats/hours-store": /INSERT INTO hourly_stats/,
  sessions: /UPDATE sessions SET generation/,
  "sessions/known-devices-store": /INSERT INTO known_devices/,
  "mail-code": /INSERT INTO mail_codes/,
  "mail/undo-store": /'undo', u\.id, json_object/,
  mailer: /AS codesLeft/,
  "mailer/alerts-store": /INSERT INTO alert_mails/,
  "recovery/claim-store": /t\.purpose = 'verify' AND t\.expires_at/,
  "recovery/code-store":
    /SET password_hash = '' WHERE id = \? AND email_verified_at IS NULL AND EXISTS \(SELECT 1 FROM mail_codes/,
  "recovery/password-store": /INSERT INTO email_tokens .*'reset'/s,
  "recovery/take-over-store": /DELETE FROM memberships WHERE .*created_by/s,
  "recovery/undo-store": /UPDATE email_tokens AS t/,
  "subscriptions/former-states-store": /json_insert\(json_group_array/,
  "subscriptions/change-store": /UPDATE subscriptions AS s SET .*version = version \+ 1/s,
  "subscriptions/operational-store": /INSERT INTO events .*strftime/s,
  "subscriptions/patterns-store": /iif\(t\.value GLOB/,
  "subscriptions/waits-store": /SET due_at = \?, slot_at = NULL/,
  "subscriptions/release-store": /iif\(coalesce\(options ->> '\$\.onDisable'/,
  "step-up": /SET confirmed_at/,
  passkeys: /INSERT INTO passkeys/,
  webauthn: /from "passkeys"/,
  "db/used-states-store": /INSERT OR IGNORE INTO used_states/,
  "auth/provider-store": /INSERT INTO known_devices \(user_id, key, last_seen_at\) VALUES/,
  oidc: /select "user_id" from "identities"/,
  "oidc/link-store": /SELECT user_id AS userId FROM identities/,
  "step-up/ways-in-store": /FROM passkeys op WHERE op\.user_id/,
  identities: /DELETE FROM identities WHERE id/,
  "subscriptions/tenant-store": /UPDATE subscriptions SET enabled = 0/,
  tenants: /t\.shard, EXISTS/,
  "tenants/roles-store": /json_each\(json_extract\(/,
  "tenants/verified-store": /om\.role = 'owner'/,
  "two-factor": /update "users" set "totp_secret_encrypted"/,
  subscriptions: /INSERT INTO subscriptions/,
  replays: /INSERT INTO replay_jobs/,
  "replays/page-store": /p\.tenant_id = \?/,
  "delivery/reopen-store": /'-7' \|\| substr\(lower/,
  "redelivery/waiting-store": /a\.next_id AS nextAttemptId/,
  redelivery: /INSERT INTO outbox .*'test'/s,
};

test("statements of every store are collected, from requests, RPC, queue consumers, cron and alarms", async () => {
  const stores = Object.keys(
    import.meta.glob(["../../src/**/store.ts", "../../src/**/*-store.ts", "!../../src/client/**"], {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  );
  const nameOf = (path: string) => path.slice("../../src/".length).replace(/\/store\.ts$|\.ts$/, "");
  expect(stores.map(nameOf).sort()).toEqual(Object.keys(OF_STORE).sort());
  const person = await logIn(await signUp());
  const { token } = person;
  const id = await subscribe(person, newInbox("200").url);
  const goneId = await subscribe(person, newInbox("410").url, { delivery: { retry: { onGone: "disable" } } });
  const event = { tenantId: person.tenantId, publication: { type: "OrderPaid", payload: 1 }, idempotencyKey: null };
  await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body: JSON.stringify(event) });
  const [attempt] = await endedAttempts(person, id, 1);
  await endedAttempts(person, goneId, 1);
  const limits = { delivery: { rateLimit: { limit: 1, per: "hour" } } };
  const limitedId = await subscribe(person, newInbox("200").url, { events: ["Limited"], ...limits });
  await call("POST", "/events/batch", { token, body: { events: Array(2).fill({ type: "Limited", payload: 1 }) } });
  const failingId = await subscribe(person, newInbox("500").url, { events: ["Failing"] });
  await call("POST", "/events", { token, body: { type: "Failing", payload: 1 } });
  const [failedAttempt] = await endedAttempts(person, failingId, 1);
  await attemptNow(person, failingId, 10);
  await deliveryDb.prepare("UPDATE episodes SET failing_since = 1 WHERE subscription_id = ?").bind(failingId).run();
  await deliveryDb.prepare("UPDATE hourly_stats SET failing_since = 1 WHERE subscription_id = ?").bind(failingId).run();
  await review();
  await releaseHeld(await createDeps(env, createExecutionContext()));
  await subscribe(person, newInbox("200").url, { events: ["postern.audit"] });
  await publishAudit(await createDeps(env, createExecutionContext()));
  await mailTo(person.email, /will be disabled/);
  await call("GET", `/webhooks/${id}/attempts/${attempt._id}`, { token });
  await call("POST", `/webhooks/${id}/test`, { token });
  await eventually("a wait for a slot", () =>
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
  await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
  await call("POST", "/auth/forgot-password", { body: { email: person.email } });
  await mailTo(person.email, /reset/i);
  await call("POST", "/auth/2fa/enable", { token });
  await call("POST", "/api-keys", { token, body: { name: "key", scopes: ["webhook.read"] } });
  await mailTo(person.email, /API key/);
  const squatter = await signUp();
  const notMe = { token: tokenIn(await mailTo(squatter.email, /Verify/)) };
  await call("POST", "/auth/not-me", { body: notMe });
  await call("POST", "/invitations", { token, body: { email: "new@example.com", role: "viewer" } });
  await call("GET", "/members", { token });
  await call("PATCH", `/members/${person.userId}`, { token, body: { role: "viewer" } });
  const browser = await holding(person);
  await browser.get(`/webhooks/${failingId}/attempts/${failedAttempt._id}`);
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
  await browser.get(`/events/${id}`);
  await startSweepers(await createDeps(env, createExecutionContext()));
  const others = [await signUp(), await signUp()];
  await call("POST", "/auth/step-up", { token: others[0]?.token, body: { password: PASSWORD } });
  const stranger = await signUp();
  const { state } = (await call("POST", "/auth/code", { body: { email: stranger.email } })).body.data;
  const code = codeIn(await mailTo(stranger.email, /sign-in code/));
  await call("POST", "/auth/code/verify", { body: { state, code } });
  await call("GET", "/auth/me/export", { token });
  await loginWith((await withPasskey()).passkey);
  const visitor = newBrowser();
  await signInAs(visitor, newPersonAtProvider());
  await signInAs(visitor, newPersonAtProvider({ email: (await logIn(await signUp())).email }));
  const linker = await signUp();
  const linking = await visitor.send("POST", "/api/v1/auth/identities/oidc", { token: linker.token, body: {} });
  const departure = departureOf(linking.body.data.url);
  await comeBack(visitor, "oidc", departure, { claims: claimsOf(departure, newPersonAtProvider()) });
  await call("DELETE", `/auth/identities/${id}`, { token: linker.token });
  await (await holding(await signUp())).get("/security/delete");
  const exporter = await signUp();
  await subscribe(exporter, newInbox("200").url);
  await call("GET", "/tenant/export", { token: exporter.token });
  await call("DELETE", "/tenant", { token: others[0]?.token, body: {} });
  await call("DELETE", "/auth/me", { token: others[1]?.token, body: { password: PASSWORD, deleteTenants: true } });
  const op = await operator();
  for (const path of [
    "/status",
    `/search?q=${id}`,
    "/search?q=zz",
    `/tenants/${op.tenantId}`,
    `/people/${op.userId}`,
  ]) {
    await operate(op, "GET", path);
  }
  for (const change of ["suspend", "resume"]) {
    await operate(op, "POST", `/tenants/${op.tenantId}/${change}`, { reason: "a test" });
  }
  for (const change of ["sessions/revoke", "suspend", "resume"]) {
    await operate(op, "POST", `/people/${exporter.userId}/${change}`, { reason: "a test" });
  }
  await operate(op, "POST", `/people/${op.userId}/two-factor/remove`, {});
  const removal = { token: tokenIn(await mailTo(op.email, /Remove your lost/)) };
  await call("POST", "/auth/2fa/remove", { body: removal });
  await consumeBatch([{ of: "no known shape" }], "postern-mail-dead");
  await tellAlarms(await createDeps(env, createExecutionContext()));
  await purgeAll();
  const missed = () =>
    Object.keys(OF_STORE).filter((store) => !collected().some((query) => OF_STORE[store]?.test(query)));
  await eventually("a sweep by the alarm", async () => !missed().includes("events/fan-out-store"));
  expect(missed()).toEqual([]);
});

test("a statement that joins the two planes is found", () => {
  const across = "SELECT * FROM tenants t JOIN subscriptions s ON s.tenant_id = t.id";
  const within = [
    "SELECT * FROM users u JOIN memberships m ON m.user_id = u.id",
    "INSERT INTO outbox SELECT * FROM events",
  ];
  expect(statementsAcrossPlanes([across, ...within])).toEqual([across]);
});
