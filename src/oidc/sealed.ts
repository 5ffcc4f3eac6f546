/** What a browser keeps for us between the steps of a sign-in, encrypted: what it was sent away with, and what it came back with. */
import { decrypt, encrypt } from "../crypto/encryption";
import type { Deps } from "../deps";

interface Expiring {
  /** Unix ms. */
  expiresAt: number;
}

/** Values for one of these are good for no other. */
type Purpose = "flow" | "outcome";

const ownerOf = (purpose: Purpose) => `oidc:${purpose}`;

export const seal = (deps: Deps, purpose: Purpose, value: Expiring): Promise<string> =>
  encrypt(deps.keys, ownerOf(purpose), JSON.stringify(value));

/** Returns null for what is missing or has expired, and for what we did not encrypt. */
export async function unseal<T extends Expiring>(
  deps: Deps,
  purpose: Purpose,
  sealed: string | undefined,
): Promise<T | null> {
  if (!sealed) return null;
  try {
    const value = JSON.parse(await decrypt(deps.keys, ownerOf(purpose), sealed)) as T;
    return value.expiresAt > deps.now() ? value : null;
  } catch {
    return null;
  }
}
