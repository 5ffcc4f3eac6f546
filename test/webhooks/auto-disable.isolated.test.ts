/** A subscription that fails for days is disabled, and its managers are told before, then, and when it works again. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { reviewFailing } from "../../src/webhooks/auto-disable/review";
import { STAGE } from "../../src/webhooks/plane/stages";
import { call, eventually, logIn, type Person, signUpVerified } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { addDelivery, consumeBatch, messageFor } from "../support/engine";
import { answerWith, attempt, episodeOf, pass, review } from "../support/failing";
import { mailsTo } from "../support/mailbox";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

/** A person with a subscription whose subscriber answers 500. */
async function failing(fields: Record<string, unknown> = {}) {
  const person = await signUpVerified();
  const webhookId = await subscribe(person, newInbox("500").url, { name: "Orders", ...fields });
  return { person, webhookId };
}

async function resourceOf(person: Person, webhookId: string) {
  const { token } = await logIn(person);
  return (await call("GET", `/webhooks/${webhookId}`, { token })).body.data;
}

const alerts = (person: Person) => mailsTo(person.email).filter(({ text }) => text.includes("/alerts"));
const subjects = (person: Person) => alerts(person).map(({ subject }) => subject);
const told = (person: Person, count: number) =>
  eventually(`${count} alerts`, async () => subjects(person).length >= count && subjects(person));

describe("a failing period", () => {
  test("of 120 hours: told after an hour, warned a day before, disabled, enabled again, told of the first success", async () => {
    const { person, webhookId } = await failing();
    const startMs = Date.now();
    await attempt(person, webhookId, 10);
    await review();
    expect(subjects(person)).toEqual([]);
    pass(61 * MINUTE_MS);
    await review();
    await told(person, 1);
    pass(60 * HOUR_MS);
    await attempt(person, webhookId, 10);
    await review();
    pass(35 * HOUR_MS);
    await review();
    await told(person, 2);
    expect(await resourceOf(person, webhookId)).toMatchObject({ enabled: true });
    pass(24 * HOUR_MS);
    await review();
    await told(person, 3);
    expect(await resourceOf(person, webhookId)).toMatchObject({
      enabled: false,
      disabled: { reason: "failing", at: new Date().toISOString() },
    });
    const { disabled } = await resourceOf(person, webhookId);
    expect(Math.abs(Date.parse(disabled.failingSince) - startMs)).toBeLessThan(1_000);
    const { token } = await logIn(person);
    const published = await call("POST", "/events", { token, body: { type: "OrderPaid", payload: 1 } });
    expect(published.body.data.deliveries).toBe(0);
    await call("POST", `/webhooks/${webhookId}/resume`, { token });
    expect(await resourceOf(person, webhookId)).not.toHaveProperty("disabled");
    pass(2 * HOUR_MS);
    await review();
    await answerWith(webhookId, "200");
    await attempt(person, webhookId, 1);
    await review();
    const [, atRisk = ""] = await told(person, 4);
    expect(subjects(person)).toEqual(['"Orders" is failing', atRisk, '"Orders" was disabled', '"Orders" works again']);
    expect(atRisk).toMatch(/^"Orders" will be disabled on \d+ \w+ \d{4} at \d\d:\d\d UTC$/);
    pass(2 * HOUR_MS);
    await review();
    expect(await episodeOf(webhookId)).toBeNull();
    expect(subjects(person)).toHaveLength(4);
  });

  test("with a success at hour 119 begins anew", async () => {
    const { person, webhookId } = await failing();
    await attempt(person, webhookId, 20);
    pass(97 * HOUR_MS);
    await review();
    pass(22 * HOUR_MS);
    await answerWith(webhookId, "200");
    await attempt(person, webhookId, 1);
    await answerWith(webhookId, "500");
    await attempt(person, webhookId, 20);
    await review();
    pass(2 * HOUR_MS);
    await review();
    expect(await resourceOf(person, webhookId)).toMatchObject({ enabled: true, failureCount: 20 });
    pass(117 * HOUR_MS);
    await review();
    expect((await resourceOf(person, webhookId)).enabled).toBe(true);
    pass(2 * HOUR_MS);
    await review();
    expect((await resourceOf(person, webhookId)).enabled).toBe(false);
  });

  test("that a user pauses and enables at hour 119 begins anew, with the first failure after that", async () => {
    const { person, webhookId } = await failing();
    await attempt(person, webhookId, 20);
    pass(119 * HOUR_MS);
    const { token } = await logIn(person);
    await call("POST", `/webhooks/${webhookId}/pause`, { token });
    await call("POST", `/webhooks/${webhookId}/resume`, { token });
    pass(10 * HOUR_MS);
    await attempt(person, webhookId, 19);
    const sinceMs = Date.now();
    pass(119 * HOUR_MS);
    await review();
    expect((await resourceOf(person, webhookId)).enabled).toBe(true);
    await attempt(person, webhookId, 1);
    pass(2 * HOUR_MS);
    await review();
    const { enabled, disabled } = await resourceOf(person, webhookId);
    expect(enabled).toBe(false);
    expect(Math.abs(Date.parse(disabled.failingSince) - sinceMs)).toBeLessThan(1_000);
  });

  test("that is paused stands still", async () => {
    const { person, webhookId } = await failing();
    await attempt(person, webhookId, 20);
    const { token } = await logIn(person);
    await call("POST", `/webhooks/${webhookId}/pause`, { token });
    pass(200 * HOUR_MS);
    await review();
    expect(await resourceOf(person, webhookId)).not.toHaveProperty("disabled");
    expect(subjects(person)).toEqual([]);
  });
});

