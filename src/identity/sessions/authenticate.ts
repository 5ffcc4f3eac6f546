/** Authenticates a session in one D1 round trip, so that revocation and role changes take effect at once. */

import type { RowsOf, Statements } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { type RequestOrigin, userActor } from "../../base/schemas/actor";
import type { ClientContext } from "../../base/schemas/client-context";
import type { AuthMethod, CurrentUser, SessionPrincipal } from "../../base/schemas/principal";
import { knownRole, type Permission, permissionsOf } from "../../base/schemas/roles";
import { type AccessClaims, type ShownClaims, verifyAccessToken, verifyConsoleToken } from "../../base/signers/jwt";
import { type NewCookie, renewCookie } from "./console-cookie";
import { findLiveConsoleSession, type LiveConsoleSession } from "./console-session-store";
import { findLiveSession, type LiveSession, touchSession } from "./store";

const ACTIVITY_RESOLUTION_MS = 60_000;

/** Returns the principal of an access token; null when the token is invalid or expired or its session is revoked. */
export async function authenticateSession(
  deps: Deps,
  token: string,
  origin: RequestOrigin,
): Promise<SessionPrincipal | null> {
  const nowMs = deps.now();
  const claims = await verifyAccessToken(deps, token, nowMs);
  return claims && admit(deps, claims, await findLiveSession(deps, claims, nowMs), origin);
}

/**
 * Returns the user of a console cookie, and the cookie that takes its place, if it is time for one; none when the
 * cookie is a copy, or its session has ended or is revoked. Without `mayRenew` it stays. The statements of `also` run
 * in the same round trip. Null for a cookie that is invalid or expired.
 */
export async function authenticateConsoleSession<S extends Statements>(
  deps: Deps,
  token: string,
  client: { origin: RequestOrigin; context: () => ClientContext },
  { mayRenew, also }: { mayRenew: boolean; also: (claims: AccessClaims) => S },
): Promise<{ found: { user: CurrentUser; newCookie: NewCookie | null } | null; also: RowsOf<S> } | null> {
  const claims = await verifyConsoleToken(deps, token, deps.now());
  if (!claims) return null;
  const { live, also: read } = await findLiveConsoleSession(deps, claims, also(claims), deps.now());
  return { found: live ? await admitConsole(deps, claims, live, client, mayRenew) : null, also: read };
}

async function admitConsole(
  deps: Deps,
  claims: ShownClaims,
  live: LiveConsoleSession,
  client: { origin: RequestOrigin; context: () => ClientContext },
  mayRenew: boolean,
): Promise<{ user: CurrentUser; newCookie: NewCookie | null } | null> {
  const principal = admit(deps, claims, live.session, client.origin);
  if (!principal) return null;
  const newCookie = await renewCookie(deps, claims, live.cookie, { mayRenew, context: client.context });
  if (newCookie === "ended") return null;
  const cookieGeneration = newCookie?.generation ?? claims.generation;
  return { user: { ...userOf(principal, live.tenants), cookieGeneration }, newCookie };
}

/** What the pages show of the user. */
function userOf(principal: SessionPrincipal, tenants: CurrentUser["tenants"]): Omit<CurrentUser, "cookieGeneration"> {
  const { email, name, emailVerifiedAt, totpEnabledAt, tenantName } = principal.account;
  const [emailVerified, twoFactorEnabled] = [emailVerifiedAt !== null, totpEnabledAt !== null];
  const lacksRecoveryCodes = principal.account.lacksRecoveryCodes === 1;
  return {
    principal,
    email,
    name,
    emailVerified,
    twoFactorEnabled,
    lacksRecoveryCodes,
    tenantName,
    tenants,
  };
}

function admit(
  deps: Deps,
  claims: AccessClaims,
  session: LiveSession | undefined,
  origin: RequestOrigin,
): SessionPrincipal | null {
  if (!session) return null;
  const {
    role: storedRole,
    shard,
    formerShard,
    hasVerifiedOwner,
    isTenantSuspended,
    tenantExternalId,
    secondFactorDueAt,
    signOnDueAt,
    lastActivityAt,
    confirmedAt,
    amr,
    connectionId,
    ...rest
  } = session;
  const { storedBytes, databaseBytes, compressesFrom, hasFeeds, rulesRevision, platformRevision, ...account } = rest;
  const role = knownRole(storedRole);
  const nowMs = deps.now();
  if (nowMs - lastActivityAt >= ACTIVITY_RESOLUTION_MS) {
    deps.background("session activity", touchSession(deps, claims, nowMs));
  }
  return {
    kind: "session",
    userId: claims.userId,
    tenantId: claims.tenantId,
    shard,
    formerShard,
    hasVerifiedOwner: hasVerifiedOwner === 1,
    storedBytes,
    databaseBytes,
    compressesFrom,
    hasFeeds: hasFeeds === 1,
    rulesRevision,
    platformRevision,
    isTenantSuspended: isTenantSuspended === 1,
    tenantExternalId,
    secondFactorDueAt,
    signOnDueAt,
    sessionId: claims.sessionId,
    confirmedAt,
    connectionId,
    methods: amr === null ? [] : (JSON.parse(amr) as AuthMethod[]),
    account,
    role,
    permissions: new Set<Permission>(permissionsOf(role)),
    actor: userActor({ ...claims, email: account.email }, origin),
  };
}
