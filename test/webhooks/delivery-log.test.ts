/** The delivery log: its pages and filters, and one attempt in detail. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import { releaseDeliveries } from "../../src/webhooks/delivery/release-store";
import { call, type Person, signUp } from "../support/client";
import { addDelivery, consumeAtOnce, keyNow, makeDue, messageFor } from "../support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const START_MS = Date.parse("2026-11-01T00:00:00Z");
const SECOND_MS = 1_000;
const at = (second: number) => new Date(START_MS + second * SECOND_MS).toISOString();

interface Row {
  _id: string;
  status: string;
  eventType: string;
  attemptedAt: string;
}
interface Page {
  data: Row[];
  nextCursor: string | null;
}

const logs = (person: Person, id: string, query: Record<string, string | number> = {}) =>
  call("GET", `/webhooks/${id}/logs?${new URLSearchParams(query as Record<string, string>)}`, { token: person.token });

async function subscription() {
  const person = await signUp();
  return { person, id: await subscribe(person, newInbox("200").url) };
}

/**
 * Fills the log with `count` attempts, one per second from START_MS. Those at the seconds `except` failed and have the
 * type Rare.
 */
async function fillLog(person: Person, id: string, count: number, except: number[] = []) {
  const rows = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1),
    rows AS (SELECT i, CAST(?2 AS INTEGER) + i * 1000 AS t, i IN (SELECT value FROM json_each(?3)) AS rare FROM n)`;
  const values = [count, START_MS, JSON.stringify(except), id];
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
          VALUES (?1, ?2, 'OrderPaid', '1', 1, 0)`,
      )
      .bind(id, person.tenantId),
    deliveryDb
      .prepare(
        `INSERT INTO attempts (id, subscription_id, delivery_id, event_id, event_type, kind, status, attempt_count,
          attempted_at, completed_at)
       ${rows} SELECT printf('%08x-%04x-7000-8000-%012x', t >> 16, t & 65535, i), ?4, ?4, ?4, iif(rare, 'Rare',
         'OrderPaid'), 'event',
         iif(rare, 'failed', 'success'), 1, t, t FROM rows`,
      )
      .bind(...values),
    deliveryDb
      .prepare(
        `INSERT INTO hourly_stats (subscription_id, hour, succeeded, failed)
       ${rows} SELECT ?4, t - t % 3600000, sum(NOT rare), sum(rare) FROM rows GROUP BY 2`,
      )
      .bind(...values),
  ]);
}

async function walk(person: Person, id: string, query: Record<string, string | number>) {
  const pages: Page[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { status, body }: { status: number; body: Page } = await logs(
      person,
      id,
      cursor ? { ...query, cursor } : query,
    );
    expect(status).toBe(200);
    pages.push(body);
    cursor = body.nextCursor;
  }
  return { pages, rows: pages.flatMap(({ data }) => data) };
}

describe("pages", () => {
  test("without parameters are as specified: the newest 50 attempts, without a cursor", async () => {
    const { person, id } = await subscription();
    await fillLog(person, id, 60);
    const { body } = await logs(person, id);
    expect(Object.keys(body)).toEqual(["data"]);
    expect(body.data).toHaveLength(50);
    expect(body.data[0].attemptedAt).toBe(at(59));
    expect((await logs(person, id, { unknown: 1 })).body).toEqual(body);
  });

  test("contain every attempt once, newest first, even if new ones are added between the calls", async () => {
    const { person, id } = await subscription();
    await fillLog(person, id, 8);
    const first: Page = (await logs(person, id, { limit: 3 })).body;
    await consumeAtOnce([messageFor(await addDelivery(person, id))]);
    const rest = await walk(person, id, { limit: 3, cursor: first.nextCursor ?? "" });
    const seen = [...first.data, ...rest.rows].map(({ attemptedAt }) => attemptedAt);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map(at));
    expect((await logs(person, id, { limit: 100 })).body).toMatchObject({ nextCursor: null });
    expect((await logs(person, id, { limit: 9 })).body.nextCursor).toBeNull();
  });

  test("can be filtered by time, with `since` inclusive, `until` exclusive, and any UTC offset", async () => {
    const { person, id } = await subscription();
    await fillLog(person, id, 60);
    const times = async (query: Record<string, string>) =>
      (await walk(person, id, { limit: 2, ...query })).rows.map(({ attemptedAt }) => attemptedAt);
    expect(await times({ since: at(20), until: at(23) })).toEqual([22, 21, 20].map(at));
    expect(await times({ since: "2026-11-01T02:00:58+02:00" })).toEqual([59, 58].map(at));
    expect(await times({ until: at(1) })).toEqual([at(0)]);
    expect(await times({ since: at(60) })).toEqual([]);
    expect(await times({ since: "1960-01-01T00:00:00Z", until: at(2) })).toEqual([1, 0].map(at));
    expect(await times({ since: at(5), until: at(4) })).toEqual([]);
  });

  test("find a rare failure among many successes at once, and a rare event type in short pages", async () => {
    const { person, id } = await subscription();
    await fillLog(person, id, 12_000, [5, 7_000]);
    const failed = (await logs(person, id, { status: "failed" })).body;
    expect([failed.data.map((row: Row) => row.attemptedAt), failed.nextCursor]).toEqual([[at(7_000), at(5)], null]);
    const { pages, rows } = await walk(person, id, { eventType: "Rare" });
    expect(rows.map(({ attemptedAt }) => attemptedAt)).toEqual([at(7_000), at(5)]);
    expect(pages.map(({ data }) => data.length)).toEqual([1, 1]);
    expect((await logs(person, id, { status: "success", eventType: "Rare", until: at(100) })).body.data).toEqual([]);
    const success = (await logs(person, id, { status: "success", until: at(7), limit: 2 })).body.data;
    expect(success.map((row: Row) => row.attemptedAt)).toEqual([6, 4].map(at));
  });

  test.each([
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "ten"],
    ["limit", "1.5"],
    ["cursor", "x"],
    ["status", "lost"],
    ["eventType", "a b"],
    ["eventType", ""],
    ["since", "yesterday"],
    ["since", "2026-11-01"],
    ["since", "2026-11-01T00:00:00"],
    ["until", "2026-13-01T00:00:00Z"],
    ["until", "1700000000000"],
  ])("%s=%s is refused", async (name, value) => {
    const { person, id } = await subscription();
    const { status, body } = await logs(person, id, { [name]: value });
    expect([status, body.code, body.details[0].path]).toEqual([400, "VALIDATION_FAILED", name]);
  });

  test("show nothing of another tenant when given its cursor", async () => {
    const { person, id } = await subscription();
    await fillLog(person, id, 3);
    const other = await subscription();
    const cursor = (await logs(person, id, { limit: 1 })).body.nextCursor;
    expect((await logs(other.person, other.id, { cursor })).body).toEqual({ data: [], nextCursor: null });
    expect((await logs(other.person, id, { cursor })).status).toBe(404);
  });
});

