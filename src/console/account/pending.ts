/** A sign-in with the right password that waits for its two-factor code. The browser keeps it in a cookie, encrypted. */
import { decrypt, encrypt } from "../../crypto/encryption";
import type { Deps } from "../../deps";

const LIFETIME_MS = 5 * 60_000;
const OWNER = "console:sign-in";

export interface PendingSignIn {
  email: string;
  password: string;
  /** The path to redirect to after sign-in. */
  to: string;
}

export function encryptPending(deps: Deps, pending: PendingSignIn): Promise<string> {
  return encrypt(deps.keys, OWNER, JSON.stringify({ ...pending, expiresAt: deps.now() + LIFETIME_MS }));
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
