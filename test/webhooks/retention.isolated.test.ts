/** Retention removes old rows, keeps young rows and events with open deliveries, and keeps the counts correct. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { atomically } from "../../src/platform/db/client";
import { firstIdAt } from "../../src/platform/db/ids";
import { Pages } from "../../src/platform/db/unhurried";
import { createDeps } from "../../src/platform/deps";
import { removeOld } from "../../src/webhooks/delivery/retention";
import { deleteOldAttempts, deleteOldEvents } from "../../src/webhooks/delivery/retention-store";
import { call, type Person, signUp } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { hourly } from "../support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS_40_AGO = Date.now() - 40 * DAY_MS;

/** Returns SQL that moves an id into the past. The first characters of an id are its time. */
const agedId = (column: string, days: number) => `'${firstIdAt(Date.now() - days * DAY_MS)}' || substr(${column}, 14)`;

/** Moves all rows of a tenant into the past. */
async function age(person: Person, days: number): Promise<void> {
  const own = "(SELECT id FROM subscriptions WHERE tenant_id = ?1)";
  await deliveryDb.batch(
    [
      `UPDATE attempts SET id = ${agedId("id", days)}, event_id = ${agedId("event_id", days)}, attempted_at = attempted_at - ${days * DAY_MS}
        WHERE subscription_id IN ${own}`,
      `UPDATE outbox SET event_id = ${agedId("event_id", days)} WHERE tenant_id = ?1`,
      `UPDATE events SET id = ${agedId("id", days)}, created_at = created_at - ${days * DAY_MS} WHERE tenant_id = ?1`,
      `UPDATE hourly_stats SET hour = hour - ${days * DAY_MS} WHERE subscription_id IN ${own}`,
      `UPDATE subscriptions SET updated_at = updated_at - ${days * DAY_MS} WHERE tenant_id = ?1`,
    ].map((statement) => deliveryDb.prepare(statement).bind(person.tenantId)),
  );
}

/** Adds attempts and as many events that are forty days old. */
async function addOld(person: Person, webhookId: string, count: number): Promise<void> {
  const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const old = firstIdAt(DAYS_40_AGO);
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count, attempted_at)
         ${many} SELECT ?1, '${old}-7000-8000-' || printf('%012x', i), '${old}-7', 'T', 'event', 'success', 1, ${DAYS_40_AGO} FROM n`,
      )
      .bind(webhookId),
    deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
         ${many} SELECT '${old}-7000-8000-' || printf('%012x', i), ?1, 'T', '1', 0, ${DAYS_40_AGO} FROM n`,
      )
      .bind(person.tenantId),
  ]);
}

async function rowsOf(person: Person, webhookId: string) {
  const attempts = await deliveryDb
    .prepare("SELECT count(*) AS n FROM attempts WHERE subscription_id = ?")
    .bind(webhookId)
    .first("n");
  const events = await deliveryDb
    .prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?")
    .bind(person.tenantId)
    .first("n");
  return [attempts, events];
}

const metrics = async (person: Person, id: string) =>
  (await call("GET", `/webhooks/${id}/metrics`, { token: person.token })).body.data;

