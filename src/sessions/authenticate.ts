/** From an access token to a principal, in one D1 round trip: revocation and role changes take effect at once. */
import { verifyAccessToken } from "../crypto/jwt";
import type { Deps } from "../deps";
import { isRole, type Permission, type Principal, permissionsOf } from "../tenants/roles";
import { findLiveSession, touchSession } from "./store";

const ACTIVITY_RESOLUTION_MS = 60_000;

/** Null for a bad, expired or revoked token. */
export async function authenticateSession(deps: Deps, token: string): Promise<Principal | null> {
  const { tokenIssuer, tokenAudience } = deps.config;
  const parties = { issuer: tokenIssuer, audience: tokenAudience };
  const nowMs = deps.now();
  const claims = await verifyAccessToken(deps.keys, parties, token, nowMs);
  if (!claims) return null;
  const session = await findLiveSession(deps, claims, nowMs);
  if (!session || !isRole(session.role)) return null;
  const { role, lastActivityAt, ...account } = session;
  if (nowMs - lastActivityAt >= ACTIVITY_RESOLUTION_MS) {
    deps.background("session activity", touchSession(deps, claims, nowMs));
  }
  return {
    kind: "session",
    userId: claims.userId,
    tenantId: claims.tenantId,
    sessionId: claims.sessionId,
    account,
    role,
    permissions: new Set<Permission>(permissionsOf(role)),
  };
}
