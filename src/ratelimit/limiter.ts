/** The Worker's side of the limiter: one Durable Object per key, reached by RPC. */
import { AppError } from "../errors";
import { describeError, log } from "../log";
import type { GuessPool, RateLimiter } from "./durable-object";
import { FAIL_CLOSED, type Rule, type RuleName } from "./rules";
import type { Verdict, WindowEntry } from "./window";

const RETRY_WHEN_DOWN_SECONDS = 5;

export interface Limiter {
  /**
   * Consumes one unit of the rule `name` for `key`. Returns null when the limiter is down and the rule lets requests pass then.
   * Throws SERVICE_UNAVAILABLE when it does not.
   */
  consume(name: RuleName, key: string): Promise<Verdict | null>;
  /** Gives units back that `consume` took: the request was refused for another reason that does not count. */
  giveBack(name: RuleName, key: string, unused: WindowEntry): Promise<void>;
  /** Counts one guess for an email address, known or not. Throws ACCOUNT_LOCKED, or SERVICE_UNAVAILABLE when the limiter is down. */
  reserveGuess(pool: GuessPool, email: string): Promise<void>;
  /** Forgets the failed guesses for an email address. Throws SERVICE_UNAVAILABLE when the limiter is down. */
  clearGuesses(pool: GuessPool, email: string): Promise<void>;
}

export function createLimiter(namespace: DurableObjectNamespace<RateLimiter>, rules: Record<RuleName, Rule>): Limiter {
  const call = <T>(key: string, method: (object: DurableObjectStub<RateLimiter>) => Promise<T>) =>
    orUnavailable(() => withRetry(() => method(namespace.get(namespace.idFromName(key)))));
  return {
    async consume(name, key) {
      try {
        return await call(`${name}:${key}`, (object) => object.consume(rules[name], { units: 1 }));
      } catch (error) {
        if (FAIL_CLOSED.has(name)) throw error;
        return null;
      }
    },
    async giveBack(name, key, unused) {
      await call(`${name}:${key}`, (object) => object.consume(rules[name], { units: 0, unused: [unused] }));
    },
    async reserveGuess(pool, email) {
      const retryAfterSeconds = await call(`lock:${email}`, (object) => object.reserveGuess(pool));
      if (retryAfterSeconds > 0) throw new AppError("ACCOUNT_LOCKED", { retryAfterSeconds });
    },
    async clearGuesses(pool, email) {
      await call(`lock:${email}`, (object) => object.clearGuesses(pool));
    },
  };
}

/** Throws RATE_LIMITED with `Retry-After` for a refusal. */
export function refuseOverLimit(verdict: Verdict | null): void {
  if (verdict && !verdict.allowed) throw new AppError("RATE_LIMITED", { retryAfterSeconds: verdict.resetSeconds });
}

/**
 * Makes `call`, once more after an error that the platform marks as retryable, such as a restart for a new version. An overloaded object
 * gets no second call: that would only add load. `call` must make its own stub, for a stub is broken after such an error.
 */
export async function withRetry<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { retryable, overloaded } = error as { retryable?: boolean; overloaded?: boolean };
    if (!retryable || overloaded) throw error;
    return call();
  }
}

async function orUnavailable<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    log("error", "rate limiter failed", describeError(error));
    throw new AppError("SERVICE_UNAVAILABLE", { retryAfterSeconds: RETRY_WHEN_DOWN_SECONDS, cause: error });
  }
}
