/**
 * Temporary faults of D1. After one, nobody knows whether the call had its effect, so only a repeatable call is tried
 * again.
 */

/** Parts of their messages. */
const TRANSIENT = new RegExp(
  [
    "Network connection lost",
    "storage caused object to be reset",
    "reset because its code was updated",
    "Cannot resolve D1 DB",
    "SQLITE_BUSY",
    "database is locked",
    "D1 DB is overloaded",
    "D1 DB storage operation exceeded timeout",
  ].join("|"),
  "i",
);

/** The waits between the tries of one call. */
const WAITS_MS = [50, 200, 750];

/** Whether an error, or one of its causes, is a temporary fault of D1. */
export function isTransient(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (TRANSIENT.test(cause.message)) return true;
  }
  return false;
}

/** Makes a call that is safe to repeat, up to four times while D1 has a temporary fault. Throws the last error. */
export async function repeatable<T>(call: () => Promise<T>): Promise<T> {
  for (const waitMs of WAITS_MS) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await scheduler.wait(waitMs);
    }
  }
  return call();
}