describe("retention", () => {
  test("removes rows older than RETENTION_DAYS, keeps younger ones, and metrics count those that are left", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    for (let n = 1; n <= 3; n += 1) {
      await publish(person, n);
      await endedAttempts(person, id, n);
    }
    await age(person, 29);
    await hourly();
    expect(await rowsOf(person, id)).toEqual([3, 3]);
    await age(person, 32);
    await publish(person, "young");
    await endedAttempts(person, id, 4);
    expect(await metrics(person, id)).toEqual({ total: 4, success: 4, failed: 0, pending: 0 });
    await hourly();
    expect(await rowsOf(person, id)).toEqual([1, 1]);
    expect(await metrics(person, id)).toEqual({ total: 1, success: 1, failed: 0, pending: 0 });
  });

  test("keeps an event until its deliveries have ended", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("500").url);
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    await age(person, 40);
    await hourly();
    expect(await rowsOf(person, id)).toEqual([0, 1]);
    await deliveryDb.prepare("DELETE FROM outbox WHERE tenant_id = ?").bind(person.tenantId).run();
    await hourly();
    expect(await rowsOf(person, id)).toEqual([0, 0]);
  });

  test("removes more than one page in a run, and is not stopped by rows that must stay", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await addOld(person, id, 6_000);
    await deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, claim, attempt_count, attempted_at)
         VALUES (?1, '${firstIdAt(DAYS_40_AGO)}-6', '${firstIdAt(DAYS_40_AGO)}-7', 'T', 'event', 'pending', 'c', 1, ${DAYS_40_AGO})`,
      )
      .bind(id)
      .run();
    await hourly();
    expect(await rowsOf(person, id)).toEqual([1, 0]);
  });

  test("takes the tables in turns and repeats a page whose answer was lost, so that events go even if the time ends with many attempts left", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await addOld(person, id, 1_001);
    const calls: string[] = [];
    const { deps, turn } = await controlledDeps(async (name, page) => {
      const isFirst = !calls.includes(name);
      calls.push(name);
      const answer = await page();
      if (isFirst) throw new Error("D1_ERROR: Network connection lost.");
      turn(2 * MINUTE_MS);
      return answer;
    });
    await removeOld({ ...deps, shards: { ...deps.shards, numbers: [SHARD] } });
    const turns = ["deleteOldAttempts", "deleteOldEvents", "deleteOldHours", "deleteOldKeys"];
    expect(calls).toEqual(turns.flatMap((name) => [name, name]));
    expect(await rowsOf(person, id)).toEqual([1, 1]);
  });

  test("stops when its D1 calls are spent, of which each database has its share, and the next run goes on", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    // Without what other tests have left.
    await hourly();
    await addOld(person, id, 2_001);
    const calls: string[] = [];
    const { deps } = await controlledDeps((name, page) => {
      calls.push(name);
      deps.trips.trips += 50;
      return page();
    });
    await removeOld(deps);
    const turns = ["deleteOldAttempts", "deleteOldEvents", "deleteOldHours", "deleteOldKeys"];
    expect(calls).toEqual(deps.shards.numbers.flatMap(() => turns));
    const [attempts = 0, events = 0] = await rowsOf(person, id);
    expect([attempts, events].every((count) => Number(count) > 0)).toBe(true);
    await hourly();
    expect(await rowsOf(person, id)).toEqual([0, 0]);
  });

  test("gives the next page more rows when D1 worked briefly at a page, and fewer when it worked long, within bounds", async () => {
    const trips = { trips: 0, sqlMs: 0 };
    const pages = new Pages({ now: () => 0, trips });
    const sizes: number[] = [];
    for (const sqlMs of [0, 0, 0, 5, ...Array(7).fill(50)]) {
      await pages.next(async (rows) => {
        sizes.push(rows);
        trips.sqlMs += sqlMs;
      });
    }
    expect(sizes).toEqual([500, 1_000, 2_000, 2_000, 2_000, 1_000, 500, 250, 125, 100, 100]);
  });

  test("knows how long D1 worked at a page", async () => {
    const { shards, trips } = await createDeps(env, createExecutionContext());
    const slow = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i) FROM n`;
    await atomically(shards.db(SHARD), { slow });
    expect(trips.sqlMs).toBeGreaterThan(0);
  });

  test("removes nothing when nothing is old", async () => {
    const db = (await createDeps(env, createExecutionContext())).shards.db(SHARD);
    expect(await deleteOldAttempts(db, DAYS_40_AGO, "", 100)).toMatchObject({ removed: 0 });
    expect(await deleteOldEvents(db, 0, 100)).toBe(0);
  });

  test("keeps the failure count of a subscription that had no attempts for longer than RETENTION_DAYS", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await deliveryDb
      .prepare(
        "INSERT INTO hourly_stats (subscription_id, hour, failed, failure_count) VALUES (?1, ?2, 3, 7), (?1, ?3, 1, 4)",
      )
      .bind(id, DAYS_40_AGO, DAYS_40_AGO - 3_600_000)
      .run();
    await hourly();
    const webhook = await call("GET", `/webhooks/${id}`, { token: person.token });
    expect(webhook.body.data.failureCount).toBe(7);
    expect(await metrics(person, id)).toMatchObject({ total: 0, failed: 0 });
  });

  test("removes a deleted subscription after its log; its secret is erased at once", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    await call("DELETE", `/webhooks/${id}`, { token: person.token });
    const row = () =>
      deliveryDb.prepare("SELECT secret_sealed, secret_digest FROM subscriptions WHERE id = ?").bind(id).first();
    expect(await row()).toEqual({ secret_sealed: "", secret_digest: "" });
    await hourly();
    expect(await row()).not.toBeNull();
    await age(person, 40);
    await hourly();
    expect(await row()).toBeNull();
  });
});
