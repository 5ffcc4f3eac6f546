/**
 * The engine's dependencies under a test's control: a hook around each call to D1, a clock it can move, and queues that
 * keep messages.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDb } from "../../src/base/db/client";
import type { DeliveryQueues, QueuePair } from "../../src/base/delivery-queues";
import { createDeps, type Deps } from "../../src/base/deps";
import type { DeliveryMessage } from "../../src/base/messages";
import { faultyDatabase } from "./faults/bindings";
import { deliveryDb } from "./shard";

/**
 * Makes a call to D1, named by the store function that makes it. It may do anything before, after or instead of `call`.
 */
type Hook = <T>(name: string, call: () => Promise<T>) => Promise<T>;

interface Controlled {
  deps: Deps;
  /** Moves the clock of `deps` forward. */
  turn(ms: number): void;
  /** The ids of the deliveries that were queued, in order. */
  queued: string[];
  /** Resolves when all background work has ended. */
  ended(): Promise<void>;
}

/** The same queues for every database. */
export const onePair = (slow: QueuePair["slow"], fast: QueuePair["fast"] = slow): DeliveryQueues => ({
  numbers: [0],
  of: () => ({ fast, slow }),
});

export async function controlledDeps(
  hook: Hook = (_, call) => call(),
  metrics: () => Promise<QueueMetrics> = () => Promise.reject(new Error("no metrics")),
): Promise<Controlled> {
  const context = createExecutionContext();
  const queued: string[] = [];
  let aheadMs = 0;
  const sendBatch = async (messages: Iterable<MessageSendRequest<DeliveryMessage>>) => {
    for (const { body } of messages) queued.push(...body.due.map(({ id }) => id));
  };
  const queue = { sendBatch, metrics } as unknown as QueuePair["slow"];
  const db = createDb(faultyDatabase(deliveryDb, { call: hook }), { trips: 0, sqlMs: 0, rowsWritten: 0 });
  const real = await createDeps(env, context);
  const deps: Deps = {
    ...real,
    shards: { ...real.shards, db: () => db },
    deliveryQueues: onePair(queue),
    now: () => Date.now() + aheadMs,
  };
  return {
    deps,
    queued,
    turn: (ms) => {
      aheadMs += ms;
    },
    ended: () => waitOnExecutionContext(context),
  };
}
