/** Encryption at rest: AES-256-GCM, the key named in front, the row it belongs to bound in as associated data. */
import { fromBase64, randomBytes, toBase64, toHex, utf8 } from "./encoding";
import type { KeyRing } from "./keys";

const IV_BYTES = 12;

/** Encrypts `plain` under the newest key. `owner` ("subscription:<id>") must be given again to open it. */
export async function seal(keys: KeyRing, owner: string, plain: string): Promise<string> {
  const [newest] = keys;
  const iv = randomBytes(IV_BYTES);
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: utf8(owner) },
    newest.seal,
    utf8(plain),
  );
  return `${newest.id}.${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
}

/** Decrypts what `seal` made. Throws when the key was taken out of `SECRET_KEYS` or the text was moved to another row. */
export async function open(keys: KeyRing, owner: string, text: string): Promise<string> {
  const [keyId, iv, sealed] = text.split(".");
  const key = keys.find((candidate) => candidate.id === keyId);
  if (!key || !iv || !sealed) throw new Error(`sealed under a key that is no longer in SECRET_KEYS (${keyId})`);
  const plain = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: fromBase64(iv), additionalData: utf8(owner) },
    key.seal,
    fromBase64(sealed),
  );
  return new TextDecoder().decode(plain);
}

/** A keyed digest of what is sealed: equal for equal texts of one owner under one key, and telling nothing else. */
export async function digest([newest]: KeyRing, owner: string, plain: string): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", newest.digest, utf8(JSON.stringify([owner, plain])));
  return `${newest.id}.${toHex(new Uint8Array(mac))}`;
}
