/** The messages of the delivery queues. They carry keys of outbox rows; everything else is in D1. */
import * as z from "zod";

/** Messages are small, so that a slow subscriber delays only a few deliveries of others. */
export const MAX_KEYS_PER_MESSAGE = 50;
/** In the slow queue, where each message gets an invocation of its own: as many as that sends at once. */
export const MAX_KEYS_PER_SLOW_MESSAGE = 5;
/** A burst of events with few subscriptions each, such as those of the audit log, takes few messages. */
export const MAX_FAN_OUTS_PER_MESSAGE = 20;

const id = z.string().min(1).max(64);
const shard = z.int().min(0).max(1_000);

const key = z.object({
  /** "" for the main outbox queue, or the id of a subscription with a backlog. */
  queue: z.string().max(64),
  /** When the attempt is due, Unix ms. */
  dueAt: z.int(),
  /** The delivery's id. */
  id,
  subscriptionId: id,
  /** Whose delivery it is. Messages of the release before do not say. */
  tenantId: z.string().max(64).optional(),
  /** The size of the payload. */
  bytes: z.int().min(0),
});

/** Deliveries of one shard that are due, or will be when the message arrives. */
const deliveryMessage = z.object({
  shard,
  due: z.array(key).min(1).max(1_000),
});

/** An unfinished fan-out, and how far it has come. */
const fanOut = z.object({
  eventId: id,
  /** The last subscription that has its delivery; "" before the first. */
  fanOutAfter: z.string().max(64),
  /** Whose event it is. Those of operational events do not say. */
  tenantId: z.string().max(64).optional(),
});

/** Fan-outs of one shard that continue. */
const fanOutMessage = z.object({ shard, fanOuts: z.array(fanOut).min(1).max(100) });

/** What the release before queued, which can still be in a queue after a deployment. */
const formerFanOutMessage = z.object({ shard, fanOut: id, afterSubscriptionId: z.string().max(64) }).transform(
  (former): FanOutMessage => ({
    shard: former.shard,
    fanOuts: [{ eventId: former.fanOut, fanOutAfter: former.afterSubscriptionId }],
  }),
);

/** What is in the delivery queues. */
export const queueMessage = z.union([deliveryMessage, fanOutMessage, formerFanOutMessage]);

/** The key of an outbox row, with its owners and its size, which decide when it is claimed. */
export type OutboxKey = z.infer<typeof key>;
/** The key of an outbox row and the shard that has it. */
export interface ShardKey extends OutboxKey {
  shard: number;
}
export type DeliveryMessage = z.infer<typeof deliveryMessage>;
export type FanOut = z.infer<typeof fanOut>;
export type FanOutMessage = z.infer<typeof fanOutMessage>;

/** What goes into the queue `ALERTS_QUEUE`. */
export interface AlarmMessage {
  /** The same if the message comes twice. */
  id: string;
  state: "began" | "ended";
  finding: string;
  title: string;
  what: string;
  advice: string;
  since: string;
  endedAt: string | null;
}
