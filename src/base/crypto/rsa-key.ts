/**
 * RSA keys that sign tokens. Part of the field verifies nothing else, and OpenID Connect Core section 15.1 asks
 * providers for it. The runtime cannot derive an RSA key from a seed, so it is made once and stored.
 */
import { base64url, type CryptoKey, calculateJwkThumbprint, importJWK, type JWK } from "jose";
import { fromBase64, toBase64 } from "./encoding";
import type { SigningKey } from "./signing-keys";

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
const GENERATED = { ...RSA, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) } as const;
const [MIN_BITS, MAX_BITS] = [2048, 4096];
const PEM = /^-----BEGIN PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END PRIVATE KEY-----$/;

/** A new key as PKCS #8, in base64. Takes 90 to 250 ms of CPU. */
export async function generateRsaKey(): Promise<string> {
  const { privateKey } = (await crypto.subtle.generateKey(GENERATED, true, ["sign", "verify"])) as CryptoKeyPair;
  return toBase64(new Uint8Array((await crypto.subtle.exportKey("pkcs8", privateKey)) as ArrayBuffer));
}

/** The key that `generateRsaKey` returned. Throws for anything but an RSA key in PKCS #8 and base64. */
export async function importRsaKey(pkcs8Base64: string): Promise<SigningKey> {
  const pkcs8 = fromBase64(pkcs8Base64);
  const extractable = await crypto.subtle.importKey("pkcs8", pkcs8, RSA, true, ["sign"]);
  const { kty, n, e } = (await crypto.subtle.exportKey("jwk", extractable)) as JsonWebKey;
  const numbers = { kty, n, e } as JWK;
  const kid = await calculateJwkThumbprint(numbers);
  return {
    alg: "RS256",
    kid,
    privateKey: (await crypto.subtle.importKey("pkcs8", pkcs8, RSA, false, ["sign"])) as CryptoKey,
    publicKey: (await importJWK(numbers, "RS256")) as CryptoKey,
    publicJwk: { ...numbers, kid, alg: "RS256", use: "sig" },
  };
}

/** The key of a PEM; null for anything but an RSA key of 2,048 to 4,096 bits in PKCS #8. */
export async function readRsaPem(pem: string): Promise<SigningKey | null> {
  const [, base64] = pem.trim().match(PEM) ?? [];
  if (base64 === undefined) return null;
  try {
    const key = await importRsaKey(base64.replaceAll(/\s/g, ""));
    const bits = 8 * base64url.decode(key.publicJwk.n ?? "").length;
    return bits >= MIN_BITS && bits <= MAX_BITS ? key : null;
  } catch {
    return null;
  }
}
