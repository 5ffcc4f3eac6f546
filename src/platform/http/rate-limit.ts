/**
 * Rate limits as middleware, for API routes and for the console forms that do the same. Responses carry `RateLimit-*`
 * headers.
 */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ErrorCode } from "../errors";
import { refuseOverLimit } from "../limits/limiter";
import { FAIL_CLOSED, type RuleName } from "../limits/rules";
import { resetSeconds } from "../limits/window";
import type { AppEnv } from "./env";
import { documented } from "./route-docs";

/** Whose requests are counted together. */
interface Bucket {
  per: string;
  keyOf: (c: Context<AppEnv>) => string;
}

export const byIp: Bucket = { per: "IP address", keyOf: (c) => c.get("clientIp") };
export const byUser: Bucket = { per: "user", keyOf: (c) => c.get("principal").userId };
export const byTenant: Bucket = { per: "tenant", keyOf: (c) => c.get("principal").tenantId };

/**
 * Counts each request against `rule` before the handler runs; with `when`, only the requests for which it is true.
 * Throws RATE_LIMITED with `Retry-After`. A request that a later limit refuses does not count.
 */
export function limit(rule: RuleName, { per, keyOf }: Bucket, when?: (c: Context<AppEnv>) => boolean) {
  const consume = createMiddleware<AppEnv>(async (c, next) => {
    if (when && !when(c)) return next();
    const { limiter, background } = c.get("deps");
    const key = keyOf(c);
    const verdict = await limiter.consume(rule, key);
    if (!verdict) return next();
    c.header("RateLimit-Limit", String(verdict.limit));
    c.header("RateLimit-Remaining", String(verdict.remaining));
    c.header("RateLimit-Reset", String(resetSeconds(verdict)));
    refuseOverLimit(verdict);
    await next();
    if (c.res.status === 429) {
      background("rate limit", limiter.giveBack(rule, key, { leavesAtMs: verdict.leavesAtMs, units: 1 }));
    }
  });
  return documented(consume, { limit: { rule, per }, errors: errorsOf(rule) });
}

/**
 * Documents a limit that the domain function behind the route enforces. Put it before the route's own `limit`, if there
 * is one.
 */
export function limitedInside(rule: RuleName, per: string) {
  const passThrough = createMiddleware<AppEnv>((_c, next) => next());
  return documented(passThrough, { limit: { rule, per }, errors: errorsOf(rule) });
}

const errorsOf = (rule: RuleName): ErrorCode[] =>
  FAIL_CLOSED.has(rule) ? ["RATE_LIMITED", "SERVICE_UNAVAILABLE"] : ["RATE_LIMITED"];
