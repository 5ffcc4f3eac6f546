/** The Worker's side of the limiter: one Durable Object per key, reached by RPC, a new stub for every call. */
import { AppError } from "../errors";
import { describeError, log } from "../log";
import type { LockPool, RateLimiter } from "./durable-object";
import { FAIL_CLOSED, type Rule, type RuleName } from "./rules";
import type { Verdict } from "./window";

const RETRY_WHEN_DOWN_SECONDS = 5;

export interface Limiter {
  /** Takes one hit of `name` for `key`; null when the limiter is down and the rule lets pass. Throws 503 when it does not. */
  take(name: RuleName, key: string): Promise<Verdict | null>;
  /** Reserves one guess for an email, known or not. Throws 423 when locked, 503 when the limiter is down. */
  reserveGuess(pool: LockPool, email: string): Promise<void>;
  /** Ends the guess count of an email after a success. */
  clearGuesses(pool: LockPool, email: string): Promise<void>;
}

export function createLimiter(namespace: DurableObjectNamespace<RateLimiter>, rules: Record<RuleName, Rule>): Limiter {
  const stub = (key: string) => namespace.get(namespace.idFromName(key));
  const guard = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      log("error", "rate limiter failed", describeError(error));
      throw new AppError("SERVICE_UNAVAILABLE", { retryAfterSeconds: RETRY_WHEN_DOWN_SECONDS, cause: error });
    }
  };
  return {
    async take(name, key) {
      try {
        return await guard(() => stub(`${name}:${key}`).take(rules[name]));
      } catch (error) {
        if (FAIL_CLOSED.has(name)) throw error;
        return null;
      }
    },
    async reserveGuess(pool, email) {
      const retryAfterSeconds = await guard(() => stub(`lock:${email}`).reserveGuess(pool));
      if (retryAfterSeconds > 0) throw new AppError("ACCOUNT_LOCKED", { retryAfterSeconds });
    },
    async clearGuesses(pool, email) {
      await guard(() => stub(`lock:${email}`).clearGuesses(pool));
    },
  };
}
