/**
 * All keys are derived (HKDF, RFC 5869) from the entries of `SECRET_KEYS`: the first entry signs and encrypts, all
 * verify and decrypt.
 */
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK } from "jose";
import { toHex, utf8 } from "./encoding";

/** PKCS #8 header of an Ed25519 private key (RFC 8410 section 7); the 32-byte seed follows it. */
const ED25519_PKCS8_HEAD = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

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
  signing: { kid: string; privateKey: CryptoKey; publicKey: CryptoKey; publicJwk: JWK };
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
  const id = await crypto.subtle.deriveBits(hkdf("key-id"), root, 32);
  const seed = await crypto.subtle.deriveBits(hkdf("access-token"), root, 256);
  return {
    id: toHex(new Uint8Array(id)),
    encryption: await crypto.subtle.deriveKey(hkdf("seal"), root, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]),
    digest: await hmacKey("digest", ["sign"]),
    refresh: await hmacKey("refresh-token", ["sign", "verify"]),
    mailToken: await hmacKey("mail-token", ["sign"]),
    signing: await signingKey(new Uint8Array(seed)),
  };
}

async function signingKey(seed: Uint8Array): Promise<KeySet["signing"]> {
  const pkcs8 = Uint8Array.from([...ED25519_PKCS8_HEAD, ...seed]);
  const extractable = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { crv, kty, x } = (await crypto.subtle.exportKey("jwk", extractable)) as JsonWebKey & {
    crv: string;
    kty: string;
    x: string;
  };
  const publicJwk: JWK = { crv, kty, x };
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    kid,
    privateKey: await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]),
    publicKey: (await importJWK(publicJwk, "EdDSA")) as CryptoKey,
    publicJwk: { ...publicJwk, kid, alg: "EdDSA", use: "sig" },
  };
}
