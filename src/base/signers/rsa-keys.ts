/**
 * The RSA keys of the signers. Each belongs to the entry of `SECRET_KEYS` under which it is encrypted, and is never
 * encrypted anew: taking a leaked entry out must take its RSA key out as well.
 */
import { decrypt, encrypt } from "../crypto/encryption";
import type { KeyRing } from "../crypto/keys";
import { generateRsaKey, importRsaKey } from "../crypto/rsa-key";
import type { SigningKey } from "../crypto/signing-keys";
import { log } from "../log/log";
import type { KnownKeys } from "./choose";
import type { NewRsaKey, StoredSigner } from "./store";

const ownerOf = (kid: string) => `rsa:${kid}`;

/** Makes a key of the newest entry, to be stored. */
export async function newRsaKey(keys: KeyRing): Promise<NewRsaKey> {
  const pkcs8 = await generateRsaKey();
  const { kid } = await importRsaKey(pkcs8);
  return { kid, keyId: keys[0].id, privateSealed: await encrypt(keys, ownerOf(kid), pkcs8) };
}

/** RSA keys that an isolate has decrypted, by their `kid`. */
export type OpenedKeys = Map<string, SigningKey>;

/** All keys. `imported` is that of `TOKEN_RSA_KEY`, before which the newest entry's own one does not sign. */
export async function knownKeys(
  rows: readonly StoredSigner[],
  keys: KeyRing,
  imported: SigningKey | null,
  opened: OpenedKeys,
): Promise<KnownKeys> {
  const stored = await Promise.all(rows.map(async (row) => [row.keyId, await open(row, keys, opened)] as const));
  return keys.map(({ id, signing }, index) => [
    ...Object.values(signing),
    ...(index === 0 && imported ? [imported] : []),
    ...stored.flatMap(([keyId, key]) => (keyId === id && key ? [key] : [])),
  ]);
}

/** Null for a row without a key, or with one whose entry was taken out. */
async function open(
  { kid, keyId, privateSealed }: StoredSigner,
  keys: KeyRing,
  opened: OpenedKeys,
): Promise<SigningKey | null> {
  if (privateSealed === null || keys.every(({ id }) => id !== keyId)) return null;
  const known = opened.get(kid);
  if (known) return known;
  try {
    const key = await importRsaKey(await decrypt(keys, ownerOf(kid), privateSealed));
    opened.set(kid, key);
    return key;
  } catch {
    // Tokens of the other algorithms go on; who needs this key says that there is none.
    log("error", "RSA key not readable", { finding: kid });
    return null;
  }
}

/** Whether the newest entry has a stored key, readable or not. */
export const hasRsaKey = (rows: readonly StoredSigner[], [newest]: KeyRing): boolean =>
  rows.some(({ keyId, privateSealed }) => keyId === newest.id && privateSealed !== null);
