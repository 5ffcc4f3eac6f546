/** Retention removes old rows, keeps young rows and events with open deliveries, and keeps the counts correct. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { atomically } from "../../src/platform/db/client";
import { firstIdAt, newIdAt } from "../../src/platform/db/ids";
import { Pages, pauseAfter } from "../../src/platform/db/paged-maintenance";
import { createDeps } from "../../src/platform/deps";
import { removeOldAttempts, removeOldEvents } from "../../src/webhooks/delivery/retention";
import { deleteOldAttempts, deleteOldEvents } from "../../src/webhooks/delivery/retention-store";
import { call, type Person, signUp } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { hourly } from "../support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";
import { maintain } from "../support/upkeep";

const DAY_MS = 86_400_000;
const DAYS_40_AGO = Date.now() - 40 * DAY_MS;

/** Returns SQL that moves an id into the past. The first characters of an id are its time. */
const agedId = (column: string, days: number) => `'${firstIdAt(Date.now() - days * DAY_MS)}' || substr(${column}, 14)`;

/** Moves all rows of a tenant into the past. */
async function age(person: Person, days: number): Promise<void> {
  const own = "(SELECT id FROM subscriptions WHERE tenant_id = ?1)";
  await deliveryDb.batch(
    [
      `UPDATE attempts SET id = ${agedId("id", days)}, event_id = ${agedId("event_id", days)}, attempted_at =
        attempted_at - ${days * DAY_MS}
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
         ${many} SELECT ?1, '${old}-7000-8000-' || printf('%012x', i), '${old}-7', 'T', 'event', 'success', 1,
           ${DAYS_40_AGO} FROM n`,
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

/** Copies a subscription under ids from its own up to `f…`, which sorts last. */
async function addSubscriptions(person: Person, id: string, count: number): Promise<void> {
  await deliveryDb
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
       INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
         updated_at)
       SELECT iif(n.i = ?3, 'f' || substr(s.id, 2), '1' || printf('%07x', n.i) || substr(s.id, 9)), ?1, s.name, s.url,
         '[]',
         s.secret_sealed, s.secret_digest, 1, s.created_at, s.updated_at FROM n, subscriptions s WHERE s.id = ?2`,
    )
    .bind(person.tenantId, id, count)
    .run();
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
    const deps = await createDeps(env, createExecutionContext());
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
    const rowsRead: number[] = [];
    const counted = new Proxy(deliveryDb, {
      get: (target, name) =>
        name !== "batch"
          ? Reflect.get(target, name).bind(target)
          : async (statements: D1PreparedStatement[]) => {
              const results = await target.batch(statements);
              rowsRead.push(results.reduce((sum, { meta }) => sum + meta.rows_read, 0));
              return results;
            },
    });
    const deps = await createDeps({ ...env, [SHARD === 0 ? "DB" : "SHARD_1"]: counted }, createExecutionContext());
    await maintain({ ...deps, shards: { ...deps.shards, numbers: [SHARD] } }, removeOldEvents);
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

  test("keeps the placeholder of an attempt in progress, whose delivery was due long ago", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const [placeholder, attempt] = [newIdAt(DAYS_40_AGO), newIdAt(Date.now())];
    const insert = deliveryDb.prepare(
      `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, next_id, attempt_count,
        attempted_at)
       VALUES (?1, ?2, 'e', 'T', 'event', ?3, ?4, 1, ?5)`,
    );
    await deliveryDb.batch([
      insert.bind(id, placeholder, "moved", attempt, DAYS_40_AGO),
      insert.bind(id, attempt, "pending", null, Date.now()),
    ]);
    await hourly();
    expect((await rowsOf(person, id))[0]).toBe(2);
    await deliveryDb.prepare("UPDATE attempts SET status = 'success' WHERE id = ?").bind(attempt).run();
    await hourly();
    expect((await rowsOf(person, id))[0]).toBe(1);
  });

  test("gives the next page more rows when D1 worked briefly at a page, and fewer when it worked long, within bounds", async () => {
    const trips = { trips: 0, sqlMs: 0, rowsWritten: 0 };
    const pages = new Pages({ now: () => 0, trips });
    const sizes: number[] = [];
    for (const sqlMs of [0, 0, 0, 2, ...Array(7).fill(50)]) {
      await pages.next(async (rows) => {
        sizes.push(rows);
        trips.sqlMs += sqlMs;
      });
    }
    expect(sizes).toEqual([500, 1_000, 2_000, 2_000, 2_000, 1_000, 500, 250, 125, 100, 100]);
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
    expect(pauseAfter({ tookMs: 3_000, rowsWritten: 10 })).toBe(100);
  });

  test("knows how long D1 worked at a page", async () => {
    const { shards, trips } = await createDeps(env, createExecutionContext());
    const slow = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i)
      FROM n`;
    await atomically(shards.db(SHARD), { slow });
    expect(trips.sqlMs).toBeGreaterThan(0);
  });

  test("removes nothing when nothing is old", async () => {
    const db = (await createDeps(env, createExecutionContext())).shards.db(SHARD);
    expect(await deleteOldAttempts(db, DAYS_40_AGO, "", 100)).toMatchObject({ count: 0 });
    expect(await deleteOldEvents(db, { ids: [], end: firstIdAt(0), isLast: true }, "", 100)).toEqual({
      count: 0,
      next: null,
    });
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
