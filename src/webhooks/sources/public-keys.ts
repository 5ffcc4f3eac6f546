/** Public keys, as providers show them: as PEM, or in base64 or hexadecimal, with what says their kind or without. */
import { fromAnyBase64, fromHex, toHex } from "../../base/crypto/encoding";

/** What stands before the key in a SubjectPublicKeyInfo (RFC 8410 section 4, RFC 5480 section 2), in hexadecimal. */
const KINDS = {
  ed25519: { head: "302a300506032b6570032100", bytes: 32 },
  ecdsa: { head: "3059301306072a8648ce3d020106082a8648ce3d030107034200", bytes: 65 },
} as const;

/** The bytes of a public key: 32 of Ed25519, or an uncompressed point of P-256. Throws for anything else. */
export function publicKeyIn(kind: keyof typeof KINDS, text: string): Uint8Array<ArrayBuffer> {
  const bare = text.replaceAll(/-----(?:BEGIN|END) PUBLIC KEY-----|\s/g, "");
  const given = /^[0-9a-f]{64,}$/i.test(bare) ? fromHex(bare) : fromAnyBase64(bare);
  const { head, bytes } = KINDS[kind];
  const key = toHex(given).startsWith(head) ? given.slice(head.length / 2) : given;
  if (key.length !== bytes || (kind === "ecdsa" && key[0] !== 4)) throw new Error("not a public key of its kind");
  return key;
}
