/** Signatures of a delivery: the specification's hex HMAC, and the Standard Webhooks scheme. */
import { fromBase64, toBase64, toHex, utf8 } from "./encoding";

const STANDARD_SECRET_PREFIX = "whsec_";

/** Lowercase-hex HMAC-SHA256 of the raw body, keyed with the secret's UTF-8 bytes. */
export async function signBody(secret: string, body: string): Promise<string> {
  return toHex(await hmacSha256(utf8(secret), body));
}

/** `v1,<base64>` over `id.timestamp.body` (Standard Webhooks, "Signature scheme"). */
export async function signStandard(
  secret: string,
  id: string,
  timestampSeconds: number,
  body: string,
): Promise<string> {
  return `v1,${toBase64(await hmacSha256(standardKey(secret), `${id}.${timestampSeconds}.${body}`))}`;
}

/**
 * `whsec_...` is followed by the key in base64. Any other secret, or one that is not valid base64, is itself the key.
 */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(STANDARD_SECRET_PREFIX)) return utf8(secret);
  try {
    const key = fromBase64(secret.slice(STANDARD_SECRET_PREFIX.length));
    return key.length > 0 ? key : utf8(secret);
  } catch {
    return utf8(secret);
  }
}

async function hmacSha256(keyBytes: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", keyBytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text)));
}
