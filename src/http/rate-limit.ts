/** The limits of `ratelimit/rules.ts` as middleware, with the RateLimit headers on every answer of a limited route. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError } from "../errors";
import { FAIL_CLOSED, type RuleName } from "../ratelimit/rules";
import { clientIp } from "./client-ip";
import type { AppEnv } from "./env";
import { documented } from "./route-docs";

/** What a limit is counted for. */
interface Bucket {
  per: string;
  keyOf: (c: Context<AppEnv>) => string;
}

export const byIp: Bucket = { per: "IP address", keyOf: (c) => clientIp(c.req.raw) };
export const byUser: Bucket = { per: "user", keyOf: (c) => c.get("principal").userId };
export const byTenant: Bucket = { per: "tenant", keyOf: (c) => c.get("principal").tenantId };

/** Takes one hit of `rule`. Throws RATE_LIMITED with Retry-After. */
export async function takeHit(c: Context<AppEnv>, rule: RuleName, { keyOf }: Bucket): Promise<void> {
  const verdict = await c.get("deps").limiter.take(rule, keyOf(c));
  if (!verdict) return;
  c.header("RateLimit-Limit", String(verdict.limit));
  c.header("RateLimit-Remaining", String(verdict.remaining));
  c.header("RateLimit-Reset", String(verdict.resetSeconds));
  if (!verdict.allowed) throw new AppError("RATE_LIMITED", { retryAfterSeconds: verdict.resetSeconds });
}

/** Takes one hit of `rule` before the handler. Throws 429 with Retry-After. */
export function limit(rule: RuleName, bucket: Bucket) {
  const take = createMiddleware<AppEnv>(async (c, next) => {
    await takeHit(c, rule, bucket);
    await next();
  });
  return documented(take, {
    limit: { rule, per: bucket.per },
    errors: FAIL_CLOSED.has(rule) ? ["RATE_LIMITED", "SERVICE_UNAVAILABLE"] : ["RATE_LIMITED"],
  });
}
