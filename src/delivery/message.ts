/** What the delivery queues carry: keys of outbox rows. The rows in D1 hold everything else. */
import { z } from "zod";

/** One message stays small, so that a slow subscriber's share of it does not hold up the others. */
export const MAX_KEYS_PER_MESSAGE = 50;

const id = z.string().min(1).max(64);
const shard = z.int().min(0).max(1_000);

const key = z.object({
  /** Outbox queue: "" or the id of a subscription with a backlog. */
  queue: z.string().max(64),
  /** When the attempt is due, Unix ms. */
  dueAt: z.int(),
  /** The delivery. */
  id,
  subscriptionId: id,
  /** Size of the payload. */
  bytes: z.int().min(0),
});

/** Deliveries of one shard that are, or soon will be, due. */
export const deliveryMessage = z.object({ shard, due: z.array(key).min(1).max(1_000) });

/** A wide fan-out of one shard that goes on after this subscription. */
export const fanOutMessage = z.object({ shard, fanOut: id, afterSubscriptionId: id });

/** The key of an outbox row, with what decides when it is claimed. */
export type OutboxKey = z.infer<typeof key>;
export type DeliveryMessage = z.infer<typeof deliveryMessage>;
export type FanOutMessage = z.infer<typeof fanOutMessage>;
