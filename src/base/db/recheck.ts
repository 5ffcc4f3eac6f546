/**
 * Callers that an isolate remembers from an earlier request: the batch that writes for them begins with a statement
 * that fails it if they have changed since they were read. So a revocation takes effect at once without a trip for it.
 */
import { type Bound, violates } from "./client";

/** The statement. `nowMs` decides what has expired. */
export type Recheck = (nowMs: number) => Bound<never>;

/** Thrown when the caller must be read before anything else is decided; nothing was written. */
export class StaleCaller extends Error {}

/** Makes a call that `repeatable` may repeat, with a `Recheck` in its batch. Throws StaleCaller if that fails it. */
export function unlessStale<T>(write: () => Promise<T>): () => Promise<T> {
  let fault: unknown;
  return async () => {
    try {
      return await write();
    } catch (error) {
      if (!violates(error, "NOT NULL", "api_keys.id")) {
        fault = error;
        throw error;
      }
      // The try with the fault may have written before the caller changed: the same must not be written again.
      throw fault ?? new StaleCaller("the caller has changed", { cause: error });
    }
  };
}
