/**
 * The console's cookie is replaced every hour. Whoever shows a replaced one from elsewhere has copied it, or the other
 * has: the session ends.
 */

import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { ClientContext } from "../../base/schemas/client-context";
import type { ShownClaims } from "../../base/signers/jwt";
import { HOUR_MS, MINUTE_MS } from "../../base/time";
import { replaceCookie } from "./console-cookie-store";
import type { StoredCookie } from "./console-session-store";
import { deleteSessionByToken } from "./refresh-store";

const REPLACED_AFTER_MS = HOUR_MS;
/** For so long a browser may have requests under way that it sent with the former cookie. */
const UNDER_WAY_MS = MINUTE_MS;

/** A cookie that the answer sets. */
export interface NewCookie {
  generation: number;
  /** Unix ms. */
  expiresAt: number;
}

/** Returns the cookie that takes the place of the shown one; null if that may stay, "ended" if it was copied. */
export async function renewCookie(
  deps: Deps,
  shown: ShownClaims,
  stored: StoredCookie,
  { mayRenew, context }: { mayRenew: boolean; context: () => ClientContext },
): Promise<NewCookie | "ended" | null> {
  const { generation, sessionId, userId } = shown;
  const nowMs = deps.now();
  const isCurrent = generation >= stored.cookieGeneration;
  if (isCurrent && (!mayRenew || nowMs - shown.issuedAt < REPLACED_AFTER_MS)) return null;
  const { device, origin } = context();
  if (isCurrent) {
    const isReplaced = await replaceCookie(deps, { sessionId, generation, device }, nowMs);
    // Otherwise a parallel request has replaced it.
    return isReplaced ? { generation: generation + 1, expiresAt: stored.expiresAt } : null;
  }
  const isFormer = generation + 1 === stored.cookieGeneration;
  const [sameAddress, sameDevice] = [device.ipAddress === stored.ipAddress, device.deviceName === stored.deviceName];
  const isUnderWay = nowMs - (stored.cookieReplacedAt ?? 0) <= UNDER_WAY_MS;
  if (isFormer && isUnderWay && (sameAddress || sameDevice)) return null;
  // The answer with the new cookie was lost.
  const next = { generation: generation + 1, expiresAt: stored.expiresAt };
  if (isFormer && sameAddress && sameDevice) return mayRenew ? next : null;
  const ended = await deleteSessionByToken(deps, sessionId, "auth.refresh_reused", origin, nowMs);
  if (ended) await queueMailIfPossible(deps, { kind: "refreshTokenReused", userId });
  return "ended";
}
