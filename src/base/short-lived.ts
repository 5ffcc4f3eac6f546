/**
 * States that a client keeps for us, encrypted, for minutes: of a mailed code, a passkey's challenge, a flow with a
 * provider, a sign-in that waits for its second factor. A key that leaked long ago must not make such states, so an old
 * key opens them only shortly after it was the first one.
 */
import { decrypt, encrypt } from "./crypto/encryption";
import { readRecentKeys } from "./db/first-keys-store";
import type { Deps } from "./deps";

/** Encrypts a state. `purpose` is authenticated with it: a state for one purpose cannot be used for another. */
export const encryptState = ({ keys }: Pick<Deps, "keys">, purpose: string, state: unknown): Promise<string> =>
  encrypt(keys, purpose, JSON.stringify(state));

/** Decrypts a state; null when it was not encrypted here for this purpose, or under a key that is too old. */
export async function decryptState<T>(
  deps: Pick<Deps, "db" | "keys" | "now">,
  purpose: string,
  encrypted: string,
): Promise<T | null> {
  const keyId = encrypted.split(".", 1)[0];
  const isOfOldKey = deps.keys.slice(1).some(({ id }) => id === keyId);
  const keys = isOfOldKey ? await readRecentKeys(deps) : deps.keys;
  try {
    return JSON.parse(await decrypt(keys, purpose, encrypted)) as T;
  } catch {
    return null;
  }
}
