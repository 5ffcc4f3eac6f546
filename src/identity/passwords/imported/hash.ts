/** What every kind of imported hash is read into. */
import { fromBase64 } from "../../../base/crypto/encoding";
import { withoutEnd } from "../../../base/without-end";

/** A hash that another service made of somebody's password, read and within our bounds. */
export interface ImportedHash {
  /** Whether this exact text is the password. The caller decides about normalisation. */
  matches: (password: string) => Promise<boolean>;
}

/** Reads a hash; null for one of another form. Throws `HashRefused` for parameters out of bounds. */
export type HashReader = (hash: string) => ImportedHash | null;

/** A hash that is not taken. The message repeats nothing of the hash. */
export class HashRefused extends Error {}

/** A hash of a kind that is taken, which would cost too much to check. The person comes without it. */
export class HashBeyondBounds extends HashRefused {}

/** Throws `HashBeyondBounds` unless `value` is a whole number from `min` to `max`. */
export function within(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new HashBeyondBounds(`password.hash: ${name} must be ${min} to ${max}`);
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Bytes of Base64, padded or not. Throws `HashRefused` for another text, `HashBeyondBounds` for another size. */
export function bytesWithin(name: string, text: string, min: number, max: number): Uint8Array<ArrayBuffer> {
  const unpadded = withoutEnd(text, "=");
  if (!BASE64.test(text) || unpadded.length % 4 === 1) throw new HashRefused(`password.hash: ${name} is not Base64`);
  const bytes = fromBase64(unpadded);
  within(`the length of ${name} in bytes`, bytes.length, min, max);
  return bytes;
}

/** Compares in constant time. */
export const areEqual = (actual: Uint8Array, expected: Uint8Array): boolean =>
  actual.length === expected.length && crypto.subtle.timingSafeEqual(actual, expected);
