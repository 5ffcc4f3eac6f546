/** The Worker's side of the limiter: Durable Objects by key, or by tenant, reached by RPC. */
import { BoundedMap } from "../bounded-map";
import { AppError, unavailable } from "../errors";
import { describeError, log } from "../log/log";
import type { RateLimiter } from "./durable-object";
import { Lease, type LimiterAccess } from "./lease";
import { FAIL_CLOSED, LEASED, type LimitName, type Rule } from "./rules";
import { type LimitVerdict, resetSeconds, type WindowEntry } from "./window";

export interface Limiter {
  /**
   * Consumes `units` (by default 1) of the limit `name` for `key`, all of them or none. When the limiter is down,
   * returns null for a limit that then lets requests pass. Throws SERVICE_UNAVAILABLE for any other. `limit` stands in
   * for that of the rule, for a key that has its own.
   */
  consume(name: LimitName, key: string, units?: number, limit?: number): Promise<LimitVerdict | null>;
  /**
   * Gives back units that `consume` took and that were not used. Never throws: at worst they count until they leave the
   * window.
   */
  giveBack(name: LimitName, key: string, unused: WindowEntry): Promise<void>;
}

/** The leases of an isolate, by limit and key. One that is dropped loses the few units that it has left. */
export type Leases = BoundedMap<Lease>;

/** Returns the leases of a new isolate. */
export const noLeases = (): Leases => new BoundedMap(10_000);

interface LimiterDeps {
  namespace: DurableObjectNamespace<RateLimiter>;
  rules: Record<LimitName, Rule>;
  leases: Leases;
  background(what: string, work: Promise<unknown>): void;
  now(): number;
}

/** The limits of publishing that a tenant has: all of its windows are in one object. */
const OF_TENANTS: ReadonlySet<LimitName> = new Set<LimitName>(["publish", "tenantDeliveries", "tenantPayloadBytes"]);

/** The object that counts a limit for a key, and the window in it. */
function placeOf(name: LimitName, key: string): { object: string; window: string } {
  if (!OF_TENANTS.has(name)) return { object: `${name}:${key}`, window: "" };
  // Whose requests are counted together may have a word of its own behind the tenant: see `sharersOf`.
  const [tenantId = key] = key.split(" ");
  return { object: `tenant:${tenantId}`, window: `${name}:${key}` };
}

export function createLimiter({ namespace, rules, leases, background, now }: LimiterDeps): Limiter {
  const call = <T>(key: string, method: (object: DurableObjectStub<RateLimiter>) => Promise<T>) =>
    orUnavailable(() => withRetry(() => method(namespace.get(namespace.idFromName(key)))));
  const leaseOf = (name: LimitName, key: string): Lease => {
    const id = `${name}:${key}`;
    const lease = leases.get(id) ?? new Lease(rules[name]);
    // Again, so that the least recently used one is dropped.
    leases.set(id, lease);
    return lease;
  };
  const accessTo = (name: LimitName, key: string, rule: Rule = rules[name]): LimiterAccess => ({
    consume: (demand) => {
      const { object: named, window } = placeOf(name, key);
      return call(named, (object) => object.consume(rule, demand, window));
    },
    background,
    nowMs: now(),
  });
  return {
    async consume(name, key, units = 1, limit = rules[name].limit) {
      const access = accessTo(name, key, { ...rules[name], limit });
      try {
        return await (LEASED.has(name) ? leaseOf(name, key).consume(units, access) : access.consume({ units }));
      } catch (error) {
        if (FAIL_CLOSED.has(name)) throw error;
        return null;
      }
    },
    async giveBack(name, key, unused) {
      const access = accessTo(name, key);
      try {
        if (LEASED.has(name)) await leaseOf(name, key).giveBack(unused, access);
        else await access.consume({ units: 0, unused: [unused] });
      } catch {
        // `orUnavailable` has logged it.
      }
    },
  };
}

/** Throws RATE_LIMITED with `Retry-After` for a refusal. */
export function refuseOverLimit(verdict: LimitVerdict | null): void {
  if (verdict && !verdict.allowed) throw new AppError("RATE_LIMITED", { retryAfterSeconds: resetSeconds(verdict) });
}

/**
 * Makes `call`, and repeats it once after an error that the platform marks as retryable, such as a restart for a new
 * version. Does not repeat it for an overloaded object, which would only add load. `call` must make its own stub,
 * because such an error breaks the stub.
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

/** Turns a failure of the limiter into SERVICE_UNAVAILABLE. */
export async function orUnavailable<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    log("error", "rate limiter failed", describeError(error));
    throw unavailable({ cause: error });
  }
}
