/**
 * Rate limits as middleware, for API routes and for the console forms that do the same. Responses carry `RateLimit-*`
 * headers.
 */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ErrorCode } from "../errors";
import { consumeByAddress } from "../limits/by-address";
import { refuseOverLimit } from "../limits/limiter";
import { FAIL_CLOSED, type RuleName } from "../limits/rules";
import { sharersOf } from "../limits/sharers";
import { type LimitVerdict, resetSeconds } from "../limits/window";
import type { Principal } from "../schemas/principal";
import { PLATFORM_TENANT } from "../schemas/tenant-ref";
import type { AppEnv } from "./env";
import { documented } from "./route-docs";

/** Whose requests are counted together. */
const KEYS = {
  "IP address": (c: Context<AppEnv>) => c.get("clientIp"),
  user: (c: Context<AppEnv>) => c.get("principal").userId,
  // The key, if it belongs to no user.
  "user or key": (c: Context<AppEnv>) => c.get("principal").userId || (c.get("principal").actor.id ?? ""),
  tenant: (c: Context<AppEnv>) => sharersOf(c.get("principal")),
  // All its keys and operators: what they change belongs to none of them.
  platform: () => PLATFORM_TENANT,
  "platform key": (c: Context<AppEnv>) => c.get("principal").actor.id ?? "",
  // With the tenant: others cannot use up the limit of a feed whose id they know.
  feed: (c: Context<AppEnv>) => `${sharersOf(c.get("principal"))} ${c.req.param("id")}`,
} as const;

interface Counting {
  /** Which requests count; all unless given. */
  when?: ((c: Context<AppEnv>) => boolean) | undefined;
  /** What a request counts as; 1 unless given. */
  units?: number | undefined;
}

/**
 * Counts each request against `rule` before the handler runs. Throws RATE_LIMITED with `Retry-After`. A request that a
 * later limit refuses does not count.
 */
export function limit(rule: RuleName, per: keyof typeof KEYS, { when, units = 1 }: Counting = {}) {
  const count = createMiddleware<AppEnv>(async (c, next) => {
    if (when && !when(c)) return next();
    const { limiter, background } = c.get("deps");
    const key = KEYS[per](c);
    const verdict =
      per === "IP address"
        ? shown(c, await consumeByAddress(c.get("deps"), rule, key, units))
        : await consume(c, rule, key, { units });
    const giveBack = () => {
      if (verdict) background("rate limit", limiter.giveBack(rule, key, { leavesAtMs: verdict.leavesAtMs, units }));
    };
    try {
      await next();
    } catch (error) {
      // A remembered caller is read now, and the request is served and counted again.
      if (isRemembered(c)) giveBack();
      throw error;
    }
    if (c.res.status === 429) giveBack();
  });
  return documented(count, { limit: { rule, per }, errors: errorsOf(rule) });
}

/** Whether the caller was not read for this request. Public routes have none. */
function isRemembered(c: Context<AppEnv>): boolean {
  const principal: Principal | undefined = c.get("principal");
  return principal?.recheck !== undefined;
}

/** Counts a request that is refused for lack of a permission, in a bucket of the caller. Throws RATE_LIMITED. */
export async function countRefused(c: Context<AppEnv>): Promise<void> {
  const { actor, userId } = c.get("principal");
  await consume(c, "refused", actor.id ?? userId);
}

/** Counts a request, whose key its handler knows. Throws RATE_LIMITED; `max` stands in for the limit of the rule. */
export async function consume(
  c: Context<AppEnv>,
  rule: RuleName,
  key: string,
  { units = 1, max }: { units?: number; max?: number | undefined } = {},
): Promise<LimitVerdict | null> {
  return shown(c, await c.get("deps").limiter.consume(rule, key, units, max));
}

/** Tells the client of a verdict. Throws RATE_LIMITED for a refusal. */
function shown(c: Context<AppEnv>, verdict: LimitVerdict | null): LimitVerdict | null {
  if (!verdict) return null;
  c.header("RateLimit-Limit", String(verdict.limit));
  c.header("RateLimit-Remaining", String(verdict.remaining));
  c.header("RateLimit-Reset", String(resetSeconds(verdict)));
  refuseOverLimit(verdict);
  return verdict;
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
