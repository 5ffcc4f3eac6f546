/** How many messages wait in the queues, as the platform reports it. */
import type { Deps } from "../../base/deps";

export interface QueueBacklog {
  /** `deliveries` and `deliveries-slow`, with the number of the database for the pairs of others than 0; `mail`. */
  name: string;
  /** Null if the platform does not report it. */
  messages: number | null;
  /** When its oldest message was sent, Unix ms; null if there is none or the platform does not report it. */
  oldestAtMs: number | null;
}

/** Reads the backlogs of all queues that messages are sent to. Never throws. */
export function readQueues({ deliveryQueues, mailQueue }: Deps): Promise<QueueBacklog[]> {
  const pairs = deliveryQueues.numbers.flatMap((number) => {
    const name = number === 0 ? "deliveries" : `deliveries-${number}`;
    const { fast, slow } = deliveryQueues.of(number);
    return [backlogOf(name, fast), backlogOf(`${name}-slow`, slow)];
  });
  return Promise.all([...pairs, backlogOf("mail", mailQueue)]);
}

async function backlogOf(name: string, queue: Queue<never>): Promise<QueueBacklog> {
  try {
    const { backlogCount, oldestMessageTimestamp } = await queue.metrics();
    return { name, messages: backlogCount, oldestAtMs: oldestMessageTimestamp?.getTime() ?? null };
  } catch {
    // Not every runtime has queue metrics.
    return { name, messages: null, oldestAtMs: null };
  }
}
