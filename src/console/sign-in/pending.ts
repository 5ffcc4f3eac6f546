/**
 * A sign-in with the right password that waits for its two-factor code. The browser keeps it in a cookie, encrypted.
 */

import type { Deps } from "../../base/deps";
import { decryptState, encryptState } from "../../base/short-lived";
import { MINUTE_MS } from "../../base/time";
import type { PendingLogin } from "../../identity/sign-in/schemas";

const LIFETIME_MS = 5 * MINUTE_MS;
const PURPOSE = "console:sign-in";

/** Contains no password. It proves only that the password was right, and only while the cookie lasts. */
export interface PendingSignIn extends PendingLogin {
  /** The path to redirect to after sign-in. */
  to: string;
}

/** The cookie's value, and when it expires (Unix ms). */
export async function encryptPending(
  deps: Deps,
  pending: PendingSignIn,
): Promise<{ encrypted: string; expiresAt: number }> {
  const expiresAt = deps.now() + LIFETIME_MS;
  return { encrypted: await encryptState(deps, PURPOSE, { ...pending, expiresAt }), expiresAt };
}

/** Null when it has expired, or when we did not encrypt it. */
export async function decryptPending(deps: Deps, encrypted: string): Promise<PendingSignIn | null> {
  const opened = await decryptState<PendingSignIn & { expiresAt: number }>(deps, PURPOSE, encrypted);
  if (!opened) return null;
  const { expiresAt, ...pending } = opened;
  return expiresAt > deps.now() ? pending : null;
}
