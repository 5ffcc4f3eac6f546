/** The console's session: who is signed in, by the session cookie. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { RowsOf, Statements } from "../../base/db/client";
import { accessOf } from "../../base/http/access";
import { clientContextOf } from "../../base/http/client-context";
import type { AppEnv } from "../../base/http/env";
import { refuseWriteWhenFull } from "../../base/http/full-database";
import { originOf } from "../../base/http/origin";
import { isOpenWhenSuspended } from "../../base/operation";
import type { CurrentUser } from "../../base/schemas/principal";
import { type AccessClaims, signConsoleToken } from "../../base/signers/jwt";
import { lacksSecondFactor, secondFactorRequired } from "../../identity/policy/lock-out";
import { mustSignOn, signOnRequired } from "../../identity/policy/sign-on-required";
import { authenticateConsoleSession } from "../../identity/sessions/authenticate";
import type { NewCookie } from "../../identity/sessions/console-cookie";
import type { OpenedSession } from "../../identity/sessions/tokens";
import { tenantSuspended } from "../../tenancy/tenants/suspension";
import { withReturnPath } from "../components/address";
import type { FlashKey } from "../flash-messages";
import { deleteConsoleCookie, getConsoleCookie, setConsoleCookie } from "./cookies";
import { hrefOf, isForApps } from "./mount";
import { redirectTo, redirectWithFlash } from "./page";

/**
 * Whether the page's script asks, beside what the user does. It changes no cookie: while another tab switches tenants,
 * its answer may come last, and would take away the cookie of the switch.
 */
const isByScript = (c: Context<AppEnv>): boolean => c.req.header("sec-fetch-dest") === "empty";

/** The signed-in user, for pages that anybody may see; null when nobody is signed in. */
export const findCurrentUser = async (c: Context<AppEnv>): Promise<CurrentUser | null> =>
  (await findCurrentUserWith(c, () => ({})))?.user ?? null;

/**
 * The signed-in user, if there is one, and the rows of `also`, which is read in the same round trip; null for a browser
 * without a good cookie.
 */
export async function findCurrentUserWith<S extends Statements>(
  c: Context<AppEnv>,
  also: (claims: AccessClaims) => S,
): Promise<{ user: CurrentUser | null; also: RowsOf<S> } | null> {
  const token = getConsoleCookie(c, "session");
  if (token === undefined) return null;
  const client = { origin: originOf(c), context: () => clientContextOf(c) };
  const shown = await authenticateConsoleSession(c.get("deps"), token, client, { mayRenew: !isByScript(c), also });
  const found = shown?.found;
  if (found?.newCookie) await setCookie(c, found.user.principal, found.newCookie);
  return shown && { user: found?.user ?? null, also: shown.also };
}

/** Sets the session cookie. The browser gets no token of the API. */
export async function setSession(c: Context<AppEnv>, { session }: OpenedSession): Promise<void> {
  const current: CurrentUser | undefined = c.get("currentUser");
  const isSame = current?.principal.sessionId === session.sessionId;
  await setCookie(c, session, { generation: isSame ? current.cookieGeneration : 0, expiresAt: session.expiresAt });
}

async function setCookie(
  c: Context<AppEnv>,
  { userId, tenantId, sessionId }: AccessClaims,
  { generation, expiresAt }: NewCookie,
): Promise<void> {
  const deps = c.get("deps");
  const claims = { userId, tenantId, sessionId };
  const token = await signConsoleToken(deps, claims, { issuedAt: deps.now(), expiresAt }, generation);
  setConsoleCookie(c, "session", token, expiresAt);
}

/** The handler of a form that has ended the session: shows the flash message on the sign-in page. */
export const signedOut = (key: FlashKey) => (c: Context<AppEnv>) => {
  deleteConsoleCookie(c, "session");
  return redirectWithFlash(c, "/sign-in", key);
};

/** Notes who is signed in, for a page that needs nobody. */
export const noteUser = createMiddleware<AppEnv>(async (c, next) => {
  const currentUser = await findCurrentUser(c);
  if (currentUser) c.set("principal", currentUser.principal);
  await next();
});

/**
 * Redirects to the sign-in page without a live session; a GET comes back after sign-in. 403 in a suspended tenant, and
 * in one that requires its own sign-on, for a session that another credential has opened.
 * Members who lack the second factor that it requires get to the page on which they set one up.
 */
export const requireUser = createMiddleware<AppEnv>(async (c, next) => {
  const currentUser = await findCurrentUser(c);
  if (!currentUser) {
    if (getConsoleCookie(c, "session") !== undefined && !isByScript(c)) deleteConsoleCookie(c, "session");
    return c.redirect(signInPath(c), 303);
  }
  c.set("currentUser", currentUser);
  c.set("principal", currentUser.principal);
  const isOpen = isOpenWhenSuspended(accessOf(c));
  if (currentUser.principal.isTenantSuspended && !isOpen) throw tenantSuspended();
  const deps = c.get("deps");
  if (mustSignOn(deps, currentUser.principal, deps.now()) && !isOpen) {
    throw await signOnRequired(deps, currentUser.principal);
  }
  if (lacksSecondFactor(currentUser.principal, deps.now()) && !isOpen) {
    // The page says why.
    if (c.req.method === "GET") return redirectTo(c, isForApps(c) ? "/second-factor" : "/security");
    throw secondFactorRequired();
  }
  if (!isOpen) refuseWriteWhenFull(c, currentUser.principal);
  await next();
});

function signInPath(c: Context<AppEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  const isFirstPage = pathname === hrefOf(c, "");
  const isForRequest = isForApps(c) && c.req.query("r") !== undefined;
  if (c.req.method !== "GET" || isFirstPage || isForRequest) return hrefOf(c, "/sign-in");
  return hrefOf(c, withReturnPath("/sign-in", pathname + search));
}
