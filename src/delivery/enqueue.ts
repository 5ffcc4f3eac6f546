/** Sends the messages of deliveries. A lost message costs time, never the delivery, because the sweep sends it again. */
import type { Deps } from "../deps";
import { type DeliveryMessage, MAX_KEYS_PER_MESSAGE, type OutboxKey } from "./message";
import { LONGEST_MESSAGE_DELAY_MS } from "./timing";

/** Limits of one `sendBatch`: 100 messages and 256 KB. A message of 50 keys has about 10 KB. */
const MESSAGES_PER_BATCH = 20;

/** A due delivery, and whether its subscription is slow. */
export interface DueDelivery extends OutboxKey {
  slow: 0 | 1;
}

/** Which queue: "fast" is for first attempts, "slow" for retries, wide events and slow subscriptions. */
export type Lane = "fast" | "slow";

/** Sends messages for deliveries that are due: those of slow subscriptions through the slow queue. */
export async function enqueueDue(
  deps: Deps,
  shard: number,
  due: readonly DueDelivery[],
  lane: Lane = "fast",
): Promise<void> {
  const isSlow = ({ slow }: DueDelivery) => lane === "slow" || slow === 1;
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

/** Sends messages for retries through the slow queue, each to arrive at its `dueAt` or up to a second before. */
export async function enqueueRetries(deps: Deps, shard: number, retries: readonly OutboxKey[]): Promise<void> {
  const nowMs = deps.now();
  const byDelay = Map.groupBy(
    retries.filter(({ dueAt }) => dueAt - nowMs <= LONGEST_MESSAGE_DELAY_MS),
    ({ dueAt }) => Math.max(0, Math.floor((dueAt - nowMs) / 1000)),
  );
  await Promise.all([...byDelay].map(([delaySeconds, keys]) => enqueue(deps, "slow", shard, keys, delaySeconds)));
}

/** Sends messages with up to 50 keys each. */
export async function enqueue(
  deps: Deps,
  lane: Lane,
  shard: number,
  keys: readonly OutboxKey[],
  delaySeconds = 0,
): Promise<void> {
  const messages: MessageSendRequest<DeliveryMessage>[] = [];
  for (let start = 0; start < keys.length; start += MAX_KEYS_PER_MESSAGE) {
    const due = keys.slice(start, start + MAX_KEYS_PER_MESSAGE).map(keyOnly);
    messages.push({ body: { shard, due }, delaySeconds });
  }
  const queue = lane === "slow" ? deps.slowDeliveryQueue : deps.deliveryQueue;
  for (let start = 0; start < messages.length; start += MESSAGES_PER_BATCH) {
    await queue.sendBatch(messages.slice(start, start + MESSAGES_PER_BATCH));
  }
}

const keyOnly = ({ queue, dueAt, id, subscriptionId, bytes }: OutboxKey): OutboxKey => ({
  queue,
  dueAt,
  id,
  subscriptionId,
  bytes,
});
