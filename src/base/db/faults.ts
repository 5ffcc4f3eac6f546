/**
 * Temporary faults of D1. After one, nobody knows whether the call had its effect, so only a repeatable call is tried
 * again.
 */

import { jittered } from "../jitter";

/** Parts of their messages. What may be tried again: developers.cloudflare.com/d1/best-practices/retry-queries. */
const TRANSIENT = new RegExp(
  [
    "Network connection lost",
    "storage caused object to be reset",
    "reset because its code was updated",
    "Cannot resolve D1 DB",
    "SQLITE_BUSY",
    "database is locked",
  ].join("|"),
  "i",
);
/** Parts of the messages of a database that has too much to do: another try at once would be more of it. */
const OVERLOADED = /D1 DB is overloaded|D1 DB storage operation exceeded timeout/i;

/** The waits between the tries of one call, on average. */
const WAITS_MS = [50, 200, 750];

/** Whether an error, or one of its causes, is a temporary fault of D1, an overload included. */
export const isTransient = (error: unknown): boolean => says(error, TRANSIENT) || isOverload(error);

/** Whether an error, or one of its causes, says that D1 has too much to do. */
export const isOverload = (error: unknown): boolean => says(error, OVERLOADED);

function says(error: unknown, what: RegExp): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (what.test(cause.message)) return true;
  }
  return false;
}

/**
 * Makes a call that is safe to repeat, up to four times while D1 has a temporary fault. Throws the last error, and that
 * of an overload at once: whoever has called decides when to come back.
 */
export async function repeatable<T>(call: () => Promise<T>): Promise<T> {
  for (const waitMs of WAITS_MS) {
    try {
      return await call();
    } catch (error) {
      if (isOverload(error) || !isTransient(error)) throw error;
      await scheduler.wait(jittered(waitMs));
    }
  }
  return call();
}