describe("not disabled", () => {
  test.each([
    ["after 19 failures", {}, 19, {}],
    ["with autoDisable false", { delivery: { autoDisable: false } }, 20, {}],
    ["before its own hours", { delivery: { autoDisable: { afterHours: 720 } } }, 20, {}],
    ["where the deployment says so", {}, 20, { AUTO_DISABLE_HOURS: "false" }],
  ])("%s", async (_what, fields, failures, settings) => {
    const { person, webhookId } = await failing(fields);
    await attempt(person, webhookId, failures);
    pass(300 * HOUR_MS);
    await review(settings);
    expect((await resourceOf(person, webhookId)).enabled).toBe(true);
  });

  test.each(["paused", "blocked"])("for attempts that were not sent: %s", async (why) => {
    const { person, webhookId } = await failing();
    const change = why === "paused" ? "enabled = 0" : "url = 'http://user:password@receiver.example/'";
    await deliveryDb.prepare(`UPDATE subscriptions SET ${change} WHERE id = ?`).bind(webhookId).run();
    await attempt(person, webhookId, 25);
    await deliveryDb.prepare("UPDATE subscriptions SET enabled = 1 WHERE id = ?").bind(webhookId).run();
    expect((await resourceOf(person, webhookId)).failureCount).toBe(25);
    expect(await episodeOf(webhookId)).toBeNull();
  });
});

test("its own hours can be shorter, and the mail says when", async () => {
  const { person, webhookId } = await failing({ delivery: { autoDisable: { afterHours: 24 } } });
  await attempt(person, webhookId, 20);
  pass(2 * HOUR_MS);
  await review();
  expect(await told(person, 1)).toEqual([expect.stringContaining('"Orders" will be disabled on')]);
  pass(23 * HOUR_MS);
  await review();
  expect((await resourceOf(person, webhookId)).disabled.reason).toBe("failing");
});

test.each([{ afterHours: 23 }, { afterHours: 721 }, { afterHours: 24.5 }, {}, true, { afterHours: 24, more: 1 }])(
  "autoDisable %j is refused",
  async (autoDisable) => {
    const { person, webhookId } = await failing();
    const answer = await call("PATCH", `/webhooks/${webhookId}`, {
      token: person.token,
      body: { delivery: { autoDisable } },
    });
    expect(answer.status).toBe(400);
  },
);

test("autoDisable is shown once it is set, false included, and null takes it back", async () => {
  const { person, webhookId } = await failing();
  const patch = async (autoDisable: unknown) => {
    const body = { delivery: { autoDisable } };
    return (await call("PATCH", `/webhooks/${webhookId}`, { token: person.token, body })).body.data;
  };
  expect((await patch(false)).delivery).toEqual({ autoDisable: false });
  expect((await patch({ afterHours: 48 })).delivery).toEqual({ autoDisable: { afterHours: 48 } });
  expect(await patch(null)).not.toHaveProperty("delivery");
});

