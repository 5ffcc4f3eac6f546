/**
 * Every statement of the suite is explained at the end of its file (setup.ts); here: that none is missed, and that a
 * scan is seen.
 */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { eventually } from "../support/client";
import { useEveryStore } from "../support/every-store";
import { badPlans, collected, STORES_OF_APPS, STORES_OF_SIGN_ON, statementsAcrossPlanes } from "../support/query-plans";

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
    `DELETE FROM attempts WHERE (subscription_id, id) IN (SELECT subscription_id, id FROM attempts WHERE status = ?
      LIMIT 1)`,
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
  "identity/passwords/imported": /SELECT sealed FROM hash_settings/,
  "identity/members/list-store": /FROM \(SELECT \* FROM memberships m/,
  "identity/platform-keys": /INSERT INTO platform_keys/,
  "identity/platform-keys/audit-store": /'user\.created'|INSERT INTO audit_events/,
  "identity/platform-keys/subjects-store": /t\.name, t\.external_id AS externalId,/,
  "webhooks/plane/tenant-events-store": /INSERT INTO events .* SELECT \?, \?, \?, \?/s,
  ...STORES_OF_SIGN_ON,
  "service/directory/members-store": /\(m\.created_at, m\.user_id\) > \(/,
  "service/directory/page-store": /coalesce\(r\.updated_at, r\.created_at\) >= \?/,
  "service/directory/tenants-store": /INSERT INTO tenants \(id, name, shard, external_id/,
  "service/directory/users-store": /INSERT INTO users \(id, email, name, password_hash, external_id/,
  "tenancy/directory/metadata-store": /SET name = .*, metadata = /s,
  "service/usage": /counted_to AS id FROM shards/,
  "tenancy/directory/records-store": /FROM platform_sequences ps/,
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
  "identity/accounts/new-user-store": /EXISTS \(SELECT 1 FROM passkeys WHERE id = \? AND user_id = u\.id\)/,
  "identity/sign-in/credential-store": /UPDATE mail_codes SET tries = \? WHERE id = \? AND EXISTS/,
  "identity/expire-store": /FROM known_devices WHERE last_seen_at <=/,
  "console/my-security": /FROM passkeys WHERE user_id = \? ORDER BY created_at, id/,
  "console/subscriptions":
    /s\.listener_of IS NOT NULL AS isListener,\s+s\.secret_sealed AS secretSealed,\s+s\.created_at/,
  "console/subscriptions/list-store": /instr\(lower\(s\.name\)/,
  "base/db/dead-letters-store": /INSERT INTO dead_letters/,
  "service/acting/audit-store": /FROM users u WHERE u\.id = \?$/,
  "service/operators/freezes-store": /INSERT INTO sends_held/,
  "service/operators/published-store": /test_of IS NULL GROUP BY type/,
  "service/operators/shard-load-store": /FROM sends_held WHERE tenant_id >=/,
  "service/operators/tenant-subscriptions-store": /WITH s AS MATERIALIZED/,
  "service/operators/person-store": /u\.suspended_reason AS suspendedReason/,
  "service/operators/search-store": /lower\(substr\(url/,
  "service/operators/status-store": /FROM dead_letters/,
  "service/operators/suspend-store": /SET suspended_at = \?/,
  "service/operators/two-factor-store": /AND u\.totp_enabled_at IS NOT NULL AND u\.email_verified_at IS NOT NULL/,
  "identity/recovery/two-factor-removal-store": /'remove-factor' AND t\.used_at IS NULL/,
  "service/operators/tenant-store": /t\.suspended_reason AS suspendedReason/,
  "base/db/shard-sizes-store": /INSERT INTO shards/,
  "lifecycle/profile/unproven-store": /t\.email = u\.email AND u\.id <> \?/,
  "lifecycle/deletion/abandoned-store": /FROM email_tokens e INDEXED BY/,
  "lifecycle/deletion/preview-store": /THEN 'goes'/,
  "lifecycle/exports/account-store": /nullif\(k\.user_id, ''\) AS userId/,
  "lifecycle/exports/tenant-store": /a\.status <> 'moved'/,
  "lifecycle/deletion/account-store": /INSERT INTO purges .*'user'/s,
  "lifecycle/deletion/ending-store": /DELETE FROM tenants WHERE id IN \(SELECT subject_id/,
  "lifecycle/deletion/pages-store": /FROM alert_mails WHERE substr/,
  "lifecycle/deletion/report-steps-store": /SELECT min\(import_id\) FROM import_reports/,
  "lifecycle/deletion/platform-steps-store": /DELETE FROM platform_sequences/,
  "lifecycle/deletion/purge-store": /UPDATE purges SET step/,
  "lifecycle/deletion/published-periods-store": /FROM publishers WHERE tenant_id = ''/,
  "lifecycle/deletion/shared-search-store": /UPDATE purges SET cursor = \?, run_at/,
  "lifecycle/deletion/tenant-steps-store": /FROM subscriptions s\s+CROSS JOIN attempts a/,
  "lifecycle/deletion/tenant-store": /json_group_array\(m\.user_id\)/,
  "lifecycle/deletion/user-steps-store": /^SELECT id FROM api_keys WHERE user_id = \?$/,
  "webhooks/delivery/claim-statements-store":
    /FROM json_each\(\?\) j CROSS JOIN outbox o .* s\.is_deleted = 0 ON CONFLICT/s,
  "webhooks/delivery/claim-store": /INSERT INTO attempts .*'moved'/s,
  "webhooks/auto-disable/gone-store": /SET gone_since = t\.first_at/,
  "webhooks/delivery/release-store": /slot_at = coalesce\(t\.slot_at/,
  "webhooks/delivery/target-store": /s\.secret_sealed AS secretSealed/,
  "webhooks/delivery/throttling/trial-store": /SET on_trial = 0/,
  "webhooks/plane/outbox-store": /^INSERT INTO outbox .*SELECT/s,
  "webhooks/delivery/overdue-store": /AS attemptEventId/,
  "webhooks/delivery/lanes/feed-store": /SELECT min\(queue\) FROM outbox/,
  "webhooks/plane/frozen-store": /FROM sends_held sh/,
  "webhooks/plane/lane-store": /SET has_backlog = 0, held_until = 0/,
  "webhooks/plane/predicates-store": /s\.held_until > 0/,
  "webhooks/delivery/lanes/release-store": /release_rate AS rate/,
  "webhooks/delivery/record-store": /UPDATE attempts SET status = t\.status/,
  "webhooks/delivery/record-plain-store": /UPDATE attempts SET status = 'success'/,
  "webhooks/retention": /DELETE FROM hourly_stats/,
  "webhooks/events/written-deliveries-store": /iif\(changes\(\) > 0, changes/,
  "webhooks/stats/intake-store": /storage_count/,
  "webhooks/auto-disable/marks-store": /INSERT INTO episodes/,
  "webhooks/auto-disable/notices-store": /UPDATE episodes SET mailed_stage/,
  "webhooks/auto-disable/review-store": /SELECT max\(subscription_id\) AS last/,
  "webhooks/auto-disable/transitions-store": /UPDATE episodes SET probe_at = t\.next_at/,
  "webhooks/events/receivers-store": /counts AS MATERIALIZED/,
  "webhooks/events/accept-statements-store": /INSERT INTO events .* FROM json_each\(\?\)\) e/s,
  "webhooks/events/accept-store": /FROM listed e CROSS JOIN outbox o/,
  "webhooks/events/counts-store": /sum\(state = 'delivered'\)/,
  "webhooks/events/list-store": /OFFSET \?\) END AS last/,
  "webhooks/events/outcomes-store": /trail\(subscription_id/,
  "webhooks/plane/payload-store": /CASE typeof\(long_payload\)/,
  "webhooks/plane/fan-out-store": /fan_out_after IS NOT NULL AND created_at <=/,
  "identity/invitations": /INSERT INTO invitations/,
  "identity/invitations/join-store": /UPDATE invitations SET accepted_at/,
  "service/operators/notices-store": /AND email_verified_at IS NOT NULL\s+AND id <> \?/,
  "service/alarms": /FROM alarms WHERE finding/,
  "identity/legacy-login": /SELECT '', '', NULL, 0 WHERE/,
  "identity/legacy-login/failures-store": /FROM legacy_login_failures WHERE id = 1/,
  "mailer/failures-store": /FROM mail_failures WHERE id = 1/,
  "service/metrics": /AS oldestDueAt, \(SELECT count/,
  "identity/members": /UPDATE memberships SET role = /,
  "identity/members/ended-keys-store": /UPDATE api_keys SET revoked_at = \? WHERE revoked_at IS NULL AND \(expires_at/,
  "identity/addresses-store": /f\.purpose = 'undo' AND f\.used_at IS NULL/,
  "identity/policy": /AS membersWithout/,
  "identity/sessions/token-subject-store": /FROM users tu WHERE tu\.id = sessions\.user_id/,
  "webhooks/event-types/known-store": /SELECT j\.value AS name FROM json_each/,
  "identity/tokens/due-store": /FROM passkeys fp WHERE fp\.user_id = u\.id/,
  "identity/profile": /UPDATE users SET name = \?/,
  "identity/profile/email-change-store": /'change-email', u\.id/,
  "identity/recovery/revert-email-store": /LEFT JOIN email_tokens mv/,
  "identity/accounts/mailed-links-store": /purpose IN \('verify', 'reset', 'remove-factor', 'change-email'\)/,
  "identity/accounts/credentials-store": /FROM users u LEFT JOIN memberships m .* WHERE u\.email = \?/s,
  "identity/accounts/verification-store": /INSERT INTO email_tokens .*'verify'/s,
  "service/reencryption": /AS encrypted FROM "users"/,
  "webhooks/subscriptions/rotation": /SET secret_sealed = \?, secret_digest = \?,/,
  "identity/portal/holder-store": /SELECT m\.role FROM sessions s JOIN users u/,
  "webhooks/listen": /INSERT INTO subscriptions .*listener_of/,
  "webhooks/feeds": /INSERT INTO feeds/,
  "webhooks/feeds/consumers-store": /INSERT INTO feed_consumers/,
  "webhooks/events/entries-store": /INSERT INTO feed_entries/,
  "webhooks/feeds/page-store": /WITH sized AS MATERIALIZED/,
  "webhooks/feeds/retention-store": /UPDATE feed_logs SET trimmed_to/,
  "webhooks/feeds/suspects-store": /a\.action = 'feed\.token_rotated'/,
  "webhooks/feeds/tokens-store": /INSERT INTO feed_tokens/,
  "webhooks/event-types": /FROM event_type_versions v WHERE/,
  "webhooks/event-types/declared-store": /SELECT v\.name, v\.version/,
  "webhooks/event-types/import": /WHERE coalesce\(\(SELECT r\.revision/,
  "webhooks/event-types/platform-store": /INSERT INTO platform_rules/,
  "webhooks/event-types/change-store": /INSERT INTO event_types/,
  "webhooks/event-types/revision-store": /INSERT INTO publish_rules/,
  "webhooks/filters": /SELECT s\.filter,/,
  "webhooks/subscriptions/filter-store": /f\.filter IS NOT NULL/,
  "webhooks/plane/index-store": /INSERT INTO subscription_events/,
  "webhooks/event-types/rules-store": /CROSS JOIN event_types t/,
  "webhooks/sources": /INSERT INTO sources/,
  "webhooks/sources/errors-store": /INSERT INTO source_errors/,
  "webhooks/signing": /SELECT k\.public AS publicKey/,
  "webhooks/plane/begin-store": /INSERT INTO platform_feed/,
  "webhooks/platform-events/publish-store": /INSERT INTO platform_sequences/,
  "webhooks/platform-events/source-store": /INDEXED BY audit_events_for_platform/,
  "webhooks/stats": /GROUP BY h\.hour/,
  "webhooks/plane/hours-store": /INSERT INTO hourly_stats/,
  "webhooks/stats/stored-bytes-store": /tenant_id AS owner, 160 \+ coalesce/,
  "tenancy/tenants/storage-store": /UPDATE tenants SET stored_bytes = 0/,
  "identity/sessions": /INSERT INTO sessions/,
  "identity/sessions/refresh-store": /UPDATE sessions SET generation/,
  "identity/sessions/console-cookie-store": /SET cookie_generation = cookie_generation \+ 1/,
  "identity/sessions/known-devices-store": /INSERT INTO known_devices/,
  "identity/email-codes": /INSERT INTO mail_codes/,
  "base/db/first-keys-store": /INSERT INTO first_keys/,
  "base/mail/revert-store": /'undo', u\.id, json_object/,
  mailer: /AS codesLeft/,
  "mailer/sent-once-store": /INSERT INTO alert_mails/,
  "identity/reclaim/by-link-store": /t\.purpose = 'verify' AND t\.expires_at/,
  "identity/reclaim/by-code-store":
    /SET password_hash = '' WHERE id = \? AND email_verified_at IS NULL AND EXISTS \(SELECT 1 FROM mail_codes/,
  "identity/recovery/credentials-store": /SELECT 'api-key' AS kind/,
  "identity/members/left-keys-store": /a\.action = 'api_key\.created' AND a\.target_id = k\.id/,
  "identity/recovery/made-credentials-store": /UPDATE sources SET is_enabled = 0/,
  "identity/recovery/tenant-changes-store": /WITH RECURSIVE guests/,
  "identity/recovery/named-acts-store": /a\.meta ->> '\$\.reason' IS NOT 'not-me'/,
  "identity/recovery/suspects-store": /actors\(id, tenant_id\) AS/,
  "webhooks/subscriptions/suspects-store": /\$\.changed/,
  "identity/recovery/password-store": /INSERT INTO email_tokens .*'reset'/s,
  "identity/reclaim/reclaim-store": /DELETE FROM memberships WHERE .*created_by/s,
  "identity/recovery/revert-store": /UPDATE email_tokens AS t/,
  "webhooks/plane/former-states-store": /json_insert\(json_group_array/,
  "webhooks/subscriptions/change-store": /UPDATE subscriptions AS s SET .*version = version \+ 1/s,
  "webhooks/event-types/room-store": /UPDATE event_types SET stored_bytes = \(SELECT/,
  "webhooks/event-types/catalogue/files-store": /INSERT INTO catalog_files/,
  "webhooks/event-types/catalogue": /INSERT INTO catalogs/,
  "webhooks/plane/operational-store": /INSERT INTO events .*strftime/s,
  "webhooks/plane/patterns-store": /CASE WHEN t\.value GLOB/,
  "webhooks/delivery/throttling/waits-store": /UPDATE outbox SET due_at = \?, slot_at = \?/,
  "webhooks/plane/live-store": /s\.id = \? AND s\.tenant_id = \? AND s\.is_deleted = 0/,
  "identity/step-up": /SET confirmed_at/,
  "identity/passkeys": /INSERT INTO passkeys/,
  "base/db/used-states-store": /INSERT OR IGNORE INTO used_states/,
  "identity/tokens/revocations-store": /INSERT OR IGNORE INTO revocations/,
  "base/signers": /INSERT INTO token_signers/,
  "identity/sign-in/providers/account-store": /INSERT INTO known_devices \(user_id, key, last_seen_at\) VALUES/,
  "identity/providers": /SELECT user_id AS userId FROM identities\n/,
  "identity/sign-in/providers/link-store": /SELECT user_id AS userId FROM identities WHERE/,
  "identity/sign-in-methods-store": /FROM passkeys op WHERE op\.user_id/,
  "identity/sign-in/identities": /DELETE FROM identities WHERE id/,
  "webhooks/subscriptions/tenant-store": /WHERE s\.enabled = 1 AND s\.tenant_id = \?/,
  "identity/sessions/console-session-store": /s\.cookie_generation AS cookieGeneration/,
  ...STORES_OF_APPS,
  "tenancy/tenants": /INSERT OR IGNORE INTO tenants/,
  "tenancy/tenants/standing-store": /t\.external_id AS tenantExternalId/,
  "tenancy/tenants/roles-store": /json_each\(json_extract\(/,
  "tenancy/tenants/verified-store": /om\.role = 'owner'/,
  "identity/two-factor": /update "users" set "totp_secret_encrypted"/,
  "webhooks/subscriptions": /INSERT INTO subscriptions/,
  "identity/portal": /INSERT INTO portal_links/,
  "identity/tokens/portal-links-store": /UPDATE portal_links SET expires_at = \? WHERE id IN/,
  "identity/portal/session-store": /p\.maker_kind AS makerKind/,
  "service/imports": /INSERT INTO imports/,
  "service/imports/clear-store": /DELETE FROM hash_settings/,
  "service/imports/report-store": /CROSS JOIN json_each\(r\.entries\)/,
  "service/imports/run-store": /SELECT part, n, sealed FROM import_chunks/,
  "service/imports/dry-run-store": /INSERT INTO import_trials/,
  "identity/people/world-store": /WITH named AS MATERIALIZED/,
  "identity/people/write-store": /iif\(\(j\.value ->> 'isVerified'\)/,
  "service/imports/batch-store": /UPDATE imports SET rows = NULL/,
  "service/moves": /FROM tenant_moves m WHERE m\.ended_at IS NULL/,
  "service/moves/clean-store": /DELETE FROM feed_entries WHERE \(tenant_id, position\) IN/,
  "service/moves/copy-pages-store": /FROM order_sequences WHERE tenant_id/,
  "service/moves/copy-versions-store": /FROM event_type_versions WHERE tenant_id/,
  "service/moves/fence-store": /UPDATE departed_tenants AS dt SET lapses_at = NULL/,
  "service/moves/copy-store": /SELECT e\.\* FROM subscriptions s CROSS JOIN episodes/,
  "tenancy/moves/fence-store": /INSERT INTO departed_tenants \(tenant_id, since\) SELECT/,
  "webhooks/subscriptions/mirror-store": /o\.version < j\.value/,
  "webhooks/resend/replays": /INSERT INTO replay_jobs/,
  "webhooks/resend/replays/outcome-store": /ended AS \(SELECT max\(status = 'success'\)/,
  "webhooks/plane/replay-id-store": /substr\(r\.id, 25\)/,
  "webhooks/resend/replays/page-store": /p\.tenant_id = \?/,
  "webhooks/resend/reopen-store": /'-7' \|\| substr\(lower/,
  "webhooks/resend/send-now-store": /a\.next_id AS nextAttemptId/,
  "webhooks/resend":
    /INSERT INTO events \(id, tenant_id, type, payload, long_bytes, long_payload, delivery_count, created_at,/,
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
  await useEveryStore();
  const missed = () =>
    Object.keys(OF_STORE).filter((store) => !collected().some((query) => OF_STORE[store]?.test(query)));
  // An alarm sweeps by itself.
  await eventually("a sweep", async () => missed().length === 0).catch(() => undefined);
  expect(missed()).toEqual([]);
}, 300_000);

test("a statement that joins the two planes is found", () => {
  const across = "SELECT * FROM tenants t JOIN subscriptions s ON s.tenant_id = t.id";
  const within = [
    "SELECT * FROM users u JOIN memberships m ON m.user_id = u.id",
    "INSERT INTO outbox SELECT * FROM events",
  ];
  expect(statementsAcrossPlanes([across, ...within])).toEqual([across]);
});
