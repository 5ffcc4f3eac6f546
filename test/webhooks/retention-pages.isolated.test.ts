/** How retention divides its work into pages, and never holds up a database. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { atomically } from "../../src/base/db/client";
import { firstIdAt } from "../../src/base/db/ids";
import { MaintenancePages, pauseAfter } from "../../src/base/db/paged-maintenance";
import { createDeps } from "../../src/base/deps";
import type { PagedMaintenance } from "../../src/base/maintenance";
import { removeOldAttempts, removeOldEvents, removeOldKeys } from "../../src/webhooks/retention/remove";
import { signUp } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { hourly } from "../support/engine";
import { newInbox, subscribe } from "../support/receiver";
import { addOld, addSubscriptions, DAYS_40_AGO, rowsOf } from "../support/retention";
import { reading } from "../support/rows-read";
import { deliveryDb, SHARD } from "../support/shard";
import { maintain, unpaused } from "../support/upkeep";

/** Does a piece of work in the delivery database. Returns how many rows each of its calls has read. */
async function rowsReadBy(work: PagedMaintenance): Promise<number[]> {
  const { database, rowsRead } = reading(deliveryDb);
  const deps = await createDeps({ ...env, [SHARD === 0 ? "DB" : "SHARD_1"]: database }, createExecutionContext());
  await maintain({ ...deps, shards: { ...deps.shards, numbers: [SHARD] } }, work);
  return rowsRead;
}

