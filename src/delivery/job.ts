/** What the delivery queues carry: an id, and when it may be tried. The row in D1 says the rest. */
import { z } from "zod";

export const deliveryJob = z.object({
  deliveryId: z.string().min(1).max(64),
  /** Unix ms; the queue's delays are whole seconds, so a message may come up to a second early. */
  dueAt: z.number().int(),
});

export type DeliveryJob = z.infer<typeof deliveryJob>;
