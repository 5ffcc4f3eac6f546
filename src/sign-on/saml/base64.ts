/** Base64 as XML has it: white space is allowed, and nothing else beyond the alphabet and its padding. */
import { fromBase64, toBase64 } from "../../base/crypto/encoding";

const ALPHABET = /^[A-Za-z0-9+/]+={0,2}$/;

/** The bytes; null for what is not the one way to write them, and for none. */
export function strictBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const digits = text.replaceAll(/[\t\n\r ]+/g, "");
  if (digits.length % 4 !== 0 || !ALPHABET.test(digits)) return null;
  const bytes = fromBase64(digits);
  return toBase64(bytes.subarray(bytes.length - (bytes.length % 3 || 3))) === digits.slice(-4) ? bytes : null;
}
