/** The deliveries that the service under test still owes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "./database.ts";

const POLL_MS = 5;

/** Resolves when no delivery is owed any more, and every result is written. */
export async function emptyOutbox(database: Database): Promise<void> {
  const owed = database.prepare("SELECT 1 FROM outbox LIMIT 1");
  while ((await owed.all()).results.length > 0) await sleep(POLL_MS);
}
