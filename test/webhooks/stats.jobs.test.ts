/** Counts and latency per hour, which are updated together with the attempts. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import { releaseDeliveries } from "../../src/webhooks/delivery/release-store";
import { BUCKET_STARTS_MS, percentileMs } from "../../src/webhooks/plane/latency";
import { CLAIM_LEASE_MS } from "../../src/webhooks/plane/timing";
import { overviewOfTenant } from "../../src/webhooks/stats/summary";
import { call, type Person, signUp, signUpVerified } from "../support/client";
import { addDelivery, consumeBatch, giveUp, hourly, type Key, makeDue, messageFor, sweepNow } from "../support/engine";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const HOUR_MS = 3_600_000;
const db = (await createDeps(env, createExecutionContext())).shards.db(SHARD);

const get = (person: Person, path: string) => call("GET", path, { token: person.token });
const stats = async (person: Person, path: string) => (await get(person, path)).body.data;

/** Adds a delivery and makes its first attempt. */
async function deliverOnce(person: Person, webhookId: string): Promise<Key> {
  const key = await addDelivery(person, webhookId);
  await consumeBatch([messageFor(key)]);
  return key;
}

/** Creates a subscription with one attempt, and returns functions that age and count its rows in `hourly_stats`. */
async function counted(person: Person, behaviour: string) {
  const webhookId = await subscribe(person, newInbox(behaviour).url);
  await deliverOnce(person, webhookId);
  return {
    webhookId,
    age: (days: number) =>
      deliveryDb
        .prepare("UPDATE hourly_stats SET hour = hour - ? WHERE subscription_id = ?")
        .bind(days * 24 * HOUR_MS, webhookId)
        .run(),
    rows: () =>
      deliveryDb.prepare("SELECT count(*) AS n FROM hourly_stats WHERE subscription_id = ?").bind(webhookId).first("n"),
  };
}

/** Creates a subscription whose only delivery is claimed. */
async function held(person: Person) {
  const webhookId = await subscribe(person, newInbox("200").url);
  const key = await addDelivery(person, webhookId);
  const { claimed } = await claimDeliveries(db, { speed: "fast", claim: "holder" }, [key], Date.now());
  return { webhookId, claimed };
}

