/**
 * The format of API keys and platform keys: a prefix, 34 random base62 characters, 6 characters of CRC32 that detect a
 * typo without a lookup.
 */
import { randomBytes, utf8 } from "../../platform/crypto/encoding";

/** `ak_` for an API key, `psk_` for a platform key. */
export type KeyPrefix = "ak_" | "psk_";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS = 34;
const CHECKSUM_CHARACTERS = 6;
const FORM = /^(ak_|psk_)[0-9A-Za-z]{40}$/;
/** Bytes from here on are discarded: they would make some characters likelier than others. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
const CRC32_POLYNOMIAL = 0xedb88320;
const SHOWN_CHARACTERS = 8;

/** A new random key. */
export function makeKey(prefix: KeyPrefix): string {
  let key: string = prefix;
  while (key.length < prefix.length + RANDOM_CHARACTERS) {
    const [byte = 255] = randomBytes(1);
    if (byte < FAIR_BYTES) key += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return key + checksum(key);
}

/** False for text that cannot be a key of ours. */
export function isKey(text: string): boolean {
  return FORM.test(text) && text.slice(-CHECKSUM_CHARACTERS) === checksum(text.slice(0, -CHECKSUM_CHARACTERS));
}

/** What is shown of a key: its first 8 characters and `…`. */
export const shownPrefix = (key: string): string => `${key.slice(0, SHOWN_CHARACTERS)}…`;

function checksum(text: string): string {
  let remainder = crc32(utf8(text));
  let digits = "";
  for (let index = 0; index < CHECKSUM_CHARACTERS; index++) {
    digits = ALPHABET.charAt(remainder % ALPHABET.length) + digits;
    remainder = Math.floor(remainder / ALPHABET.length);
  }
  return digits;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC32_POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
