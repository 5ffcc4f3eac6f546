/** What a publish reads to count its deliveries. */
import { expect, test } from "vitest";
import { createDb } from "../../src/base/db/client";
import { newIdAt } from "../../src/base/db/ids";
import { acceptEvents } from "../../src/webhooks/events/accept-store";
import { FAN_OUT_PAGE, MOST_AT_ONCE } from "../../src/webhooks/plane/fan-out-store";
import { signUp } from "../support/client";
import { deliveryDb } from "../support/shard";

const ROWS_OF_EVENT = 30;

/** A tenant with this many subscriptions to one type. */
async function newTenant(width: number): Promise<string> {
  const { tenantId } = await signUp();
  const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${width})
    , s(id) AS (SELECT '${newIdAt(Date.now()).slice(0, 24)}' || printf('%012x', i) FROM n LIMIT ${width})`;
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
          updated_at)
         ${many} SELECT id, ?, 'n', 'http://receiver.example/200', '["OrderPaid"]', '', '', 1, 1, 1 FROM s`,
      )
      .bind(tenantId),
    deliveryDb
      .prepare(
        `INSERT INTO subscription_events (tenant_id, event_type, subscription_id) ${many} SELECT ?, 'OrderPaid', id
          FROM s`,
      )
      .bind(tenantId),
  ]);
  return tenantId;
}

/**
 * Publishes events to all subscriptions of a new tenant. Returns how many deliveries they have, and how many rows D1
 * has read.
 */
async function publish(events: number, width: number, allowedDeliveries: number, isExpected = false) {
  const tenantId = await newTenant(width);
  let rowsRead = 0;
  const counted = {
    prepare: (query: string) => deliveryDb.prepare(query),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await deliveryDb.batch(statements);
      for (const { meta } of results) rowsRead += meta.rows_read;
      return results;
    },
  } as unknown as D1Database;
  const nowMs = Date.now();
  // A millisecond apart: the ids of deliveries have only 26 more bits of these.
  const published = Array.from({ length: events }, (_, n) => ({
    id: newIdAt(nowMs - n),
    type: "OrderPaid",
    payload: { short: "1" },
    bytes: 1,
    correlationId: null,
    idempotencyKey: null,
    requestHash: null,
  }));
  const { accepted, due, wantedDeliveries } = await acceptEvents(
    createDb(counted, { trips: 0, sqlMs: 0, rowsWritten: 0 }),
    { tenantId },
    published,
    allowedDeliveries,
    nowMs,
    null,
    isExpected,
  );
  return {
    deliveries: accepted.map(({ deliveries }) => deliveries),
    fanOuts: accepted.map(({ fanOutAfter }) => fanOutAfter),
    due: due.length,
    wantedDeliveries,
    rowsRead,
  };
}

/**
 * The answer has the exact number of deliveries, and nothing but the index knows it. D1 prices reading a row at a
 * thousandth of writing one, and each of these subscriptions has 6 rows written for each event.
 */
test("counting a wide batch reads each subscription twice, however many events it has", async () => {
  const [narrow, wide] = [await publish(10, 1_000, 20_000), await publish(10, 2_000, 20_000)];
  expect([narrow.deliveries, wide.deliveries]).toEqual([Array(10).fill(1_000), Array(10).fill(2_000)]);
  expect(wide.rowsRead - narrow.rowsRead).toBe(2 * 1_000);
  // Besides, a few rows an event, because none of its deliveries is created with it.
  expect(narrow.rowsRead - 2 * 1_000).toBeLessThan(10 * ROWS_OF_EVENT);
});

test.each([
  [1, MOST_AT_ONCE],
  [FAN_OUT_PAGE / 10, 10],
])(
  "%i events for %i subscriptions each get their deliveries at once, and for one more, none of them",
  async (events, width) => {
    const [narrow, wide] = [await publish(events, width, 1_000), await publish(events, width + 1, 1_000)];
    expect([narrow.due, new Set(narrow.fanOuts)]).toEqual([events * width, new Set([null])]);
    expect([wide.due, new Set(wide.fanOuts)]).toEqual([0, new Set([""])]);
    expect(wide.deliveries).toEqual(Array(events).fill(width + 1));
  },
);

test.each([
  ["as many as are allowed is written", 20, 20, { deliveries: [20], due: 20, wantedDeliveries: 0 }],
  ["more than are allowed is not written", 21, 20, { deliveries: [null], due: 0, wantedDeliveries: 21 }],
  [
    "more than get written at once is not written",
    MOST_AT_ONCE + 1,
    1_000,
    { deliveries: [null], due: 0, wantedDeliveries: MOST_AT_ONCE + 1 },
  ],
])("an event that is expected to have few deliveries and has %s", async (_, width, allowed, found) => {
  expect(await publish(1, width, allowed, true)).toMatchObject(found);
});

test("a batch that needs more deliveries than allowed writes nothing and says how many it needs", async () => {
  const { deliveries, wantedDeliveries } = await publish(10, 1_000, 9_999);
  expect([new Set(deliveries), wantedDeliveries]).toEqual([new Set([null]), 10_000]);
});

test("a batch of twice as many events reads at most twice as many rows", async () => {
  const [half, full] = [await publish(50, 1, 100), await publish(100, 1, 100)];
  expect(full.deliveries).toEqual(Array(100).fill(1));
  expect(full.rowsRead).toBeLessThanOrEqual(2 * half.rowsRead);
});
