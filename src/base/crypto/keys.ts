/**
 * All keys are derived (HKDF, RFC 5869) from the entries of `SECRET_KEYS`: the first entry signs and encrypts, all
 * verify and decrypt.
 */
import type { CryptoKey } from "jose";
import { toHex, utf8 } from "./encoding";
import { type DerivedAlgorithm, ed25519Key, p256Key, type SigningKey } from "./signing-keys";

/** In bits. */
const [ED25519_SEED, P256_SEED] = [256, 384];

/** The keys made from one entry of `SECRET_KEYS`. */
export interface KeySet {
  /** Short public name of the entry; every ciphertext starts with it. */
  id: string;
  /** AES-256-GCM, for secrets at rest. */
  encryption: CryptoKey;
  /** HMAC, to compare a new text with an encrypted one without decrypting it. */
  digest: CryptoKey;
  refresh: CryptoKey;
  /** HMAC, for tokens in mails. */
  mailToken: CryptoKey;
  /** For tokens of sessions. */
  signing: Record<DerivedAlgorithm, SigningKey>;
  /** Bytes for a key that few requests need, which is derived when it is asked for. */
  bytesFor(purpose: `${"domain" | "connection"}/${string}`, bits: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Newest first, never empty. */
export type KeyRing = readonly [KeySet, ...KeySet[]];

/** Derives the keys of every entry, in the order of the list. */
export async function deriveKeyRing(secrets: readonly string[]): Promise<KeyRing> {
  const [first, ...rest] = await Promise.all(secrets.map(deriveKeySet));
  if (!first) throw new Error("no secret keys");
  return [first, ...rest];
}

async function deriveKeySet(secret: string): Promise<KeySet> {
  const root = await crypto.subtle.importKey("raw", utf8(secret), "HKDF", false, ["deriveBits", "deriveKey"]);
  const hkdf = (purpose: string) => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: utf8(`postern/v1/${purpose}`),
  });
  const hmacKey = (purpose: string, usages: ("sign" | "verify")[]) =>
    crypto.subtle.deriveKey(hkdf(purpose), root, { name: "HMAC", hash: "SHA-256", length: 256 }, false, usages);
  const bytes = async (purpose: string, bits: number) =>
    new Uint8Array(await crypto.subtle.deriveBits(hkdf(purpose), root, bits));
  return {
    id: toHex(await bytes("key-id", 32)),
    encryption: await crypto.subtle.deriveKey(hkdf("seal"), root, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]),
    digest: await hmacKey("digest", ["sign"]),
    refresh: await hmacKey("refresh-token", ["sign", "verify"]),
    mailToken: await hmacKey("mail-token", ["sign"]),
    signing: {
      EdDSA: await ed25519Key(await bytes("access-token", ED25519_SEED)),
      ES256: await p256Key(await bytes("access-token-p256", P256_SEED)),
    },
    bytesFor: bytes,
  };
}
