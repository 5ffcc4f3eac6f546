/** What a route requires of an authenticated caller. */
import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import type { Config } from "../config/config";
import { AppError, notFound } from "../errors";
import { isOperator } from "../operator";
import { type PlatformScope, permissionsOfScopes } from "../schemas/platform-scopes";
import type { SetupTask } from "../schemas/portal-schemas";
import {
  isConfined,
  OWN_CREDENTIALS_NEEDED,
  type PlatformKeyPrincipal,
  type Principal,
  type SessionPrincipal,
} from "../schemas/principal";
import type { Permission } from "../schemas/roles";
import { PLATFORM_TENANT } from "../schemas/tenant-ref";
import type { AppEnv } from "./env";
import { countRefused } from "./rate-limit";
import { docsOf, documented } from "./route-docs";

/**
 * 403 unless the caller has `permission`; then the refusal of a platform key that names no tenant of its own. In the
 * tenant of the platform, whose events tell of people, such a key needs `inPlatform` for what shows no records of them.
 * A path without a route has no principal and gets 404.
 */
export function can(permission: Permission, inPlatform: Permission | null = null) {
  const check = createMiddleware<AppEnv>(async (c, next) => {
    if (!servesRequest(c)) return next();
    const principal = c.get("principal");
    const has = principal.permissions.has(permission) || (inPlatform !== null && hasInPlatform(principal, inPlatform));
    if (!has) throw await forbidden(c);
    const refusal = c.get("tenantRefusal");
    if (refusal) throw refusal;
    await next();
  });
  return documented(check, { permission, errors: ["FORBIDDEN", "VALIDATION_FAILED"] });
}

const hasInPlatform = (principal: Principal, permission: Permission): boolean =>
  principal.kind === "platform-key" &&
  principal.tenantId === PLATFORM_TENANT &&
  permissionsOfScopes([...principal.scopes]).has(permission);

/** 403 unless the caller is an owner of the tenant. */
export const ownersOnly = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    if (sessionOf(c).role !== "owner") throw await forbidden(c, "Only an owner can do this.");
    await next();
  }),
  { errors: ["FORBIDDEN"] },
);

/** As `check`; for the session of a setup link, 403 unless the link is for `task`. */
export function orInSetup(task: SetupTask | undefined, check: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> {
  if (task === undefined) return check;
  const either = createMiddleware<AppEnv>(async (c, next) => {
    const principal = c.get("principal");
    if (principal.kind !== "setup") return check(c, next);
    if (!principal.setup.may.has(task)) throw await forbidden(c);
    await next();
  });
  return documented(either, docsOf(check) ?? {});
}

/** 403 in a session that the tenant's own sign-on has opened: whoever rules its provider must not rule the person. */
export const notInConfinedSession = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    const principal: Principal | undefined = c.get("principal");
    if (principal && isConfined(principal)) throw await forbidden(c, OWN_CREDENTIALS_NEEDED);
    await next();
  }),
  { errors: ["FORBIDDEN"] },
);

/** Counts the request for the caller alone, so that it uses up no limit of the tenant. */
export async function forbidden(c: Context<AppEnv>, message?: string): Promise<AppError> {
  await countRefused(c);
  return new AppError("FORBIDDEN", message === undefined ? {} : { message });
}

const SECOND_FACTOR_NEEDED =
  "Operators need two-factor authentication. Turn it on for your account (POST /auth/2fa/enable, or My security in " +
  "the console), or confirm this session with a two-factor code or a passkey (POST /auth/step-up), and try again.";

/**
 * Whether the session was opened or confirmed with what operators need, and the account still has it: a session stays
 * when two-factor authentication is turned off. A recovery code is meant to repair an account, not to operate the
 * service.
 */
export const hasOperatorFactor = ({ methods, account }: SessionPrincipal): boolean =>
  methods.includes("passkey") || (methods.includes("totp") && account.totpEnabledAt !== null);

/** Throws NOT_FOUND for somebody who is no operator, and FORBIDDEN without a second factor in the session. */
export function requireOperator(config: Config, session: SessionPrincipal, missing: string): void {
  if (!isOperator(config, session)) throw notFound(missing);
  if (!hasOperatorFactor(session)) throw new AppError("FORBIDDEN", { message: SECOND_FACTOR_NEEDED });
}

/**
 * 404 unless the caller is an operator, as for a missing route; 403 unless the session was opened or confirmed with
 * TOTP or a passkey.
 */
export const operatorsOnly = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    requireOperator(c.get("deps").config, sessionOf(c), c.req.path.startsWith("/api/") ? "Route" : "Page");
    await next();
  }),
  // Operators cannot lock themselves out of a suspended tenant.
  { errors: ["NOT_FOUND", "FORBIDDEN"], access: { permission: "operator" } },
);

/**
 * 403 for a platform key without the scope. For somebody who is no operator, as for a missing route; operators are told
 * what they need.
 */
export function platformKeysOnly(scope: PlatformScope) {
  const check = createMiddleware<AppEnv>(async (c, next) => {
    const principal = c.get("principal");
    if (principal.kind === "session" && !isOperator(c.get("deps").config, principal)) throw notFound("Route");
    if (!platformKeyOf(c).scopes.has(scope)) throw await forbidden(c);
    await next();
  });
  return documented(check, { caller: "platform", scope, errors: ["FORBIDDEN", "NOT_FOUND"] });
}

/** As `platformKeysOnly` for a platform key, and as `operatorsOnly` for everybody else. */
export function operatorsOrKeys(scope: PlatformScope) {
  const check = createMiddleware<AppEnv>(async (c, next) => {
    const principal = c.get("principal");
    if (principal.kind !== "platform-key") requireOperator(c.get("deps").config, sessionOf(c), "Route");
    else if (!principal.scopes.has(scope)) throw await forbidden(c);
    await next();
  });
  return documented(check, { scope, errors: ["FORBIDDEN", "NOT_FOUND"] });
}

/** The caller's platform key. Throws FORBIDDEN for a session, and UNAUTHENTICATED for an API key. */
export function platformKeyOf(c: Context<AppEnv>): PlatformKeyPrincipal {
  const principal = c.get("principal");
  if (principal.kind === "platform-key") return principal;
  if (principal.kind === "api-key") throw apiKeyRefused();
  throw new AppError("FORBIDDEN", { message: "Use a platform key." });
}

/** Whether a route, and not just middleware, serves the request. */
export function servesRequest(c: Context<AppEnv>): boolean {
  return matchedRoutes(c).some((route) => route.method !== "ALL");
}

/** The caller's session. Throws UNAUTHENTICATED for a key. */
export function sessionOf(c: Context<AppEnv>): SessionPrincipal {
  const principal = c.get("principal");
  if (principal.kind !== "session") throw apiKeyRefused();
  return principal;
}

/** The refusal of a key where only people may ask. */
export const apiKeyRefused = () => new AppError("UNAUTHENTICATED", { message: "API keys are not accepted here." });
