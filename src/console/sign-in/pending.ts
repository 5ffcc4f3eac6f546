/**
 * A sign-in with the right password that waits for its two-factor code. The browser keeps it in a cookie, encrypted.
 */
import type { PendingLogin } from "../../identity/sign-in/login";
import { decrypt, encrypt } from "../../platform/crypto/encryption";
import type { Deps } from "../../platform/deps";
import { MINUTE_MS } from "../../platform/time";

const LIFETIME_MS = 5 * MINUTE_MS;
const OWNER = "console:sign-in";

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
  return { encrypted: await encrypt(deps.keys, OWNER, JSON.stringify({ ...pending, expiresAt })), expiresAt };
}

/** Null when it has expired, or when we did not encrypt it. */
export async function decryptPending(deps: Deps, encrypted: string): Promise<PendingSignIn | null> {
  try {
    const { expiresAt, ...pending } = JSON.parse(await decrypt(deps.keys, OWNER, encrypted)) as PendingSignIn & {
      expiresAt: number;
    };
    return expiresAt > deps.now() ? pending : null;
  } catch {
    return null;
  }
}
