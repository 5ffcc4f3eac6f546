/** How many messages have ended as dead letters, by hour. */
import { hourOf } from "../time";
import { type Db, query } from "./client";

/** Counts dead letters of a queue in the present hour. Spans tenants, as a batch of a queue does. */
export async function countDeadLetters(
  { db, now }: { db: Db; now: () => number },
  queue: string,
  messages: number,
): Promise<void> {
  const nowMs = now();
  await query(db)`INSERT INTO dead_letters (hour, queue, messages)
    VALUES (${hourOf(nowMs)}, ${queue}, ${messages})
    ON CONFLICT (hour, queue) DO UPDATE SET messages = messages + excluded.messages`;
}