describe("the rows of a failing period", () => {
  const changes = async (work: () => Promise<void>) => {
    const counted = () => deliveryDb.prepare("SELECT count(*) AS n FROM episodes").first<number>("n");
    const before = await counted();
    await work();
    return ((await counted()) ?? 0) - (before ?? 0);
  };

  test("are one, from the tenth failure until the next success", async () => {
    const { person, webhookId } = await failing();
    expect(await changes(() => attempt(person, webhookId, 9))).toBe(0);
    expect(await changes(() => attempt(person, webhookId, 1))).toBe(1);
    expect(await changes(() => attempt(person, webhookId, 5))).toBe(0);
    await answerWith(webhookId, "200");
    await attempt(person, webhookId, 1);
    expect(await changes(() => review())).toBe(-1);
    expect(subjects(person)).toEqual([]);
  });

  test("are removed with the subscription", async () => {
    const { person, webhookId } = await failing();
    await attempt(person, webhookId, 10);
    await call("DELETE", `/webhooks/${webhookId}`, { token: person.token });
    await review();
    expect(await episodeOf(webhookId)).toBeNull();
  });
});

test("a URL that is gone disables at once, with a mail and the start of the failures", async () => {
  const person = await signUpVerified();
  const options = { delivery: { retry: { onGone: "disable" } } };
  const webhookId = await subscribe(person, newInbox("410").url, { name: "Orders", ...options });
  const startMs = Date.now();
  for (const waitMs of [0, 61_000]) {
    pass(waitMs);
    await consumeBatch([messageFor(await addDelivery(person, webhookId))]);
  }
  await review();
  expect(await told(person, 1)).toEqual(['"Orders" was disabled']);
  expect(alerts(person)[0]?.text).toContain("410 (Gone)");
  const { disabled } = await resourceOf(person, webhookId);
  expect(disabled.reason).toBe("gone");
  expect(Math.abs(Date.parse(disabled.failingSince) - startMs)).toBeLessThan(1_000);
});

test("1,200 subscriptions of one tenant that fail are reviewed 500 at a time, and their tenant gets one mail", async () => {
  const { person } = await failing();
  const pages: string[] = [];
  const { deps } = await controlledDeps(async (name, call) => {
    if (name === "reviewPage") pages.push(name);
    return call();
  });
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
         INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
           updated_at)
         SELECT printf('many-%05d', i), ?, 'Many', 'https://many.example/', '[]', '', '', 1, 0, 0 FROM n`,
      )
      .bind(person.tenantId),
    deliveryDb.prepare(
      `INSERT INTO hourly_stats (subscription_id, hour, failing_since, sent_failures) SELECT id, 0, 1, 20
       FROM subscriptions WHERE id LIKE 'many-%'`,
    ),
    deliveryDb.prepare(
      `INSERT INTO episodes (subscription_id, tenant_id, failing_since)
       SELECT id, tenant_id, 1 FROM subscriptions WHERE id LIKE 'many-%'`,
    ),
  ]);
  for (let cursor: string | null = ""; cursor !== null; ) {
    let steps = 0;
    cursor = await reviewFailing(deps, SHARD, cursor, () => steps++ > 1);
  }
  const { results } = await deliveryDb
    .prepare("SELECT stage, count(*) AS n FROM episodes WHERE subscription_id LIKE 'many-%' GROUP BY stage")
    .all();
  expect(results).toEqual([{ stage: STAGE.disabled, n: 1_200 }]);
  expect(pages.length).toBeGreaterThanOrEqual(3);
  expect(pages.length).toBeLessThan(6);
  await told(person, 1);
  await deliveryDb.batch(
    ["episodes", "hourly_stats"].map((table) =>
      deliveryDb.prepare(`DELETE FROM ${table} WHERE subscription_id LIKE 'many-%'`),
    ),
  );
  await deliveryDb.prepare("DELETE FROM subscriptions WHERE id LIKE 'many-%'").run();
});
