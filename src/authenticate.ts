/** Authentication of API requests, with an access token, a key or the token of a feed or a portal, in one D1 trip. */
import type { Context, MiddlewareHandler } from "hono";
import { every } from "hono/combine";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { StaleCaller } from "./base/db/recheck";
import { AppError, invalid, notFound } from "./base/errors";
import { accessOf, isOpenTo, refuseOtherCallers } from "./base/http/access";
import type { AppEnv } from "./base/http/env";
import { refuseWriteWhenFull } from "./base/http/full-database";
import { originOf } from "./base/http/origin";
import { requireOperator, servesRequest } from "./base/http/permissions";
import { documented } from "./base/http/route-docs";
import { type Access, isOpenWhenSuspended } from "./base/operation";
import { RESOURCE_METADATA_PATH } from "./base/paths";
import type { PlatformKeyPrincipal, Principal } from "./base/schemas/principal";
import type { Permission } from "./base/schemas/roles";
import { PLATFORM_TENANT } from "./base/schemas/tenant-ref";
import { authenticateApiKey, recallApiKey } from "./identity/api-keys/authenticate";
import { authenticateFeedToken } from "./identity/api-keys/feed-token";
import { authenticatePlatformKey } from "./identity/platform-keys/authenticate";
import { inPlatform } from "./identity/platform-keys/in-platform";
import { lacksSecondFactor, secondFactorRequired } from "./identity/policy/lock-out";
import { mustSignOn, signOnRequired } from "./identity/policy/sign-on-required";
import { authenticatePortalToken } from "./identity/portal/authenticate";
import { authenticateSession } from "./identity/sessions/authenticate";
import { authenticateApp, isTokenOfApp } from "./oauth/our-api/authenticate";
import type { ShownToken } from "./oauth/tokens/shown-token";
import { tenantSuspended } from "./tenancy/tenants/suspension";
import { parseTenantName } from "./tenancy/tenants/tenant-name";

/** Keys and tokens that are known by how they begin. */
const KEY = /^(?:ak|psk|psf|pt)_/;
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+)$/i;
/** Of apps alone: with a proof of the key to which the token is bound (RFC 9449). */
const DPOP = /^DPoP +([A-Za-z0-9._~+/-]+)$/i;
const MAX_CREDENTIAL_CHARACTERS = 4096;

const TENANT_HEADER = "Postern-Tenant";

/**
 * 401 without a valid credential, 403 in a suspended tenant and for members who lack the second factor or the sign-on
 * that it requires, 404 for a session or an API key that names another tenant than its own. A path without a route gets
 * 404.
 */
export const requirePrincipal = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    if (!servesRequest(c)) return next();
    const access = accessOf(c);
    const principal = await admit(c, access);
    if (!isOpenWhenSuspended(access)) refuseWriteWhenFull(c, principal);
    c.set("principal", principal);
    c.set("checkCaller", () => checkCaller(c, access));
    await refuseOtherCallers(c, access);
    await next();
  }),
  {
    caller: "any",
    errors: [
      "UNAUTHENTICATED",
      "RATE_LIMITED",
      "FORBIDDEN",
      "NOT_FOUND",
      "SECOND_FACTOR_REQUIRED",
      "SIGN_ON_REQUIRED",
      "SERVICE_UNAVAILABLE",
    ],
  },
);

/** Tells whoever gets a 401 of the API where it is said how apps get a token (RFC 9728 section 5.1). */
export const sayHowToAuthorize = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { config } = c.get("deps");
  if (c.res.status !== 401 || config.oauthServer === "off") return;
  c.header("WWW-Authenticate", `Bearer resource_metadata="${config.tokenIssuer}${RESOURCE_METADATA_PATH}"`);
});

/**
 * Serves a publish by an API key that this isolate remembers, whose batch checks the key. This way only ever accepts:
 * what it does not accept is decided by the routes behind it, where the key is read first.
 */
export function byRememberedKey(steps: readonly MiddlewareHandler[]): MiddlewareHandler<AppEnv> {
  const publish = every(...steps);
  return createMiddleware<AppEnv>(async (c, next) => {
    const credential = c.req.method === "POST" ? credentialOf(c) : null;
    const isApiKey = credential?.startsWith("ak_") === true;
    const principal = isApiKey ? await recallApiKey(c.get("deps"), credential, originOf(c)) : null;
    if (!principal?.permissions.has("event.publish")) return next();
    try {
      c.set("principal", await inNamedTenant(c, principal));
      await publish(c, next);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      for (const header of ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]) c.header(header, undefined);
      c.set("logFields", {});
      await next();
    }
  });
}

