/** Public keys, as providers show them: as PEM, or in base64 or hexadecimal, mostly with what says their kind. */
import { fromAnyBase64, fromHex, toHex } from "../../base/crypto/encoding";

/** What stands before the key in a SubjectPublicKeyInfo (RFC 8410 section 4, RFC 5480 section 2), in hexadecimal. */
const KINDS = {
  ed25519: { head: "302a300506032b6570032100", bytes: 32 },
  ecdsa: { head: "3059301306072a8648ce3d020106082a8648ce3d030107034200", bytes: 65 },
} as const;

/** What a public key signs. */
export type KeyKind = keyof typeof KINDS | "rsa";

/** Whether calls are signed with a private key, so that the secret is the public one. */
export const isKeyKind = (algorithm: string | undefined): algorithm is KeyKind =>
  algorithm === "ed25519" || algorithm === "ecdsa" || algorithm === "rsa";

/** Of 2,048 bits, with what says its kind. */
const LEAST_RSA_BYTES = 290;

/**
 * The bytes of a public key: 32 of Ed25519, an uncompressed point of P-256, or a SubjectPublicKeyInfo of RSA. Throws
 * for anything else.
 */
export function publicKeyIn(kind: KeyKind, text: string): Uint8Array<ArrayBuffer> {
  const bare = text.replaceAll(/-----(?:BEGIN|END) PUBLIC KEY-----|\s/g, "");
  const given = /^[0-9a-f]{64,}$/i.test(bare) ? fromHex(bare) : fromAnyBase64(bare);
  if (kind === "rsa") {
    if (given.length < LEAST_RSA_BYTES) throw new Error("no RSA key, or one that can be broken");
    return given;
  }
  const { head, bytes } = KINDS[kind];
  const key = toHex(given).startsWith(head) ? given.slice(head.length / 2) : given;
  if (key.length !== bytes || (kind === "ecdsa" && key[0] !== 4)) throw new Error("not a public key of its kind");
  return key;
}
