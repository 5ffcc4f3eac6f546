/** Which queues the deliveries of a database go through. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { readQueues } from "../../src/service/metrics/queues";
import { enqueueDue } from "../../src/webhooks/plane/enqueue";
import { enqueueFanOut } from "../../src/webhooks/plane/fan-out";
import { sendOperational } from "../../src/webhooks/plane/operational";

const due = (id: string, slow: 0 | 1) => ({ queue: "", dueAt: 1, id, subscriptionId: "s", bytes: 1, slow });

/** The dependencies with these queues besides those of database 0, and what is sent to each. */
async function withQueues(...names: string[]) {
  const sent: string[] = [];
  /** How many deliveries each message has. */
  const sizes: number[] = [];
  const queueOf = (name: string) => ({
    sendBatch: async (batch: Iterable<{ body: { due?: readonly unknown[] } }>) => {
      for (const { body } of batch) {
        sent.push(`${name}: ${body.due ? "delivery" : "fan-out"}`);
        if (body.due) sizes.push(body.due.length);
      }
    },
    metrics: async () => ({ backlogCount: name.length, backlogBytes: 1 }),
  });
  const all = ["DELIVERY_QUEUE", "SLOW_DELIVERY_QUEUE", ...names];
  const context = createExecutionContext();
  const bindings = { ...env, ...Object.fromEntries(all.map((name) => [name, queueOf(name)])) };
  return { deps: await createDeps(bindings as unknown as Env, context), sent, sizes, context };
}

test("a database with a pair of queues uses it for everything, and one without uses that of number 0", async () => {
  const { deps, sent, context } = await withQueues("DELIVERY_QUEUE_2", "SLOW_DELIVERY_QUEUE_2");
  for (const shard of [2, 1]) {
    await enqueueDue(deps, shard, [due("a", 0), due("b", 1)]);
    await enqueueFanOut(deps, shard, [{ eventId: "e", fanOutAfter: "" }]);
    sendOperational(deps, shard, [{ id: "e" }]);
    await waitOnExecutionContext(context);
  }
  const sentTo = (suffix: string) => [
    `SLOW_DELIVERY_QUEUE${suffix}: delivery`,
    `DELIVERY_QUEUE${suffix}: delivery`,
    `SLOW_DELIVERY_QUEUE${suffix}: fan-out`,
    `SLOW_DELIVERY_QUEUE${suffix}: fan-out`,
  ];
  expect(sent).toEqual([...sentTo("_2"), ...sentTo("")]);
});

test("a message of a slow queue has at most five deliveries, and one of a fast queue fifty", async () => {
  const { deps, sizes } = await withQueues();
  const sixtyOf = (slow: 0 | 1) => Array.from({ length: 60 }, (_, n) => due(`${slow} ${n}`, slow));
  await enqueueDue(deps, 0, sixtyOf(1));
  await enqueueDue(deps, 0, sixtyOf(0));
  expect(sizes).toEqual([...Array<number>(12).fill(5), 50, 10]);
});

test("half a pair is not used", async () => {
  const { deps, sent } = await withQueues("DELIVERY_QUEUE_1", "SLOW_DELIVERY_QUEUE_2");
  for (const shard of [1, 2]) await enqueueDue(deps, shard, [due("a", 0)]);
  expect(sent).toEqual(["DELIVERY_QUEUE: delivery", "DELIVERY_QUEUE: delivery"]);
});

test("the backlogs of all pairs are reported", async () => {
  const { deps } = await withQueues(
    "SLOW_DELIVERY_QUEUE_12",
    "DELIVERY_QUEUE_12",
    "DELIVERY_QUEUE_3",
    "SLOW_DELIVERY_QUEUE_3",
  );
  expect((await readQueues(deps)).map(({ name }) => name)).toEqual([
    "deliveries",
    "deliveries-slow",
    "deliveries-3",
    "deliveries-3-slow",
    "deliveries-12",
    "deliveries-12-slow",
    "mail",
  ]);
});
