/**
 * The queues of deliveries: a pair for each delivery database that has one bound, `DELIVERY_QUEUE_n` and
 * `SLOW_DELIVERY_QUEUE_n` for `SHARD_n`. A database without a pair of its own uses that of number 0.
 */
import type { DeliveryMessage, FanOutMessage } from "./messages";

/**
 * "fast" is the queue for first attempts, "slow" that for retries, wide fan-outs and slow subscriptions. Each has
 * consumers of its own, so that databases and slow subscribers hold each other up as little as possible.
 */
export interface QueuePair {
  fast: Queue<DeliveryMessage>;
  slow: Queue<DeliveryMessage | FanOutMessage>;
}

export interface DeliveryQueues {
  /** The databases that have a pair of their own, in order, beginning with 0. */
  numbers: readonly number[];
  /** Returns the queues for the deliveries of a database. */
  of(shard: number): QueuePair;
}

/** Finds the delivery queues among the bindings of `env`. */
export function createDeliveryQueues(env: Env): DeliveryQueues {
  const bindings = env as object as Record<string, QueuePair["slow"] | undefined>;
  const first: QueuePair = { fast: env.DELIVERY_QUEUE, slow: env.SLOW_DELIVERY_QUEUE };
  const pairs = new Map([[0, first]]);
  for (const name of Object.keys(bindings)) {
    const number = name.match(/^DELIVERY_QUEUE_(\d{1,3})$/)?.[1];
    const [fast, slow] = [bindings[name], bindings[`SLOW_${name}`]];
    if (number !== undefined && fast && slow) pairs.set(Number(number), { fast, slow });
  }
  return { numbers: [...pairs.keys()].sort((a, b) => a - b), of: (shard) => pairs.get(shard) ?? first };
}
