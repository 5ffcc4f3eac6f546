/** Encryption at rest: AES-256-GCM. The ciphertext names its key and is bound to the row that it belongs to. */
import { fromBase64, randomBytes, toBase64, toHex, utf8 } from "./encoding";
import type { KeyRing } from "./keys";

const IV_BYTES = 12;

/**
 * Encrypts `plaintext` under the newest key. `owner` ("subscription:<id>") is authenticated with it, so a ciphertext
 * that is copied to another row does not decrypt.
 */
export async function encrypt(keys: KeyRing, owner: string, plaintext: string): Promise<string> {
  const [newest] = keys;
  const iv = randomBytes(IV_BYTES);
  const ciphertext = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: utf8(owner) },
    newest.encryption,
    utf8(plaintext),
  );
  return `${newest.id}.${toBase64(iv)}.${toBase64(new Uint8Array(ciphertext))}`;
}

/** Decrypts what `encrypt` returned. Throws if its key is no longer in `SECRET_KEYS`, or if `owner` differs. */
export async function decrypt(keys: KeyRing, owner: string, encrypted: string): Promise<string> {
  const [keyId, iv, ciphertext] = encrypted.split(".");
  const key = keys.find((candidate) => candidate.id === keyId);
  if (!key || !iv || !ciphertext) throw new Error(`encrypted under a key that is not in SECRET_KEYS (${keyId})`);
  const plaintext = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: fromBase64(iv), additionalData: utf8(owner) },
    key.encryption,
    fromBase64(ciphertext),
  );
  return new TextDecoder().decode(plaintext);
}

/** A keyed digest: it is equal for equal texts of one owner under one key, and reveals nothing else about the text. */
export async function digest([newest]: KeyRing, owner: string, plaintext: string): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", newest.digest, utf8(JSON.stringify([owner, plaintext])));
  return `${newest.id}.${toHex(new Uint8Array(mac))}`;
}
