/** Firebase's scrypt: the key of the password encrypts the project's signer key. */
import { fromBase64 } from "../../../base/crypto/encoding";
import { areEqual, bytesWithin, HashRefused, type ImportedHash } from "./hash";
import type { FirebaseSettings } from "./schemas";
import { deriveScrypt } from "./scrypt";

const HASH_BYTES = 64;
const DERIVED_BYTES = 64;
const AES_KEY_BYTES = 32;
const ZERO_COUNTER = new Uint8Array(16);

/** A hash of `firebase auth:export` with its salt, both Base64. Throws `HashRefused`. */
export function readFirebase(hash: string, salt: string, settings: FirebaseSettings): ImportedHash {
  const expected = bytesWithin("the hash", standard(hash), HASH_BYTES, HASH_BYTES);
  const ownSalt = bytesWithin("the salt", standard(salt), 1, 64);
  const separator = fromBase64(settings.saltSeparator);
  const signerKey = fromBase64(settings.signerKey);
  if (signerKey.length !== HASH_BYTES) throw new HashRefused("hashSettings.firebase.signerKey must be 64 bytes");
  const fullSalt = new Uint8Array([...ownSalt, ...separator]);
  const cost = { N: 2 ** settings.memCost, r: settings.rounds, p: 1 };
  const matches = async (password: string): Promise<boolean> => {
    const derived = new Uint8Array(await deriveScrypt(password, fullSalt, cost, DERIVED_BYTES));
    const key = await crypto.subtle.importKey("raw", derived.slice(0, AES_KEY_BYTES), "AES-CTR", false, ["encrypt"]);
    const algorithm = { name: "AES-CTR", counter: ZERO_COUNTER, length: 128 };
    return areEqual(new Uint8Array(await crypto.subtle.encrypt(algorithm, key, signerKey)), expected);
  };
  return { matches };
}

/** Exports have the alphabet of URLs, the console the other one. */
const standard = (text: string): string => text.replaceAll("-", "+").replaceAll("_", "/");
