/** Working in another tenant with the same session. */
import { sha256Hex } from "../../base/crypto/encoding";
import { makeRefreshToken } from "../../base/crypto/refresh-token";
import type { Deps } from "../../base/deps";
import { AppError, orNotFound } from "../../base/errors";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { tellOfBrokenGlass } from "../policy/broken-glass";
import { signOnRequired } from "../policy/sign-on-required";
import { findSwitchable, moveSession } from "./store";
import { makeAccessToken, type OpenedSession } from "./tokens";

/** The switch is tried again if a refresh at the same moment has changed the token that it replaces. */
const MAX_TRIES = 3;

/**
 * Moves the caller's session to another of their tenants and returns it with a new token pair; the old pair ends. Their
 * next login opens that tenant, too. Throws NOT_FOUND for a tenant that they are not a member of, SIGN_ON_REQUIRED for
 * one that requires its own sign-on, and CONFLICT after too many refreshes at the same time.
 */
export async function switchTenant(deps: Deps, caller: SessionPrincipal, tenantId: string): Promise<OpenedSession> {
  const { userId, sessionId, actor } = caller;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const current = orNotFound(await findSwitchable(deps, { sessionId, userId, tenantId }), "Tenant");
    const { generation, expiresAt, isRefused } = current;
    if (isRefused === 1) throw await signOnRequired(deps, { tenantId, userId });
    const refreshToken = await makeRefreshToken(deps.keys, { sessionId, generation: generation + 1 });
    const move = { sessionId, userId, tenantId, generation, nextTokenHash: await sha256Hex(refreshToken), actor };
    const moved = await moveSession(deps, move, deps.now());
    if (moved) {
      tellOfBrokenGlass(deps, moved, caller.account.email);
      const accessToken = await makeAccessToken(deps, { ...moved, userId, sessionId });
      return { session: { userId, tenantId, sessionId, expiresAt }, tokens: { accessToken, refreshToken } };
    }
  }
  throw new AppError("CONFLICT", { message: "The session was refreshed at the same time. Try again." });
}