const opened = (person: Person, id: string, attemptId: string) =>
  call("GET", `/webhooks/${id}/attempts/${attemptId}`, { token: person.token });

describe("one attempt", () => {
  test("shows exactly the headers that the subscriber received", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url);
    const event = await publish(person, { n: 1 }, { correlationId: "trace-1" });
    const [row] = await endedAttempts(person, id, 1);
    const { data } = (await opened(person, id, row._id)).body;
    expect(data).toMatchObject({ ...row, eventId: event.id, kind: "event", correlationId: "trace-1" });
    const [arrived] = await inbox.received();
    const sent = Object.fromEntries(
      Object.entries(data.headers as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(arrived?.headers).toMatchObject(sent);
    expect(Object.keys(sent)).toHaveLength(9);
    expect(data.attempts).toMatchObject([{ _id: row._id, status: "success", attemptCount: 1 }]);
  });

  test("shows no signatures once its event has been removed, and says why", async () => {
    const { person, id } = await subscription();
    const event = await publish(person, 1);
    const [row] = await endedAttempts(person, id, 1);
    await deliveryDb.prepare("DELETE FROM events WHERE id = ?").bind(event.id).run();
    const { data } = (await opened(person, id, row._id)).body;
    expect(data).toMatchObject({ payload: null, missingSignatures: "event-removed" });
    expect(Object.keys(data.headers)).toEqual(expect.not.arrayContaining(["webhook-signature", "X-Webhook-Signature"]));
  });

  test("lists all attempts of its delivery, oldest first, without those that were released", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("500").url);
    const [delivery, other] = [await addDelivery(person, id), await addDelivery(person, id)];
    await consumeAtOnce([messageFor(delivery, other)]);
    const db = (await createDeps(env, createExecutionContext())).shards.db(SHARD);
    const holder = { speed: "fast", claim: "holder" } as const;
    const { claimed } = await claimDeliveries(db, holder, [await makeDue(delivery)], Date.now());
    const attemptId = claimed[0]?.attemptId ?? "";
    expect((await opened(person, id, attemptId)).body.data.attempts).toMatchObject([
      { status: "failed", error: "status 500" },
      { status: "pending", _id: attemptId },
    ]);
    await releaseDeliveries(db, "holder", claimed);
    expect((await opened(person, id, attemptId)).body.message).toBe("Attempt not found");
    await consumeAtOnce([messageFor(await keyNow(delivery))], "postern-deliveries-slow");
    const rows = (await logs(person, id)).body.data;
    expect(rows).toHaveLength(3);
    for (const { _id } of rows.filter((row: { deliveryId: string }) => row.deliveryId === delivery.id)) {
      const { attempts } = (await opened(person, id, _id)).body.data;
      expect(attempts.map((row: { attemptCount: number }) => row.attemptCount)).toEqual([1, 2]);
    }
  });

  test("has no headers when nothing was sent", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url, { enabled: false });
    await consumeAtOnce([messageFor(await addDelivery(person, id))]);
    const [row] = (await logs(person, id)).body.data;
    const { data } = (await opened(person, id, row._id)).body;
    expect(data).toMatchObject({ error: "paused", status: "failed" });
    expect(data).not.toHaveProperty("headers");
  });

  test("of another subscription or tenant is not found", async () => {
    const { person, id } = await subscription();
    const other = await subscribe(person, newInbox("200").url);
    const stranger = await subscription();
    await consumeAtOnce([messageFor(await addDelivery(person, id))]);
    const [{ _id }] = (await logs(person, id)).body.data;
    for (const [who, webhookId, message] of [
      [person, other, "Attempt not found"],
      [stranger.person, stranger.id, "Attempt not found"],
      [stranger.person, id, "Webhook not found"],
    ] as const) {
      const { status, body } = await opened(who, webhookId, _id);
      expect([status, body.message]).toEqual([404, message]);
    }
  });
});
