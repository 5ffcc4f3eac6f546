/**
 * Every statement of the suite is explained at the end of its file (setup.ts); here: that none is missed, and that a
 * scan is seen.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { tellAlarms } from "../../src/operations/alarms/tell";
import { startSweepers } from "../../src/operations/upkeep/start";
import { createDeps } from "../../src/platform/deps";
import { releaseHeld } from "../../src/webhooks/lanes/release";
import { countEventBytes } from "../../src/webhooks/stats/stored-bytes-store";
import { publishAudit } from "../../src/webhooks/subscriptions/audit-feed";
import { call, eventually, logIn, newEmail, PASSWORD, signUp, verify } from "../support/client";
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
import { deliveryDb, SHARD } from "../support/shard";
import { maintain } from "../support/upkeep";

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
  "identity/api-keys": /INSERT INTO api_keys/,
  "webhooks/log/log-store": /WITH examined AS MATERIALIZED/,
  "webhooks/log": /a\.kind AS kind,/,
  "webhooks/subscriptions/audit-feed-store": /UPDATE audit_feeds/,
  "tenancy/audit/failed-login-store": /'auth\.login_failed'/,
  "tenancy/audit/forget-store": /SET actor_name = NULL/,
  "tenancy/audit/names-store": /UNION ALL SELECT k\.id, k\.name/,
  "tenancy/audit/read-store": /reach LEFT JOIN page/,
  "tenancy/audit/record-store": /INSERT INTO audit_events/,
  "tenancy/audit/retention-store": /DELETE FROM audit_events/,
  "identity/sign-in": /INSERT INTO users/,
  "identity/sign-in/credential-store": /UPDATE mail_codes SET tries = \? WHERE id = \? AND EXISTS/,
  "identity/expire-store": /FROM known_devices WHERE last_seen_at <=/,
  "console/my-security": /FROM passkeys WHERE user_id = \? ORDER BY created_at, id/,
  "console/subscriptions": /instr\(lower\(s\.name\)/,
  "platform/db/dead-letters-store": /INSERT INTO dead_letters/,
  "operations/operators/audit-store": /FROM users u WHERE u\.id = \?$/,
  "operations/operators/freezes-store": /FROM sends_held WHERE tenant_id >=/,
  "operations/operators/person-store": /u\.suspended_reason AS suspendedReason/,
  "operations/operators/search-store": /lower\(substr\(url/,
  "operations/operators/status-store": /FROM dead_letters/,
  "operations/operators/suspend-store": /SET suspended_at = \?/,
  "operations/operators/two-factor-store": /AND u\.totp_enabled_at IS NOT NULL AND u\.email_verified_at IS NOT NULL/,
  "identity/recovery/two-factor-removal-store": /'remove-factor' AND t\.used_at IS NULL/,
  "operations/operators/tenant-store": /t\.suspended_reason AS suspendedReason/,
  "platform/db/shard-sizes-store": /INSERT INTO shards/,
  "lifecycle/deletion/abandoned-store": /FROM email_tokens e INDEXED BY/,
  "lifecycle/deletion/preview-store": /THEN 'goes'/,
  "lifecycle/exports/account-store": /SELECT k\.id, k\.tenant_id AS tenantId, k\.user_id AS userId/,
  "lifecycle/exports/tenant-store": /a\.status <> 'moved'/,
  "lifecycle/deletion/account-store": /INSERT INTO purges .*'user'/s,
  "lifecycle/deletion/ending-store": /DELETE FROM tenants WHERE id IN \(SELECT subject_id/,
  "lifecycle/deletion/pages-store": /LIMIT \? OFFSET \?/,
  "lifecycle/deletion/purge-store": /UPDATE purges SET step/,
  "lifecycle/deletion/tenant-steps-store": /FROM subscriptions s\s+CROSS JOIN attempts a/,
  "lifecycle/deletion/tenant-store": /json_group_array\(m\.user_id\)/,
  "lifecycle/deletion/user-steps-store": /^SELECT id FROM api_keys WHERE user_id = \?$/,
  "webhooks/delivery/claim-store": /INSERT INTO attempts .*'moved'/s,
  "webhooks/auto-disable/gone-store": /SET gone_since = t\.first_at/,
  "webhooks/delivery/release-store": /slot_at = coalesce\(t\.slot_at/,
  "webhooks/delivery/target-store": /s\.secret_sealed AS secretSealed/,
  "webhooks/throttling/throttled-store": /SET throttled_until/,
  "webhooks/throttling/trial-store": /SET on_trial = 0/,
  "webhooks/delivery/outbox-store": /^INSERT INTO outbox .*SELECT/s,
  "webhooks/delivery/overdue-store": /AS attemptEventId/,
  "webhooks/lanes/feed-store": /SELECT min\(queue\) FROM outbox/,
  "webhooks/lanes/frozen-store": /FROM sends_held sh/,
  "webhooks/lanes/lane-store": /SET has_backlog = 0, held_until = 0/,
  "webhooks/lanes/predicates-store": /s\.held_until > 0/,
  "webhooks/lanes/release-store": /release_rate AS rate/,
  "webhooks/delivery/record-store": /UPDATE attempts SET status = t\.status/,
  "webhooks/delivery/retention-store": /DELETE FROM hourly_stats/,
  "webhooks/delivery/sweep-store": /SELECT min\(held_until\) FROM subscriptions/,
  "webhooks/auto-disable/marks-store": /INSERT INTO episodes/,
  "webhooks/auto-disable/recipients-store": /m\.alerts = 1/,
  "webhooks/auto-disable/notices-store": /UPDATE episodes SET mailed_stage/,
  "webhooks/auto-disable/review-store": /SELECT max\(subscription_id\) AS last/,
  "webhooks/auto-disable/transitions-store": /UPDATE episodes SET probe_at = t\.next_at/,
  "webhooks/events/accept-statements-store": /INSERT INTO events .* FROM json_each\(\?\)\) e/s,
  "webhooks/events/accept-store": /FROM listed e CROSS JOIN outbox o/,
  "webhooks/events/counts-store": /sum\(state = 'delivered'\)/,
  "webhooks/events/list-store": /OFFSET \?\) END AS last/,
  "webhooks/events/outcomes-store": /trail\(subscription_id/,
  "webhooks/events/fan-out-store": /fan_out_after IS NOT NULL AND created_at <=/,
  "identity/invitations": /INSERT INTO invitations/,
  "operations/alarms": /FROM alarms WHERE finding/,
  "mailer/failures-store": /FROM mail_failures WHERE id = 1/,
  "operations/metrics": /AS oldestDueAt, \(SELECT count/,
  "identity/members": /from "memberships" inner join "users"/,
  "identity/addresses-store": /f\.purpose = 'undo' AND f\.used_at IS NULL/,
  "identity/profile": /UPDATE users SET name = \?/,
  "identity/profile/email-change-store": /'change-email', u\.id/,
  "identity/recovery/revert-email-store": /LEFT JOIN email_tokens mv/,
  "identity/recovery": /INSERT INTO email_tokens .*'verify'/s,
  "operations/reencryption": /AS encrypted FROM "users"/,
  "webhooks/signing/rotation": /SET secret_sealed = \?, secret_digest = \?,/,
  "webhooks/signing": /SELECT k\.public AS publicKey/,
  "webhooks/stats": /GROUP BY h\.hour/,
  "webhooks/stats/hours-store": /INSERT INTO hourly_stats/,
  "webhooks/stats/stored-bytes-store": /octet_length\(payload\) \+ \?/,
  "tenancy/tenants/storage-store": /UPDATE tenants SET stored_bytes = 0/,
  "identity/sessions": /INSERT INTO sessions/,
  "identity/sessions/refresh-store": /UPDATE sessions SET generation/,
  "identity/sessions/known-devices-store": /INSERT INTO known_devices/,
  "identity/email-codes": /INSERT INTO mail_codes/,
  "platform/mail/revert-store": /'undo', u\.id, json_object/,
  mailer: /AS codesLeft/,
  "mailer/sent-once-store": /INSERT INTO alert_mails/,
  "identity/recovery/reclaim-by-link-store": /t\.purpose = 'verify' AND t\.expires_at/,
  "identity/recovery/reclaim-by-code-store":
    /SET password_hash = '' WHERE id = \? AND email_verified_at IS NULL AND EXISTS \(SELECT 1 FROM mail_codes/,
  "identity/recovery/credentials-store": /SELECT 'api-key' AS kind/,
  "identity/recovery/tenant-changes-store": /WITH RECURSIVE guests/,
  "webhooks/subscriptions/suspects-store": /\$\.changed/,
  "identity/recovery/password-store": /INSERT INTO email_tokens .*'reset'/s,
  "identity/recovery/reclaim-store": /DELETE FROM memberships WHERE .*created_by/s,
  "identity/recovery/revert-store": /UPDATE email_tokens AS t/,
  "webhooks/subscriptions/former-states-store": /json_insert\(json_group_array/,
  "webhooks/subscriptions/change-store": /UPDATE subscriptions AS s SET .*version = version \+ 1/s,
  "webhooks/subscriptions/operational-store": /INSERT INTO events .*strftime/s,
  "webhooks/subscriptions/patterns-store": /iif\(t\.value GLOB/,
  "webhooks/throttling/waits-store": /UPDATE outbox SET due_at = \?, slot_at = \?/,
  "webhooks/subscriptions/live-store": /s\.id = \? AND s\.tenant_id = \? AND s\.is_deleted = 0/,
  "identity/step-up": /SET confirmed_at/,
  "identity/passkeys": /INSERT INTO passkeys/,
  "platform/db/used-states-store": /INSERT OR IGNORE INTO used_states/,
  "identity/providers/account-store": /INSERT INTO known_devices \(user_id, key, last_seen_at\) VALUES/,
  "identity/providers": /select "user_id" from "identities"/,
  "identity/providers/link-store": /SELECT user_id AS userId FROM identities/,
  "identity/sign-in-methods-store": /FROM passkeys op WHERE op\.user_id/,
  "identity/providers/identities": /DELETE FROM identities WHERE id/,
  "webhooks/subscriptions/tenant-store": /WHERE s\.enabled = 1 AND s\.tenant_id = \?/,
  "tenancy/tenants": /t\.shard, EXISTS/,
  "tenancy/tenants/roles-store": /json_each\(json_extract\(/,
  "tenancy/tenants/verified-store": /om\.role = 'owner'/,
  "identity/two-factor": /update "users" set "totp_secret_encrypted"/,
  "webhooks/subscriptions": /INSERT INTO subscriptions/,
  "webhooks/resend/replays": /INSERT INTO replay_jobs/,
  "webhooks/resend/replays/replay-id-store": /substr\(r\.id, 25\)/,
  "webhooks/resend/replays/page-store": /p\.tenant_id = \?/,
  "webhooks/delivery/reopen-store": /'-7' \|\| substr\(lower/,
  "webhooks/resend/waiting-store": /a\.next_id AS nextAttemptId/,
  "webhooks/resend": /INSERT INTO events \(id, tenant_id, type, payload, delivery_count, created_at\)/,
};

test("statements of every store are collected, from requests, RPC, queue consumers, cron and alarms", async () => {
  const stores = Object.keys(
    import.meta.glob(["../../src/**/store.ts", "../../src/**/*-store.ts", "!../../src/sdk/**"], {
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
  await mailTo(person.email, /will be disabled/);
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
  await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
  await call("POST", "/auth/forgot-password", { body: { email: person.email } });
  await mailTo(person.email, /reset/i);
  await call("PATCH", "/auth/me", { token, body: { name: "Ada" } });
  await call("POST", "/auth/change-email", { token, body: { email: newEmail() } });
  await call("POST", "/auth/2fa/enable", { token });
  await call("POST", "/api-keys", { token, body: { name: "key", scopes: ["webhook.read"] } });
  await mailTo(person.email, /API key/);
  const squatter = await signUp();
  const notMe = { token: tokenIn(await mailTo(squatter.email, /Verify/)) };
  await call("POST", "/auth/not-me", { body: notMe });
  const intruded = await logIn(await signUp());
  await call("POST", "/api-keys", { token: intruded.token, body: { name: "key", scopes: ["webhook.read"] } });
  await call("POST", "/auth/not-me", { body: { token: tokenIn(await mailTo(intruded.email, /API key/)) } });
  await call("POST", "/invitations", { token, body: { email: "new@example.com", role: "viewer" } });
  await call("GET", "/members", { token });
  await call("PATCH", `/members/${person.userId}`, { token, body: { role: "viewer" } });
  const browser = await holding(person);
  await browser.get(`/webhooks/${failingId}/attempts/${failedAttempt._id}`);
  // The hourly job does so only in a large database.
  await countEventBytes((await createDeps(env, createExecutionContext())).shards.db(SHARD), "", 1);
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
  const others = [await signUp(), await signUp()];
  await call("POST", "/auth/step-up", { token: others[0]?.token, body: { password: PASSWORD } });
  const stranger = await signUp();
  const { state } = (await call("POST", "/auth/code", { body: { email: stranger.email } })).body.data;
  const code = codeIn(await mailTo(stranger.email, /sign-in code/));
  await call("POST", "/auth/code/verify", { body: { state, code } });
  await call("GET", "/auth/me/export", { token });
  await loginWith((await withPasskey()).passkey);
  const visitor = newBrowser({ LINK_BY_EMAIL: "always" });
  await signInAs(visitor, newPersonAtProvider());
  await signInAs(visitor, newPersonAtProvider({ email: (await logIn(await signUp())).email }));
  const linker = await logIn(await signUp());
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
}, 60_000);

test("a statement that joins the two planes is found", () => {
  const across = "SELECT * FROM tenants t JOIN subscriptions s ON s.tenant_id = t.id";
  const within = [
    "SELECT * FROM users u JOIN memberships m ON m.user_id = u.id",
    "INSERT INTO outbox SELECT * FROM events",
  ];
  expect(statementsAcrossPlanes([across, ...within])).toEqual([across]);
});
