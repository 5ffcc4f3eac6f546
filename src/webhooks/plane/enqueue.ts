/** Queues deliveries. A lost message delays a delivery but cannot lose it, because the sweep queues it again. */
import type { QueuePair } from "../../base/delivery-queues";
import type { Deps } from "../../base/deps";
import {
  type DeliveryMessage,
  MAX_KEYS_PER_MESSAGE,
  MAX_KEYS_PER_SLOW_MESSAGE,
  type OutboxKey,
} from "../../base/messages";
import { LONGEST_MESSAGE_DELAY_MS } from "./timing";

/** One `sendBatch` takes at most 256 KB, and a message of 50 keys has about 10 KB. */
const MESSAGES_PER_BATCH = 20;

/** A delivery that is due, and whether its subscription is slow. */
export interface DueDelivery extends OutboxKey {
  slow: 0 | 1;
}

/** Which queue of the pair of a database. */
export type QueueSpeed = keyof QueuePair;

/** Queues deliveries that are due, those of slow subscriptions in the slow queue. */
export async function enqueueDue(deps: Deps, shard: number, due: readonly DueDelivery[]): Promise<void> {
  const { slow = [], fast = [] } = Object.groupBy(due, (delivery) => (delivery.slow === 1 ? "slow" : "fast"));
  await Promise.all([enqueue(deps, "slow", shard, slow), enqueue(deps, "fast", shard, fast)]);
}

/**
 * Queues deliveries that are due later. Each message arrives at its `dueAt` or up to a second earlier; with `Math.ceil`
 * up to a second later, so that no handler waits for it. Those that are due later than `longestDelayMs` get no message:
 * the sweep finds them.
 */
export async function enqueueLater(
  deps: Deps,
  speed: QueueSpeed,
  shard: number,
  deliveries: readonly OutboxKey[],
  longestDelayMs = LONGEST_MESSAGE_DELAY_MS,
  toSeconds: (seconds: number) => number = Math.floor,
): Promise<void> {
  const nowMs = deps.now();
  const soon = deliveries.filter(({ dueAt }) => dueAt - nowMs <= longestDelayMs);
  const byDelay = Map.groupBy(soon, ({ dueAt }) => Math.max(0, toSeconds((dueAt - nowMs) / 1000)));
  await Promise.all([...byDelay].map(([delaySeconds, keys]) => enqueue(deps, speed, shard, keys, delaySeconds)));
}

/** Queues deliveries, a few per message. Throws when the queue is down. */
export async function enqueue(
  deps: Deps,
  speed: QueueSpeed,
  shard: number,
  keys: readonly OutboxKey[],
  delaySeconds = 0,
): Promise<void> {
  const messages: MessageSendRequest<DeliveryMessage>[] = [];
  const most = speed === "slow" ? MAX_KEYS_PER_SLOW_MESSAGE : MAX_KEYS_PER_MESSAGE;
  for (let start = 0; start < keys.length; start += most) {
    messages.push({ body: { shard, due: keys.slice(start, start + most).map(keyOf) }, delaySeconds });
  }
  const queue = deps.deliveryQueues.of(shard)[speed];
  for (let start = 0; start < messages.length; start += MESSAGES_PER_BATCH) {
    await queue.sendBatch(messages.slice(start, start + MESSAGES_PER_BATCH));
  }
}

/** Returns the key of an outbox row without any other fields. */
export const keyOf = ({ queue, dueAt, id, subscriptionId, tenantId, bytes }: OutboxKey): OutboxKey => ({
  queue,
  dueAt,
  id,
  subscriptionId,
  tenantId,
  bytes,
});