test("what a subscription holds is counted up to 10,000, so that a full lane costs no more to read", async () => {
  const person = await signUpVerified();
  const webhookId = await subscribe(person, newInbox("200").url, { delivery: { onPause: "hold" } });
  await call("POST", `/webhooks/${webhookId}/pause`, { token: person.token });
  await deliveryDb
    .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)
      INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
      SELECT s.id, ? + i, 'held ' || i, s.tenant_id, s.id, 'e', 'event', 1
        FROM n CROSS JOIN subscriptions s WHERE s.id = ?`)
    .bind(Date.now() + HOUR_MS, webhookId)
    .run();
  const tenant = { tenantId: person.tenantId, shard: SHARD };
  expect((await overviewOfTenant(await createDeps(env, createExecutionContext()), tenant, 1)).health.held).toBe(10_000);
  await deliveryDb.prepare("DELETE FROM outbox WHERE subscription_id = ?").bind(webhookId).run();
});

describe("counts", () => {
  test("contain each attempt once, for its subscription and for the tenant, in its hour", async () => {
    const person = await signUp();
    const good = await subscribe(person, newInbox("200").url);
    const bad = await subscribe(person, newInbox("500").url);
    await deliverOnce(person, good);
    await deliverOnce(person, good);
    const failed = await deliverOnce(person, bad);
    await consumeBatch([messageFor(await makeDue(failed))], "postern-deliveries-slow");
    expect(await stats(person, `/webhooks/${good}/stats`)).toMatchObject({
      success: 2,
      failed: 0,
      pending: 0,
      total: 2,
    });
    expect(await stats(person, `/webhooks/${bad}/stats`)).toMatchObject({
      success: 0,
      failed: 2,
      pending: 0,
      total: 2,
    });
    const whole = await stats(person, "/stats?hours=2");
    expect(whole).toMatchObject({ success: 2, failed: 2, pending: 0, total: 4 });
    expect(whole.hours).toHaveLength(2);
    const sum = (field: string) =>
      whole.hours.reduce((n: number, hour: Record<string, number>) => n + (hour[field] ?? 0), 0);
    expect([sum("success"), sum("failed")]).toEqual([2, 2]);
    expect(whole.p50Ms).toEqual(expect.any(Number));
    expect(await stats(await signUp(), "/stats")).toMatchObject({ total: 0, p50Ms: null, attention: [] });
  });

  test("have an entry for every hour, oldest first, with the current one last", async () => {
    const { hours } = await stats(await signUp(), "/stats");
    expect(hours).toHaveLength(24);
    const starts = hours.map(({ hour }: { hour: string }) => Date.parse(hour));
    expect(starts).toEqual(starts.map((_: number, index: number) => starts[0] + index * HOUR_MS));
    expect(Date.now() - starts[23]).toBeLessThan(HOUR_MS + 60_000);
    expect(starts[23] % HOUR_MS).toBe(0);
  });

  test("show an attempt in progress as pending, until it is released", async () => {
    const person = await signUp();
    const { webhookId, claimed } = await held(person);
    expect(await stats(person, "/stats?hours=2")).toMatchObject({ pending: 1, total: 1, success: 0 });
    expect(await stats(person, `/webhooks/${webhookId}/stats`)).toMatchObject({ pending: 1, total: 1 });
    const wait = { untilMs: Date.now() + 60_000, waitsFor: null, limits: null };
    await releaseDeliveries(
      db,
      "holder",
      claimed.map((delivery) => ({ ...delivery, wait })),
    );
    expect(await stats(person, "/stats?hours=2")).toMatchObject({ pending: 0, total: 0 });
  });

  test("show an attempt of a dead consumer as failed, without a latency", async () => {
    const person = await signUp();
    const { webhookId } = await held(person);
    await deliveryDb.batch(
      [
        "UPDATE attempts SET attempted_at = attempted_at - ?1 WHERE subscription_id = ?2",
        "UPDATE outbox SET due_at = due_at - ?1 WHERE subscription_id = ?2",
      ].map((statement) => deliveryDb.prepare(statement).bind(CLAIM_LEASE_MS, webhookId)),
    );
    await deliveryDb.prepare("UPDATE subscriptions SET is_deleted = 1 WHERE id = ?").bind(webhookId).run();
    await sweepNow();
    expect(await stats(person, "/stats?hours=2")).toMatchObject({ pending: 0, failed: 1, total: 1, p95Ms: null });
  });

  test("show an attempt that was not sent without a latency", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url, { enabled: false });
    await deliverOnce(person, id);
    expect(await stats(person, `/webhooks/${id}/stats`)).toMatchObject({ failed: 1, p50Ms: null, p95Ms: null });
  });

  test("of an hour older than RETENTION_DAYS are removed", async () => {
    const person = await signUp();
    const { webhookId, age, rows } = await counted(person, "200");
    await age(29);
    await hourly();
    expect(await rows()).toBe(1);
    await age(2);
    await hourly();
    expect(await rows()).toBe(0);
    expect(await stats(person, `/webhooks/${webhookId}/metrics`)).toMatchObject({ total: 0 });
  });

  test("of failures since the last success are kept longer than the counts of their hour", async () => {
    const person = await signUp();
    const { webhookId, age } = await counted(person, "500");
    await giveUp(webhookId);
    await age(31);
    await hourly();
    expect((await get(person, `/webhooks/${webhookId}`)).body.data.failureCount).toBe(1);
    expect(await stats(person, `/webhooks/${webhookId}/metrics`)).toMatchObject({ total: 0 });
    await deliverOnce(person, webhookId);
    await giveUp(webhookId);
    await hourly();
    expect((await get(person, `/webhooks/${webhookId}`)).body.data.failureCount).toBe(2);
    expect(await stats(person, `/webhooks/${webhookId}/metrics`)).toMatchObject({ total: 1, failed: 1 });
  });
});

describe("latency", () => {
  test("is measured from the start of the send, as in the log, not from the claim", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("slow-300").url);
    const keys = await Promise.all(Array.from({ length: 12 }, () => addDelivery(person, id)));
    await consumeBatch([messageFor(...keys)]);
    // Where answers are slow, the run passes some deliveries on to other invocations.
    const data = await endedAttempts(person, id, 12);
    const starts = new Set<string>(data.map(({ attemptedAt }: { attemptedAt: string }) => attemptedAt));
    expect(data).toHaveLength(12);
    expect(starts.size).toBeGreaterThan(1);
    const { lastTriggeredAt } = (await get(person, `/webhooks/${id}`)).body.data;
    expect(lastTriggeredAt).toBe([...starts].sort().at(-1));
    expect((await stats(person, `/webhooks/${id}/stats`)).p50Ms).toBeGreaterThanOrEqual(250);
  });

  test("has percentiles that assume an even spread within a bucket", () => {
    const histogram = (counts: Record<number, number>) => BUCKET_STARTS_MS.map((startMs) => counts[startMs] ?? 0);
    expect(percentileMs(histogram({}), 0.5)).toBeNull();
    expect(percentileMs(histogram({ 50: 10 }), 0.5)).toBe(75);
    expect(percentileMs(histogram({ 50: 10, 1000: 10 }), 0.5)).toBe(100);
    expect(percentileMs(histogram({ 50: 90, 1000: 10 }), 0.95)).toBe(1750);
    expect(percentileMs(histogram({ 10000: 1 }), 0.5)).toBe(10_000);
  });
});

describe("attention", () => {
  test("lists failing subscriptions with their last error, then slow ones, then paused ones, but no healthy or deleted ones", async () => {
    const person = await signUp();
    const make = (name: string, behaviour: string, fields = {}) =>
      subscribe(person, newInbox(behaviour).url, { name, ...fields });
    const [healthy, failing, slow, deleted] = [
      await make("healthy", "200"),
      await make("failing", "500"),
      await make("slow", "200"),
      await make("deleted", "500"),
    ];
    await make("paused", "200", { enabled: false });
    for (const id of [healthy, failing, deleted]) await deliverOnce(person, id);
    await deliveryDb.prepare("UPDATE subscriptions SET slow_until = 9e15 WHERE id = ?").bind(slow).run();
    await deliveryDb.prepare("UPDATE subscriptions SET slow_until = 1 WHERE id = ?").bind(healthy).run();
    await call("DELETE", `/webhooks/${deleted}`, { token: person.token });
    expect((await stats(person, "/stats")).attention).toMatchObject([
      { webhookId: failing, name: "failing", reason: "failing", failureCount: 1, error: "status 500", enabled: true },
      { name: "slow", reason: "slow", failureCount: 0 },
      { name: "paused", reason: "paused", enabled: false },
    ]);
    await deliveryDb.prepare("UPDATE subscriptions SET url = ? WHERE id = ?").bind(newInbox("200").url, failing).run();
    await deliverOnce(person, failing);
    expect((await stats(person, "/stats")).attention).toHaveLength(2);
  });

  test("lists at most 20 subscriptions", async () => {
    const person = await signUpVerified();
    for (let made = 0; made < 22; made += 1) await subscribe(person, newInbox("200").url, { enabled: false });
    expect((await stats(person, "/stats")).attention).toHaveLength(20);
  });
});

describe("the number of hours", () => {
  test.each(["0", "169", "-1", "1.5", "x", "", "24&hours=24", "1e3"])("hours=%s is refused", async (hours) => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    for (const path of ["/stats", `/webhooks/${id}/stats`]) {
      const { status, body } = await get(person, `${path}?hours=${hours}`);
      expect([status, body.code, body.details[0].path]).toEqual([400, "VALIDATION_FAILED", "hours"]);
    }
  });

  test("can be 168", async () => {
    expect((await stats(await signUp(), "/stats?hours=168")).hours).toHaveLength(168);
  });
});
