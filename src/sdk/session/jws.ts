/** Compact JSON Web Signatures (RFC 7515), without anything that a token could choose about its own verification. */
import { utf8 } from "../../base/crypto/encoding";
import { fromBase64Url } from "../base64url";
import type { Parser } from "../parser";
import { SessionError } from "./errors";

const PART = /^[A-Za-z0-9_-]+$/;
const ALGORITHMS = {
  EdDSA: { name: "Ed25519" },
  ES256: { name: "ECDSA", hash: "SHA-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5" },
} as const;
export type Algorithm = keyof typeof ALGORITHMS;

/** A public key of the issuer. */
export interface PublicKey {
  alg: Algorithm;
  key: CryptoKey;
}

/** The public keys of the issuer. */
export interface KeySet {
  /** The key of this id; undefined if there is none. Throws SessionError: KEYS_UNAVAILABLE before the first answer. */
  find(kid: string): Promise<PublicKey | undefined>;
}

export type Claims = Record<string, unknown>;

/**
 * Returns the payload of a JWS of type `typ`, or one of these types, that a key of the issuer has signed. Throws
 * SessionError: MALFORMED, WRONG_TYPE, WRONG_ALGORITHM, UNKNOWN_KEY, BAD_SIGNATURE, KEYS_UNAVAILABLE. Of the header,
 * only `typ`, `alg` and `kid` count: a token that names its own key (`jwk`, `jku`, `x5u`) proves nothing.
 */
export async function openJws(
  jws: string,
  typ: string | readonly (string | undefined)[],
  keys: KeySet,
): Promise<Claims> {
  const { header, payload, mac, signed } = readJws(jws);
  if (![typ].flat().includes(header["typ"] as string | undefined)) throw new SessionError("WRONG_TYPE");
  const { alg, kid } = header;
  if (typeof alg !== "string" || !Object.hasOwn(ALGORITHMS, alg)) throw new SessionError("WRONG_ALGORITHM");
  const found = typeof kid === "string" ? await keys.find(kid) : undefined;
  if (!found) throw new SessionError("UNKNOWN_KEY");
  if (found.alg !== alg) throw new SessionError("WRONG_ALGORITHM");
  const isGenuine = await crypto.subtle.verify(ALGORITHMS[found.alg], found.key, bytesOf(mac), signed);
  if (!isGenuine) throw new SessionError("BAD_SIGNATURE");
  return payload;
}

/** The parts of a JWS, of which nothing is checked yet but its form. Throws SessionError: MALFORMED. */
export function readJws(jws: string): {
  header: Claims;
  payload: Claims;
  mac: string;
  signed: Uint8Array<ArrayBuffer>;
} {
  const [head = "", body = "", mac = "", ...rest] = jws.split(".");
  if (rest.length > 0 || ![head, body, mac].every((part) => PART.test(part))) throw new SessionError("MALFORMED");
  const [header, payload] = [parse(head), parse(body)];
  if ("crit" in header) throw new SessionError("MALFORMED");
  return { header, payload, mac, signed: utf8(`${head}.${body}`) };
}

/** The claims of a token, as another library than JSON reads them. Throws SessionError: MALFORMED. */
export const claimsBy = (json: Parser, jws: string): Claims => parse(jws.split(".")[1] ?? "", json);

function parse(part: string, json: Parser = JSON): Claims {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(part));
    const value = json.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Claims;
  } catch {
    // Refused below.
  }
  throw new SessionError("MALFORMED");
}

/** Throws SessionError: MALFORMED for anything but base64url. */
export function bytesOf(part: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64Url(part);
  } catch {
    throw new SessionError("MALFORMED");
  }
}
