/** What a run asks of its queue and of the database, without either. */
import { expect, test } from "vitest";
import { createDb } from "../../src/base/db/client";
import type { QueuePair } from "../../src/base/delivery-queues";
import type { DeliveryMessage } from "../../src/base/messages";
import { recordAttempts } from "../../src/webhooks/delivery/record-store";
import { enqueue } from "../../src/webhooks/plane/enqueue";
import { controlledDeps, onePair } from "../support/controlled";
import { keyOfNobody } from "../support/engine";
import { SHARD } from "../support/shard";

test("a message of the slow queue has at most five deliveries", async () => {
  const { deps } = await controlledDeps();
  const sizes: number[] = [];
  const slow = {
    sendBatch: async (messages: Iterable<MessageSendRequest<DeliveryMessage>>) => {
      for (const { body } of messages) sizes.push(body.due.length);
    },
  } as unknown as QueuePair["slow"];
  await enqueue({ ...deps, deliveryQueues: onePair(slow) }, "slow", SHARD, Array.from({ length: 25 }, keyOfNobody));
  expect(sizes).toEqual([5, 5, 5, 5, 5]);
});

test("a response body is given to the database once, however many statements record its attempt", async () => {
  const body = "a body that is long";
  const bound: unknown[] = [];
  const statement = (sql: string): unknown => ({
    bind: (...values: unknown[]) => {
      bound.push(...values);
      return statement(sql);
    },
  });
  const database = {
    prepare: statement,
    batch: async (statements: unknown[]) => statements.map(() => ({ results: [], meta: { duration: 0 } })),
  };
  const db = createDb(database as unknown as D1Database, { trips: 0, sqlMs: 0, rowsWritten: 0 });
  await recordAttempts(db, "claim", [
    {
      ...keyOfNobody(),
      ...{
        attemptId: "a",
        kind: "event",
        status: "failed",
        responseCode: 500,
        responseBody: body,
        responseHeaders: null,
      },
      ...{ error: "status 500", startedAt: 1, completedAt: 2, nextDueAt: 3, nextAttemptId: "b" },
      ...{ isSlow: true, cooldownUntil: 9, isGone: true, isFailedProbe: false, mayBeGone: true },
    },
  ]);
  expect(bound.filter((value) => String(value).includes(body))).toHaveLength(1);
});
