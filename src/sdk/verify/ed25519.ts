/** `v1a` signatures: Ed25519 (RFC 8032) with WebCrypto. */
import { fromBase64, utf8 } from "../../base/crypto/encoding";

const SIGNATURE_PREFIX = "v1a,";
const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 32;

/** Takes the 32 bytes of a public key in base64. Throws TypeError for anything else. */
export function importPublicKey(base64: string): Promise<CryptoKey> {
  const bytes = base64OrEmpty(base64);
  if (bytes.length !== PUBLIC_KEY_BYTES) throw new TypeError("A public key must be 32 bytes in base64.");
  return crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
}

/** Returns the well-formed `v1a` signatures among the signatures of a header. */
export const ed25519Signatures = (given: readonly string[]): Uint8Array<ArrayBuffer>[] =>
  given
    .filter((text) => text.startsWith(SIGNATURE_PREFIX))
    .map((text) => base64OrEmpty(text.slice(SIGNATURE_PREFIX.length)))
    .filter(({ length }) => length === SIGNATURE_BYTES);

/** Whether one of the public keys verifies one of the signatures of `signed`. */
export async function anyVerifies(
  publicKeys: readonly CryptoKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: string,
): Promise<boolean> {
  const bytes = utf8(signed);
  const checks = publicKeys.flatMap((key) =>
    signatures.map((signature) => crypto.subtle.verify("Ed25519", key, signature, bytes)),
  );
  return (await Promise.all(checks)).includes(true);
}

function base64OrEmpty(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text);
  } catch {
    return new Uint8Array();
  }
}
