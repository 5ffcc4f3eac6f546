/** Rate limits as middleware, the same for an API route and for the console form that does the same. Their answers carry `RateLimit-*` headers. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError } from "../errors";
import { FAIL_CLOSED, type RuleName } from "../ratelimit/rules";
import { clientIp } from "./client-ip";
import type { AppEnv } from "./env";
import { documented } from "./route-docs";

/** Whose requests are counted together. */
interface Bucket {
  per: string;
  keyOf: (c: Context<AppEnv>) => string;
}

export const byIp: Bucket = { per: "IP address", keyOf: (c) => clientIp(c.req.raw) };
export const byUser: Bucket = { per: "user", keyOf: (c) => c.get("principal").userId };
export const byTenant: Bucket = { per: "tenant", keyOf: (c) => c.get("principal").tenantId };

/** Counts each request against `rule`, before the handler. Throws RATE_LIMITED with `Retry-After`. */
export function limit(rule: RuleName, { per, keyOf }: Bucket) {
  const consume = createMiddleware<AppEnv>(async (c, next) => {
    const verdict = await c.get("deps").limiter.consume(rule, keyOf(c));
    if (verdict) {
      c.header("RateLimit-Limit", String(verdict.limit));
      c.header("RateLimit-Remaining", String(verdict.remaining));
      c.header("RateLimit-Reset", String(verdict.resetSeconds));
      if (!verdict.allowed) throw new AppError("RATE_LIMITED", { retryAfterSeconds: verdict.resetSeconds });
    }
    await next();
  });
  return documented(consume, {
    limit: { rule, per },
    errors: FAIL_CLOSED.has(rule) ? ["RATE_LIMITED", "SERVICE_UNAVAILABLE"] : ["RATE_LIMITED"],
  });
}
