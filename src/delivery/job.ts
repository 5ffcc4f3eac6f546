/** What the delivery queues carry: ids, and when a delivery may be tried. The rows in D1 say the rest. */
import { z } from "zod";

export const deliveryJob = z.object({
  deliveryId: z.string().min(1).max(64),
  /** Unix ms; the queue's delays are whole seconds, so a message may come up to a second early. */
  dueAt: z.number().int(),
});

/** A fan-out that goes on behind this subscription. */
export const fanOutJob = z.object({
  fanOut: z.string().min(1).max(64),
  afterSubscriptionId: z.string().min(1).max(64),
});

export type DeliveryJob = z.infer<typeof deliveryJob>;
export type FanOutJob = z.infer<typeof fanOutJob>;
