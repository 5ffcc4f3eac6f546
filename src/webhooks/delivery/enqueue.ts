/** Queues deliveries. A lost message delays a delivery but cannot lose it, because the sweep queues it again. */
import type { Deps } from "../../platform/deps";
import { type DeliveryMessage, MAX_KEYS_PER_MESSAGE, type OutboxKey } from "../../platform/messages";
import { LONGEST_MESSAGE_DELAY_MS, SLOT_MESSAGE_LEAD_MS } from "./timing";

/** One `sendBatch` takes at most 256 KB, and a message of 50 keys has about 10 KB. */
const MESSAGES_PER_BATCH = 20;

/** A delivery that is due, and whether its subscription is slow. */
export interface DueDelivery extends OutboxKey {
  slow: 0 | 1;
}

/**
 * Which of the two delivery queues: "fast" for first attempts, "slow" for retries, wide fan-outs and slow
 * subscriptions.
 */
export type QueueSpeed = "fast" | "slow";

/** Queues deliveries that are due. Those of slow subscriptions always go to the slow queue. */
export async function enqueueDue(
  deps: Deps,
  shard: number,
  due: readonly DueDelivery[],
  speed: QueueSpeed = "fast",
): Promise<void> {
  const isSlow = ({ slow }: DueDelivery) => speed === "slow" || slow === 1;
  await Promise.all([
    enqueue(deps, "slow", shard, due.filter(isSlow)),
    enqueue(
      deps,
      "fast",
      shard,
      due.filter((delivery) => !isSlow(delivery)),
    ),
  ]);
}

/**
 * Queues retries in the slow queue. Each message arrives at its `dueAt` or up to a second earlier. Retries that are due
 * in more than 12 hours get no message: the sweep finds them.
 */
export async function enqueueRetries(deps: Deps, shard: number, retries: readonly OutboxKey[]): Promise<void> {
  const nowMs = deps.now();
  const byDelay = Map.groupBy(
    retries.filter(({ dueAt }) => dueAt - nowMs <= LONGEST_MESSAGE_DELAY_MS),
    ({ dueAt }) => Math.max(0, Math.floor((dueAt - nowMs) / 1000)),
  );
  await Promise.all([...byDelay].map(([delaySeconds, keys]) => enqueue(deps, "slow", shard, keys, delaySeconds)));
}

/**
 * Queues deliveries that wait for slots. Each message arrives about two seconds before its slot. Throws when the queue
 * is down.
 */
export async function enqueueSlots(
  deps: Deps,
  speed: QueueSpeed,
  shard: number,
  waiting: readonly { key: OutboxKey; slotAtMs: number }[],
): Promise<void> {
  const latestMs = deps.now() + SLOT_MESSAGE_LEAD_MS;
  const byDelay = Map.groupBy(waiting, ({ slotAtMs }) => Math.max(0, Math.floor((slotAtMs - latestMs) / 1000)));
  await Promise.all(
    [...byDelay].map(([delaySeconds, group]) =>
      enqueue(
        deps,
        speed,
        shard,
        group.map(({ key }) => key),
        delaySeconds,
        { hasSlots: true },
      ),
    ),
  );
}

/** Queues deliveries, up to 50 per message. Throws when the queue is down. */
export async function enqueue(
  deps: Deps,
  speed: QueueSpeed,
  shard: number,
  keys: readonly OutboxKey[],
  delaySeconds = 0,
  marks: Pick<DeliveryMessage, "hasSlots"> = {},
): Promise<void> {
  const messages: MessageSendRequest<DeliveryMessage>[] = [];
  for (let start = 0; start < keys.length; start += MAX_KEYS_PER_MESSAGE) {
    const due = keys.slice(start, start + MAX_KEYS_PER_MESSAGE).map(keyOnly);
    messages.push({ body: { shard, due, ...marks }, delaySeconds });
  }
  const queue = speed === "slow" ? deps.slowDeliveryQueue : deps.deliveryQueue;
  for (let start = 0; start < messages.length; start += MESSAGES_PER_BATCH) {
    await queue.sendBatch(messages.slice(start, start + MESSAGES_PER_BATCH));
  }
}

/** Returns the key of an outbox row without any other fields. */
export const keyOnly = ({ queue, dueAt, id, subscriptionId, bytes }: OutboxKey): OutboxKey => ({
  queue,
  dueAt,
  id,
  subscriptionId,
  bytes,
});
