/** How signatures and times stand in headers. */
import { rawSignature } from "../../base/crypto/ecdsa";
import { fromAnyBase64, fromHex, utf8 } from "../../base/crypto/encoding";
import type { KeyKind } from "./public-keys";

export type Hash = "SHA-1" | "SHA-256" | "SHA-512";

/** When a call was signed, and how its provider wrote it, which is what it has signed. */
export interface SignedTime {
  text: string;
  /** Unix. */
  seconds: number;
}

const SIGNATURE_BYTES = 64;
const MAC_BYTES: Record<Hash, number> = { "SHA-1": 20, "SHA-256": 32, "SHA-512": 64 };
/** Of a longer list, the first ones are read. */
const MAX_ENTRIES = 32;
const SECONDS = /^\d{1,12}$/;
const NUMBER = /^\d{1,19}(?:\.\d{1,9})?$/;
const ISO_8601 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/;
/** As the header `Date` has it (RFC 9110 section 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
/** As seconds the year 5138, as milliseconds 1973. */
const MAX_SECONDS = 1e11;

/** The entries of a list, without spaces around them. */
export const entriesOf = (list: string | null, separator: string | RegExp): string[] =>
  (list ?? "").split(separator, MAX_ENTRIES).map((entry) => entry.trim());

/** Headers that come twice are one text with a comma and a space. */
export const isRepeated = (header: string): boolean => header.includes(", ");

/** The HMAC in a text after its prefix; null if it is missing or has another form. */
export function mac(text: string | null, prefix: string, encoding: "hex" | "base64", hash: Hash = "SHA-256") {
  if (!text?.startsWith(prefix)) return null;
  const bytes = bytesIn(text.slice(prefix.length), encoding);
  return bytes?.length === MAC_BYTES[hash] ? bytes : null;
}

/** The bytes of a signature; null if it is not in this encoding. */
export function bytesIn(text: string, encoding: "hex" | "base64"): Uint8Array<ArrayBuffer> | null {
  if (encoding === "base64" && !/^[A-Za-z0-9+/_-]{1,1400}={0,2}$/.test(text)) return null;
  try {
    return encoding === "hex" ? fromHex(text) : fromAnyBase64(text);
  } catch {
    return null;
  }
}

/** The signature of a private key in a text after its prefix: Ed25519, RSA, or ECDSA in either of its forms. */
export function signature(text: string | null, prefix: string, encoding: "hex" | "base64", kind: KeyKind) {
  const bytes = text?.startsWith(prefix) ? bytesIn(text.slice(prefix.length), encoding) : null;
  const raw = bytes && kind === "ecdsa" ? (rawSignature(bytes) ?? bytes) : bytes;
  return kind === "rsa" || raw?.length === SIGNATURE_BYTES ? raw : null;
}

/** A time in Unix seconds. */
export const secondsIn = (text: string | null): SignedTime | null =>
  text !== null && SECONDS.test(text) ? { text, seconds: Number(text) } : null;

/**
 * A time in Unix seconds, or thousandths, millionths or billionths of them, in ISO 8601 (UTC without a zone), or as
 * HTTP writes dates.
 */
export function timeIn(text: string): SignedTime | null {
  if (NUMBER.test(text)) {
    let seconds = Number(text);
    while (seconds >= MAX_SECONDS) seconds /= 1000;
    return { text, seconds: Math.floor(seconds) };
  }
  const iso = ISO_8601.exec(text);
  const date = iso ? `${text}${iso[1] === undefined ? "Z" : ""}` : HTTP_DATE.exec(text)?.[0];
  const ms = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? null : { text, seconds: Math.floor(ms / 1000) };
}

export const present = (macs: readonly (Uint8Array<ArrayBuffer> | null)[]) => macs.filter((bytes) => bytes !== null);

/** The bytes of `before`, the body and `after`. The body is signed as it came, whether it is UTF-8 or not. */
export function join(before: string, body: Uint8Array, after = ""): Uint8Array<ArrayBuffer> {
  const [first, last] = [utf8(before), utf8(after)];
  const bytes = new Uint8Array(first.length + body.length + last.length);
  bytes.set(first);
  bytes.set(body, first.length);
  bytes.set(last, first.length + body.length);
  return bytes;
}
