/** The public keys of passkeys: COSE (RFC 9053) in a registration, JWK in the database. */
import { base64url } from "jose";
import { rawSignature } from "../../../base/crypto/ecdsa";
import type { Cbor } from "./authenticator-data";
import { ensure, Refusal } from "./refusal";

/** COSE numbers, in the order of preference: Ed25519, ECDSA on P-256 with SHA-256, RSA PKCS #1 v1.5 with SHA-256. */
export const ALGORITHMS = [-8, -7, -257] as const;

const COSE = { keyType: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 };
const RSA_BITS = { least: 2048, most: 4096 };
const MAX_RSA_EXPONENT_BYTES = 4;
/** Without padding. A length of 1 modulo 4 is that of no bytes (RFC 4648 3.3). */
const BASE64URL = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,4})$/;
const P256_BYTES = 32;

const IMPORT = {
  EdDSA: { name: "Ed25519" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
};

type Jwk = JsonWebKey & { alg: keyof typeof IMPORT };

/** Returns a COSE key as JWK in JSON. Throws a Refusal for a key that is malformed or has another algorithm. */
export async function toJwk(cose: Cbor): Promise<string> {
  ensure(cose instanceof Map, "malformed public key");
  const jwk = jwkOf((label) => cose.get(label));
  try {
    await importKey(jwk);
  } catch {
    throw new Refusal("malformed public key");
  }
  return JSON.stringify(jwk);
}

function jwkOf(get: (label: number) => Cbor | undefined): Jwk {
  const bytes = (label: number, hasLength: (length: number) => boolean) => {
    const value = get(label);
    ensure(value instanceof Uint8Array && hasLength(value.length), "malformed public key");
    return base64url.encode(value);
  };
  const is32 = (length: number) => length === P256_BYTES;
  const [type, algorithm, curve] = [get(COSE.keyType), get(COSE.algorithm), get(COSE.curve)];
  if (type === 1 && algorithm === -8 && curve === 6) {
    return { kty: "OKP", crv: "Ed25519", alg: "EdDSA", x: bytes(COSE.x, is32) };
  }
  if (type === 2 && algorithm === -7 && curve === 1) {
    return { kty: "EC", crv: "P-256", alg: "ES256", x: bytes(COSE.x, is32), y: bytes(COSE.y, is32) };
  }
  ensure(type === 3 && algorithm === -257, "an algorithm that was not offered");
  const isModulus = (length: number) => length * 8 >= RSA_BITS.least && length * 8 <= RSA_BITS.most;
  const n = bytes(COSE.modulus, isModulus);
  return {
    kty: "RSA",
    alg: "RS256",
    n,
    e: bytes(COSE.exponent, (length) => length > 0 && length <= MAX_RSA_EXPONENT_BYTES),
  };
}

type Bytes = (member: string) => Uint8Array;

/** The members of a COSE key, by the type and the curve of its JWK. */
const COSE_OF: Readonly<Record<string, (bytes: Bytes) => [label: number, value: Cbor][]>> = {
  "OKP Ed25519": (bytes) => [
    [COSE.keyType, 1],
    [COSE.algorithm, -8],
    [COSE.curve, 6],
    [COSE.x, bytes("x")],
  ],
  "EC P-256": (bytes) => [
    [COSE.keyType, 2],
    [COSE.algorithm, -7],
    [COSE.curve, 1],
    [COSE.x, bytes("x")],
    [COSE.y, bytes("y")],
  ],
  RSA: (bytes) => [
    [COSE.keyType, 3],
    [COSE.algorithm, -257],
    [COSE.modulus, bytes("n")],
    [COSE.exponent, bytes("e")],
  ],
};

/**
 * Checks a key that another service has stored as JWK. Returns it as `toJwk` does. Throws a Refusal for one that is
 * malformed or has another algorithm.
 */
export function readJwk(given: Readonly<Record<string, unknown>>): Promise<string> {
  const kind = [given.kty, given.crv].filter((part) => typeof part === "string").join(" ");
  const membersOf = Object.hasOwn(COSE_OF, kind) ? COSE_OF[kind] : undefined;
  ensure(membersOf, "an algorithm that was not offered");
  const bytes: Bytes = (member) => {
    const text = given[member];
    ensure(typeof text === "string" && BASE64URL.test(text), "malformed public key");
    return base64url.decode(text);
  };
  return toJwk(new Map(membersOf(bytes)));
}

const importKey = (jwk: Jwk) => {
  const { alg, ...key } = jwk;
  return crypto.subtle.importKey("jwk", key, IMPORT[alg], false, ["verify"]);
};

/** Checks the signature of an authenticator with the key that `toJwk` returned. */
export async function isSignedBy(
  publicKey: string,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const jwk = JSON.parse(publicKey) as Jwk;
  const bytes = jwk.alg === "ES256" ? rawSignature(signature) : signature;
  const algorithm = jwk.alg === "ES256" ? { name: "ECDSA", hash: "SHA-256" } : IMPORT[jwk.alg];
  if (bytes === null) return false;
  const key = await importKey(jwk);
  // For a signature of another length, runtimes differ in whether they throw.
  return crypto.subtle.verify(algorithm, key, bytes, signed).catch(() => false);
}
