/** How many messages wait in the queues, as the platform reports it. */
import type { Deps } from "../../platform/deps";

export interface QueueBacklog {
  name: "deliveries" | "deliveries-slow" | "mail";
  /** Null if the platform does not report it. */
  messages: number | null;
  /** When its oldest message was sent, Unix ms; null if there is none or the platform does not report it. */
  oldestAtMs: number | null;
}

/** Reads the backlogs of all queues that messages are sent to. Never throws. */
export function readQueues({ deliveryQueue, slowDeliveryQueue, mailQueue }: Deps): Promise<QueueBacklog[]> {
  return Promise.all([
    backlogOf("deliveries", deliveryQueue),
    backlogOf("deliveries-slow", slowDeliveryQueue),
    backlogOf("mail", mailQueue),
  ]);
}

async function backlogOf(name: QueueBacklog["name"], queue: Queue<never>): Promise<QueueBacklog> {
  try {
    const { backlogCount, oldestMessageTimestamp } = await queue.metrics();
    return { name, messages: backlogCount, oldestAtMs: oldestMessageTimestamp?.getTime() ?? null };
  } catch {
    // Not every runtime has queue metrics.
    return { name, messages: null, oldestAtMs: null };
  }
}