/** Whether the error says that nothing was written, and why. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StaleCaller || error instanceof HTTPException || (error instanceof AppError && error.status < 500);

async function admit(c: Context<AppEnv>, access: Access): Promise<Principal> {
  const principal = await identify(c, access);
  if (!principal) throw new AppError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
  const isOpen = isOpenWhenSuspended(access);
  if (principal.isTenantSuspended && !isOpen) throw tenantSuspended();
  const deps = c.get("deps");
  if (mustSignOn(deps, principal, deps.now()) && !isOpen) throw await signOnRequired(deps, principal);
  if (lacksSecondFactor(principal, deps.now()) && !isOpen) throw secondFactorRequired();
  return principal;
}

/** Throws what a request would be answered with that came now; for the routes that need one permission. */
async function checkCaller(c: Context<AppEnv>, access: Access): Promise<void> {
  const { permissions } = await admit(c, access);
  const refusal = c.get("tenantRefusal");
  if (refusal) throw refusal;
  const isAllowed = [...permissions, undefined].includes(access.permission as Permission | undefined);
  if (!isAllowed) throw new AppError("FORBIDDEN");
}

/** `X-API-Key`. Clients that others generate put whatever they are given into each header that a route takes. */
function keyOf(c: Context<AppEnv>): string | undefined {
  const key = c.req.header("x-api-key");
  return key && (KEY.test(key) || !c.req.header("authorization")) ? key : undefined;
}

function credentialOf(c: Context<AppEnv>): string | null {
  const credential = keyOf(c) || c.req.header("authorization")?.match(BEARER)?.[1];
  return credential && credential.length <= MAX_CREDENTIAL_CHARACTERS ? credential : null;
}

/** The token of an app, as it is shown. */
function shownBy(c: Context<AppEnv>, token: string, scheme: ShownToken["scheme"]): ShownToken {
  const url = `${c.get("deps").config.tokenIssuer}${c.req.path}`;
  return { token, scheme, dpop: c.req.header("dpop"), method: c.req.method, url };
}

async function appIn(c: Context<AppEnv>, access: Access, shown: ShownToken): Promise<Principal | null> {
  if (!isOpenTo(access, "api-key") || shown.token.length > MAX_CREDENTIAL_CHARACTERS) return null;
  const app = await authenticateApp(c.get("deps"), shown, originOf(c));
  return app && inNamedTenant(c, app);
}

async function identify(c: Context<AppEnv>, access: Access): Promise<Principal | null> {
  const deps = c.get("deps");
  const bound = c.req.header("authorization")?.match(DPOP)?.[1];
  if (bound && !keyOf(c)) return isTokenOfApp(deps, bound) ? appIn(c, access, shownBy(c, bound, "DPoP")) : null;
  const credential = credentialOf(c);
  if (!credential) return null;
  if (credential.startsWith("psk_")) return platformKey(c, credential);
  if (credential.startsWith("psf_")) {
    if (!isOpenTo(access, "feed-token")) return null;
    const principal = await authenticateFeedToken(deps, credential, c.get("clientIp"), originOf(c));
    return principal && inNamedTenant(c, principal);
  }
  if (credential.startsWith("pt_")) {
    if (!isOpenTo(access, "portal")) throw new AppError("UNAUTHENTICATED", PORTAL_CONFINED);
    const principal = await authenticatePortalToken(deps, credential, c.get("clientIp"), originOf(c));
    return principal && inNamedTenant(c, principal);
  }
  if (credential.startsWith("ak_")) {
    const principal = await authenticateApiKey(deps, credential, c.get("clientIp"), originOf(c));
    // The owner of a key that has stopped is looked for by the tenant and the first characters of the key.
    if (principal && "ended" in principal) c.set("logFields", principal.ended);
    return principal === null || "ended" in principal ? null : inNamedTenant(c, principal);
  }
  if (keyOf(c)) return null;
  if (isTokenOfApp(deps, credential)) return appIn(c, access, shownBy(c, credential, "Bearer"));
  const principal = await authenticateSession(deps, credential, originOf(c));
  return principal && inNamedTenant(c, principal);
}

const PORTAL_CONFINED = {
  message: "Portal access does not reach this.",
  headers: { "WWW-Authenticate": "Bearer" },
};

/** Notes why the key cannot act in a tenant. The routes below `/platform` need none. */
async function platformKey(c: Context<AppEnv>, key: string): Promise<Principal | null> {
  const named = c.req.header(TENANT_HEADER) ?? "";
  const found = await authenticatePlatformKey(c.get("deps"), key, named, c.get("clientIp"), originOf(c));
  if (found && named === "") c.set("tenantRefusal", invalid(NO_TENANT_NAMED));
  else if (found?.isInTenant === false) c.set("tenantRefusal", notFound("Tenant"));
  return found?.principal ?? null;
}

const NO_TENANT_NAMED = {
  issues: [{ path: [TENANT_HEADER], message: "Name the tenant by its id, or as ext: and your own id for it" }],
};

/** Returns the principal in the tenant that the request names. Throws NOT_FOUND for any but its own. */
async function inNamedTenant(
  c: Context<AppEnv>,
  principal: Exclude<Principal, PlatformKeyPrincipal>,
): Promise<Principal> {
  const named = c.req.header(TENANT_HEADER) ?? "";
  const { id, externalId } = parseTenantName(named);
  const own = id === null ? principal.tenantExternalId === externalId : principal.tenantId === id;
  if (named === "" || own) return principal;
  if (named !== PLATFORM_TENANT || principal.kind !== "session") throw notFound("Tenant");
  requireOperator(c.get("deps").config, principal, "Tenant");
  return inPlatform(c.get("deps"), principal);
}
