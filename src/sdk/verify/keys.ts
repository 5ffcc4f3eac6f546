/** The keys that verify deliveries: secrets for `v1` signatures, Ed25519 public keys for `v1a`. */
import { importPublicKey } from "./ed25519";
import { anyOfKeySet, type KeySet } from "./key-set";

const PUBLIC_KEY_PREFIX = "whpk_";
const PRIVATE_KEY_PREFIX = "whsk_";
const MAX_KEYS = 5;

/**
 * What verifies a delivery. Never take it from the request itself.
 * - A subscription's secret (`whsec_...` or any other text) verifies `v1` signatures.
 * - A public key (`whpk_...`) verifies `v1a` signatures.
 * - A list of up to 5 of them accepts a delivery that any of them verifies: the old and the new one during a rotation.
 * - `{ jwks: url }` verifies `v1a` signatures with the public keys at that URL, which follow a rotation by themselves.
 */
export type VerificationKeys = string | readonly string[] | KeySet;

/** Keys by what they verify. A public key is never used as a secret, because then anybody could sign with it. */
interface ParsedKeys {
  secrets: string[];
  /** Whether `verifies` returns true for the public keys. Throws DeliveryError: KEYS_UNAVAILABLE. */
  anyPublicKey: (verifies: (keys: CryptoKey[]) => Promise<boolean>) => Promise<boolean>;
}

/** Throws TypeError for no key, more than 5, an empty, malformed or private one, and a key set without a URL. */
export async function parseKeys(keys: VerificationKeys, nowMs: number): Promise<ParsedKeys> {
  if (isKeySet(keys)) return { secrets: [], anyPublicKey: (verifies) => anyOfKeySet(keys, nowMs, verifies) };
  const list = typeof keys === "string" ? [keys] : keys;
  if (!list?.length || list.includes("")) throw new TypeError("Pass at least one key, and no empty one.");
  if (list.length > MAX_KEYS) throw new TypeError(`Pass at most ${MAX_KEYS} keys.`);
  if (list.some((key) => key.startsWith(PRIVATE_KEY_PREFIX))) {
    throw new TypeError("A whsk_ key is the sender's private key. Pass the public key, which begins with whpk_.");
  }
  const isPublic = (key: string) => key.startsWith(PUBLIC_KEY_PREFIX);
  const publicKeys = list.filter(isPublic).map((key) => importPublicKey(key.slice(PUBLIC_KEY_PREFIX.length)));
  const imported = await Promise.all(publicKeys);
  return { secrets: list.filter((key) => !isPublic(key)), anyPublicKey: (verifies) => verifies(imported) };
}

const isKeySet = (keys: VerificationKeys): keys is KeySet =>
  typeof keys === "object" && keys !== null && "jwks" in keys;
