/** Signatures of a delivery: the specification's hex HMAC, and the Standard Webhooks scheme. */
import { fromBase64, toBase64, toHex, utf8 } from "./encoding";

const STANDARD_SECRET_PREFIX = "whsec_";

/** Lowercase-hex HMAC-SHA256 of the raw body, keyed with the secret's UTF-8 bytes. */
export async function signBody(secret: string, body: string): Promise<string> {
  return toHex(await hmac("SHA-256", utf8(secret), body));
}

/** `v1,<base64>` over `id.timestamp.body` (Standard Webhooks, "Signature scheme"). */
export async function signStandard(
  secret: string,
  id: string,
  timestampSeconds: number,
  body: string,
): Promise<string> {
  return `v1,${toBase64(await hmac("SHA-256", standardKey(secret), `${id}.${timestampSeconds}.${body}`))}`;
}

/** `whsec_...` is followed by the key in base64. Any other secret, or one that is not base64, is itself the key. */
const standardKey = (secret: string): Uint8Array<ArrayBuffer> =>
  secret.startsWith(STANDARD_SECRET_PREFIX) && isBase64Key(secret) ? base64Key(secret) : utf8(secret);

/** Whether the secret, without `whsec_`, is a key in base64. */
export function isBase64Key(secret: string): boolean {
  try {
    return base64Key(secret).length > 0;
  } catch {
    return false;
  }
}

/** Decodes a secret in base64, with or without `whsec_`. Throws for others. */
export const base64Key = (secret: string): Uint8Array<ArrayBuffer> =>
  fromBase64(secret.startsWith(STANDARD_SECRET_PREFIX) ? secret.slice(STANDARD_SECRET_PREFIX.length) : secret);

/** HMAC (RFC 2104) of the text's UTF-8 bytes. */
export async function hmac(
  hash: "SHA-256" | "SHA-512",
  keyBytes: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", keyBytes, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text)));
}
