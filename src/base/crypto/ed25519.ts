/** Ed25519 key pairs (RFC 8032) that sign deliveries, and the formats in which they are stored and published. */
import { calculateJwkThumbprint } from "jose";
import { fromBase64, toBase64, utf8 } from "./encoding";

const PUBLIC_KEY_PREFIX = "whpk_";

/** A key pair in base64: the private key as PKCS #8, the public key as its 32 bytes. */
export interface KeyPair {
  privateKey: string;
  publicKey: string;
}

export async function newKeyPair(): Promise<KeyPair> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  const [pkcs8, raw] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("raw", pair.publicKey),
  ]);
  return {
    privateKey: toBase64(new Uint8Array(pkcs8 as ArrayBuffer)),
    publicKey: toBase64(new Uint8Array(raw as ArrayBuffer)),
  };
}

/** Imports a private key that is PKCS #8 in base64. */
export const importPrivateKey = (privateKey: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("pkcs8", fromBase64(privateKey), "Ed25519", false, ["sign"]);

/** Returns the signature of `id.timestamp.body` as `v1a,<base64>` (Standard Webhooks, "Signature scheme"). */
export async function signAsymmetric(
  privateKey: CryptoKey,
  id: string,
  timestampSeconds: number,
  body: string,
): Promise<string> {
  const signature = await crypto.subtle.sign("Ed25519", privateKey, utf8(`${id}.${timestampSeconds}.${body}`));
  return `v1a,${toBase64(new Uint8Array(signature))}`;
}

/** Returns a public key in the format of Standard Webhooks, `whpk_...`. */
export const publicKeyText = (publicKey: string): string => PUBLIC_KEY_PREFIX + publicKey;

/** Returns a public key as a JWK (RFC 8037). `kid` is its thumbprint (RFC 7638). */
export async function publicJwk(publicKey: string) {
  const x = publicKey.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const key = { kty: "OKP", crv: "Ed25519", x } as const;
  return { ...key, kid: await calculateJwkThumbprint(key), use: "sig", alg: "EdDSA" } as const;
}
