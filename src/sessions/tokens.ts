/** The token pair that stands for a session. */
import { sha256Hex } from "../crypto/encoding";
import { type AccessClaims, signAccessToken } from "../crypto/jwt";
import { makeRefreshToken } from "../crypto/refresh-token";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { DAY_MS } from "../time";
import type { Device } from "./device";
import type { TokenPair } from "./schemas";
import type { NewSession } from "./store";

/** Sliding: each refresh starts it anew, never past `SESSION_MAX_MS` after login. */
export const SESSION_IDLE_MS = 30 * DAY_MS;
export const SESSION_MAX_MS = 90 * DAY_MS;

/** A session and the tokens that stand for it. */
export interface OpenedSession {
  session: NewSession;
  tokens: TokenPair;
}

/** Makes a session's row and its first token pair; nothing is written, the caller's batch does that. */
export async function draftSession(
  deps: Deps,
  owner: { userId: string; tenantId: string },
  device: Device,
): Promise<OpenedSession> {
  const { userId, tenantId } = owner;
  const id = newId();
  const refreshToken = await makeRefreshToken(deps.keys, { sessionId: id, generation: 1 });
  const accessToken = await makeAccessToken(deps, { userId, tenantId, sessionId: id });
  return {
    session: {
      ...device,
      id,
      userId,
      tenantId,
      refreshTokenHash: await sha256Hex(refreshToken),
      expiresAt: deps.now() + SESSION_IDLE_MS,
    },
    tokens: { accessToken, refreshToken },
  };
}

export function makeAccessToken(deps: Deps, claims: AccessClaims): Promise<string> {
  const parties = { issuer: deps.config.tokenIssuer, audience: deps.config.tokenAudience };
  return signAccessToken(deps.keys, parties, claims, deps.now());
}