describe("retention", () => {
  test("removes more than one page in a run, and is not stopped by rows that must stay", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await addOld(person, id, 6_000);
    await deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, claim, attempt_count,
          attempted_at)
         VALUES (?1, '${firstIdAt(DAYS_40_AGO)}-6', '${firstIdAt(DAYS_40_AGO)}-7', 'T', 'event', 'pending', 'c', 1,
           ${DAYS_40_AGO})`,
      )
      .bind(id)
      .run();
    await hourly();
    expect(await rowsOf(person, id)).toEqual([1, 0]);
  });

  test("repeats a page whose answer was lost", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await addOld(person, id, 1_001);
    const calls: string[] = [];
    const { deps } = await controlledDeps(async (name, page) => {
      const isFirst = !calls.includes(name);
      calls.push(name);
      const answer = await page();
      if (isFirst) throw new Error("D1_ERROR: Network connection lost.");
      return answer;
    });
    await maintain({ ...deps, shards: { ...deps.shards, numbers: [SHARD] } }, removeOldAttempts);
    expect(calls.slice(0, 2)).toEqual(["deleteOldAttempts", "deleteOldAttempts"]);
    expect(await rowsOf(person, id)).toEqual([0, 1_001]);
    await hourly();
  });

  test("reaches the last of 100,000 subscriptions in many short turns, because each goes on where it was", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await addSubscriptions(person, id, 100_000);
    const lastId = `f${id.slice(1)}`;
    await addOld(person, lastId, 3);
    const deps = unpaused(await createDeps(env, createExecutionContext()));
    let turns = 0;
    for (let cursor: string | null = ""; cursor !== null; turns += 1) {
      let pages = 0;
      cursor = await removeOldAttempts(deps, SHARD, cursor, () => pages++ >= 10);
    }
    expect(turns).toBeGreaterThan(5);
    expect((await rowsOf(person, lastId))[0]).toBe(0);
    await deliveryDb
      .prepare("DELETE FROM subscriptions WHERE tenant_id = ? AND id <> ?")
      .bind(person.tenantId, id)
      .run();
    await hourly();
  });

  test("reads the outbox once a run, however many pages of events there are", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await addOld(person, id, 6_000);
    await deliveryDb
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
         SELECT ?1, 9e15, 'waiting-' || i, ?2, ?1, (SELECT max(id) FROM events WHERE tenant_id = ?2), 'event', 1
           FROM n`,
      )
      .bind(id, person.tenantId)
      .run();
    const rowsRead = await rowsReadBy(removeOldEvents);
    // The newest of the old events is owed.
    expect((await rowsOf(person, id))[1]).toBe(1);
    const [first = 0, ...pages] = rowsRead;
    expect(first).toBeGreaterThanOrEqual(20_000);
    expect(pages.length).toBeGreaterThan(3);
    // D1 counts six rows for each event that a page examines and deletes, and none of the outbox.
    expect(pages.reduce((sum, count) => sum + count, 0)).toBeLessThan(7 * 6_000);
    await deliveryDb.prepare("DELETE FROM outbox WHERE queue = ?").bind(id).run();
    await hourly();
  });

  test("reaches the events after thousands that have an open delivery", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await addOld(person, id, 2_600);
    await deliveryDb
      .prepare(
        `INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
         SELECT ?1, 9e15, 'owed-' || id, ?2, ?1, id, 'event', 1 FROM events WHERE tenant_id = ?2
          ORDER BY id LIMIT 2500`,
      )
      .bind(id, person.tenantId)
      .run();
    await hourly();
    expect(await rowsOf(person, id)).toEqual([0, 2_500]);
    await deliveryDb.prepare("DELETE FROM outbox WHERE queue = ?").bind(id).run();
    await hourly();
    expect(await rowsOf(person, id)).toEqual([0, 0]);
  });

  test("reads a bounded part of the idempotency keys in each page, however many there are, and removes the old ones", async () => {
    const person = await signUp();
    await deliveryDb
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO idempotency_keys (tenant_id, key, event_id, request_hash, created_at)
         SELECT ?1, 'key-' || i, 'e', 'h', iif(i % 2000 = 0, ?2, ?3) FROM n`,
      )
      .bind(person.tenantId, DAYS_40_AGO, Date.now())
      .run();
    const rowsRead = await rowsReadBy(removeOldKeys);
    // A page examines at most 1,000 rows, in two statements.
    expect(Math.max(...rowsRead)).toBeLessThan(3 * 1_000);
    const counted = deliveryDb.prepare(
      `SELECT count(*) AS kept, count(*) FILTER (WHERE created_at < ?2) AS old
        FROM idempotency_keys WHERE tenant_id = ?1`,
    );
    expect(await counted.bind(person.tenantId, DAYS_40_AGO + 1).first()).toEqual({ kept: 19_990, old: 0 });
    await deliveryDb.prepare("DELETE FROM idempotency_keys WHERE tenant_id = ?").bind(person.tenantId).run();
  });

  test("gives the next page more rows when D1 worked briefly at a page, and fewer when it worked long, within bounds", async () => {
    const trips = { trips: 0, sqlMs: 0, rowsWritten: 0 };
    const pages = new MaintenancePages({ now: () => 0, wait: async () => {}, trips });
    const sizes: number[] = [];
    for (const sqlMs of [0, 0, 0, 2, ...Array(7).fill(50)]) {
      await pages.next(async (rows) => {
        sizes.push(rows);
        trips.sqlMs += sqlMs;
      });
    }
    expect(sizes).toEqual([200, 400, 800, 1_000, 1_000, 500, 250, 125, 62, 50, 50]);
  });

  test("leaves a database to others after a page: at most 2,000 rows are written in a second", async () => {
    const { shards, trips } = await createDeps(env, createExecutionContext());
    await atomically(shards.db(SHARD), {
      written: sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
        INSERT INTO departed_tenants (tenant_id, since) SELECT 'nobody' || i, 1 FROM n`,
      removed: sql`DELETE FROM departed_tenants WHERE tenant_id >= 'nobody' AND tenant_id < 'nobodz'`,
    });
    expect(trips.rowsWritten).toBe(20);
    expect(pauseAfter({ tookMs: 3, rowsWritten: 500 })).toBe(250);
    expect(pauseAfter({ tookMs: 15, rowsWritten: 0 })).toBe(60);
    // A page that took long has waited for others, so they get more time; but upkeep never stops.
    expect(pauseAfter({ tookMs: 200, rowsWritten: 10 })).toBe(800);
    expect(pauseAfter({ tookMs: 3_000, rowsWritten: 10 })).toBe(1_000);
  });

  test("knows how long D1 worked at a page", async () => {
    const { shards, trips } = await createDeps(env, createExecutionContext());
    const slow = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i)
      FROM n`;
    await atomically(shards.db(SHARD), { slow });
    expect(trips.sqlMs).toBeGreaterThan(0);
  });
});
