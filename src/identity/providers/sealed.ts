/** What a browser keeps for us, encrypted, between the steps of a sign-in: the state of a flow, and then its result. */
import { decrypt, encrypt } from "../../platform/crypto/encryption";
import type { Deps } from "../../platform/deps";

interface Expiring {
  /** Unix ms. */
  expiresAt: number;
}

/** What a value is for. A value sealed for one purpose cannot be used for another. */
type Purpose = "flow" | "outcome";

const ownerOf = (purpose: Purpose) => `oidc:${purpose}`;

export const seal = (deps: Deps, purpose: Purpose, value: Expiring): Promise<string> =>
  encrypt(deps.keys, ownerOf(purpose), JSON.stringify(value));

/** Decrypts a value. Returns null if it is missing, has expired or was not encrypted by us. */
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
