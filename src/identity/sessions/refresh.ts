/**
 * Refresh: each token works once. A second use suggests that somebody else has it, so the session ends (RFC 9700
 * section 4.14.2).
 */

import { sha256Hex } from "../../base/crypto/encoding";
import { makeRefreshToken, type RefreshClaims, readRefreshToken } from "../../base/crypto/refresh-token";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { ClientContext } from "../../base/schemas/client-context";
import { MINUTE_MS } from "../../base/time";
import { signOnRequired } from "../policy/sign-on-required";
import { deleteSessionByToken, type Refresh, type RefreshedSession, refreshByToken } from "./refresh-store";
import type { TokenPair } from "./schemas";
import { makeAccessToken, SESSION_IDLE_MS, SESSION_MAX_MS } from "./tokens";

/**
 * A client may send a request twice by mistake. Within this time that does not end its session, unless address and
 * device differ.
 */
const DOUBLE_SEND_MS = 10_000;
/** How long an Idempotency-Key can recover a lost answer. */
const REPLAY_MS = MINUTE_MS;

/**
 * Exchanges a refresh token for a new pair. A client that lost the answer gets the same refresh token again with the
 * same `idempotencyKey`. Throws REFRESH_TOKEN_INVALID, REFRESH_TOKEN_EXPIRED, REFRESH_TOKEN_REUSED, and
 * SIGN_ON_REQUIRED, which does not use the token up.
 */
export async function refresh(
  deps: Deps,
  token: string,
  idempotencyKey: string | null,
  { device, origin }: ClientContext,
): Promise<TokenPair> {
  const claims = await readRefreshToken(deps.keys, token);
  if (!claims) throw new AppError("REFRESH_TOKEN_INVALID");
  const nowMs = deps.now();
  const refreshToken = await makeRefreshToken(deps.keys, { ...claims, generation: claims.generation + 1 });
  const next = {
    ...claims,
    tokenHash: await sha256Hex(token),
    nextTokenHash: await sha256Hex(refreshToken),
    keyHash: idempotencyKey && (await sha256Hex(idempotencyKey)),
    device,
    idleMs: SESSION_IDLE_MS,
    maxMs: SESSION_MAX_MS,
  };
  const { refreshed, session } = await refreshByToken(deps, next, nowMs);
  if (!session) throw new AppError("REFRESH_TOKEN_INVALID");
  if (refreshed) return pairFor(deps, session, claims, refreshToken);
  if (session.expiresAt <= nowMs) throw new AppError("REFRESH_TOKEN_EXPIRED");
  if (session.isRefused === 1 && session.refreshTokenHash === next.tokenHash) {
    throw await signOnRequired(deps, session);
  }
  if (session.generation === claims.generation) throw new AppError("REFRESH_TOKEN_INVALID");
  return answerReuse(deps, session, claims, next, origin);
}

async function answerReuse(
  deps: Deps,
  session: RefreshedSession,
  claims: RefreshClaims,
  { keyHash, device }: Pick<Refresh, "keyHash" | "device">,
  origin: RequestOrigin,
): Promise<TokenPair> {
  const isPredecessor = session.generation === claims.generation + 1;
  const ageMs = deps.now() - session.rotatedAt;
  if (isPredecessor && keyHash !== null && keyHash === session.rotationKeyHash && ageMs <= REPLAY_MS) {
    const refreshToken = await currentToken(deps, claims.sessionId, session);
    if (refreshToken) return pairFor(deps, session, claims, refreshToken);
  }
  const isElsewhere = device.ipAddress !== session.ipAddress && device.deviceName !== session.deviceName;
  if (!isPredecessor || ageMs > DOUBLE_SEND_MS || isElsewhere) {
    const ended = await deleteSessionByToken(deps, claims.sessionId, "auth.refresh_reused", origin, deps.now());
    if (ended) await queueMailIfPossible(deps, { kind: "refreshTokenReused", userId: session.userId });
  }
  throw new AppError("REFRESH_TOKEN_REUSED");
}

/**
 * Returns the token that the session accepts now, by trying every key; null when the key that made it has been removed.
 */
async function currentToken(deps: Deps, sessionId: string, session: RefreshedSession): Promise<string | null> {
  for (const key of deps.keys) {
    const token = await makeRefreshToken(deps.keys, { sessionId, generation: session.generation }, key);
    if ((await sha256Hex(token)) === session.refreshTokenHash) return token;
  }
  return null;
}

async function pairFor(
  deps: Deps,
  session: RefreshedSession,
  { sessionId }: RefreshClaims,
  refreshToken: string,
): Promise<TokenPair> {
  if (session.isRefused === 1) throw await signOnRequired(deps, session);
  return { accessToken: await makeAccessToken(deps, { ...session, sessionId }), refreshToken };
}

/** Ends the session of a refresh token. Does nothing for a token without a session. */
export async function logout(deps: Deps, token: string, origin: RequestOrigin): Promise<void> {
  const claims = await readRefreshToken(deps.keys, token);
  if (claims) await deleteSessionByToken(deps, claims.sessionId, "auth.logout", origin, deps.now());
}
