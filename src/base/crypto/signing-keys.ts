/** The keys that sign tokens. Two of each entry of `SECRET_KEYS` are derived from it; RSA keys are made and stored. */
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK } from "jose";
import { toHex } from "./encoding";

/**
 * EdDSA is Ed25519 (RFC 8037), ES256 is ECDSA with P-256 (RFC 7518 section 3.4), RS256 is RSASSA-PKCS1-v1_5 with
 * SHA-256 (section 3.3).
 */
export const TOKEN_ALGORITHMS = ["EdDSA", "ES256", "RS256"] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];
/** Those whose keys are derived from `SECRET_KEYS`. */
export type DerivedAlgorithm = Exclude<TokenAlgorithm, "RS256">;

export interface SigningKey {
  alg: TokenAlgorithm;
  /** The thumbprint of the public key (RFC 7638). */
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  publicJwk: JWK;
}

/** PKCS #8 header of an Ed25519 private key (RFC 8410 section 7); the 32-byte seed follows it. */
const ED25519_PKCS8_HEAD = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
/**
 * PKCS #8 header of a P-256 private key without its public point (RFC 5915), which the runtime computes; the 32-byte
 * scalar follows it.
 */
const P256_PKCS8_HEAD = [
  0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
  0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
];
/** The order of the curve P-256 (FIPS 186-5). */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const P256_SCALAR_HEX_DIGITS = 64;

/** The key of a 32-byte seed. */
export const ed25519Key = (seed: Uint8Array): Promise<SigningKey> =>
  signingKey("EdDSA", "Ed25519", [...ED25519_PKCS8_HEAD, ...seed]);

/**
 * The key of 48 random bytes, which exceed the order of the curve by enough that no scalar is likelier than another.
 */
export function p256Key(seed: Uint8Array): Promise<SigningKey> {
  const scalar = (BigInt(`0x${toHex(seed)}`) % (P256_ORDER - 1n)) + 1n;
  const bytes = scalar.toString(16).padStart(P256_SCALAR_HEX_DIGITS, "0").match(/../g) ?? [];
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return signingKey("ES256", algorithm, [...P256_PKCS8_HEAD, ...bytes.map((byte) => Number.parseInt(byte, 16))]);
}

async function signingKey(
  alg: DerivedAlgorithm,
  algorithm: string | { name: string; namedCurve: string },
  pkcs8Bytes: readonly number[],
): Promise<SigningKey> {
  const pkcs8 = Uint8Array.from(pkcs8Bytes);
  const extractable = await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, true, ["sign"]);
  const { kty, crv, x, y } = (await crypto.subtle.exportKey("jwk", extractable)) as JsonWebKey;
  const point = { kty, crv, x, ...(y === undefined ? {} : { y }) } as JWK;
  const kid = await calculateJwkThumbprint(point);
  return {
    alg,
    kid,
    privateKey: await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]),
    publicKey: (await importJWK(point, alg)) as CryptoKey,
    publicJwk: { ...point, kid, alg, use: "sig" },
  };
}
