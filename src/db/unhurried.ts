/** Long work on a database that others use too. */
import { repeatable } from "./faults";

/** The longest pause between two pages. */
const MAX_PAUSE_MS = 100;

/** Makes a call that is safe to repeat, and then leaves the database to others for as long as it took. */
export async function unhurried<T>(now: () => number, call: () => Promise<T>): Promise<T> {
  const startedMs = now();
  const result = await repeatable(call);
  await scheduler.wait(Math.min(now() - startedMs, MAX_PAUSE_MS));
  return result;
}
