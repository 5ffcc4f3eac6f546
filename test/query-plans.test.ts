/** Every statement of the suite is explained at the end of its file (setup.ts); here: that none is missed, and that a scan is seen. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, logIn, signUp } from "./support/client";
import { holding } from "./support/console";
import { hourly } from "./support/engine";
import { mailTo } from "./support/mailbox";
import { badPlans, collected } from "./support/query-plans";
import { endedAttempts, newInbox, subscribe } from "./support/receiver";

test.each([
  ["a table", "SELECT payload FROM events WHERE type = ?"],
  [
    "a table behind an alias",
    "SELECT 1 FROM subscriptions s JOIN events e ON e.tenant_id = s.tenant_id WHERE s.id = ?",
  ],
  ["a whole index", "SELECT id FROM sessions ORDER BY expires_at"],
  ["a whole partial index", "SELECT subscription_id FROM deliveries WHERE kind = 'retry' AND due_at IS NOT NULL"],
  [
    "a table in a subquery of a write",
    "DELETE FROM attempts WHERE rowid IN (SELECT rowid FROM attempts WHERE status = ? LIMIT 1)",
  ],
  ["a table that SQLite makes an index for", "SELECT 1 FROM json_each(?) j CROSS JOIN users u ON u.name = j.value"],
])("a full scan is seen: %s", async (_what, query) => {
  expect(await badPlans(env.DB, [query])).toHaveLength(1);
});

test.each([
  ["by key", "SELECT payload FROM events WHERE id = ?"],
  ["by the keys of a list", "SELECT 1 FROM deliveries WHERE id IN (SELECT value FROM json_each(?))"],
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
  attempts: /WITH RECURSIVE chain/,
  auth: /INSERT INTO users/,
  "console/events": /CROSS JOIN deliveries d ON d\.id >= substr/,
  "console/subscriptions": /instr\(lower\(name\)/,
  delivery: /INSERT INTO attempts/,
  "delivery/retention-store": /DELETE FROM attempts/,
  events: /INSERT INTO events .* ON CONFLICT DO NOTHING/s,
  invitations: /INSERT INTO invitations/,
  members: /from "memberships" inner join "users"/,
  recovery: /INSERT INTO email_tokens .*'reset'/s,
  rekey: /AS encrypted FROM "users"/,
  stats: /INDEXED BY subscriptions_to_watch/,
  "stats/hours-store": /INSERT INTO hourly_stats/,
  sessions: /UPDATE sessions SET generation/,
  "tenants/roles-store": /json_each\(json_extract\(/,
  "tenants/verified-store": /om\.role = 'owner'/,
  "two-factor": /update "users" set "totp_secret_sealed"/,
  subscriptions: /insert into "subscriptions"/,
  redelivery: /INSERT INTO deliveries .*'test'/s,
};

test("statements of every store are collected, from requests, RPC, queue consumers and cron", async () => {
  const stores = Object.keys(
    import.meta.glob(["../src/**/store.ts", "../src/**/*-store.ts", "!../src/client/**"], {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  );
  const nameOf = (path: string) => path.slice("../src/".length).replace(/\/store\.ts$|\.ts$/, "");
  expect(stores.map(nameOf).sort()).toEqual(Object.keys(OF_STORE).sort());
  const person = await logIn(await signUp());
  const { token } = person;
  const id = await subscribe(person, newInbox("200").url);
  const event = { tenantId: person.tenantId, publication: { type: "OrderPaid", payload: 1 }, idempotencyKey: null };
  await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body: JSON.stringify(event) });
  const [attempt] = await endedAttempts(person, id, 1);
  await call("GET", `/webhooks/${id}/attempts/${attempt._id}`, { token });
  await call("POST", `/webhooks/${id}/test`, { token });
  await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
  await call("POST", "/auth/forgot-password", { body: { email: person.email } });
  await mailTo(person.email, /reset/i);
  await call("POST", "/auth/2fa/enable", { token });
  await call("POST", "/api-keys", { token, body: { name: "key", scopes: ["webhook.read"] } });
  await call("POST", "/invitations", { token, body: { email: "new@example.com", role: "viewer" } });
  await call("GET", "/members", { token });
  await call("PATCH", `/members/${person.userId}`, { token, body: { role: "viewer" } });
  await hourly({ SECRET_KEYS: `a-newer-secret-key-with-at-least-32-characters,${env.SECRET_KEYS}` });
  await call("GET", "/stats", { token });
  const browser = await holding(person);
  await browser.get("/webhooks");
  await browser.get(`/events/${id}`);
  const missed = Object.entries(OF_STORE).filter(([, pattern]) => !collected().some((query) => pattern.test(query)));
  expect(missed).toEqual([]);
});
