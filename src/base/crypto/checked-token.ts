/** Random base62 text that ends in 6 characters of CRC32, so that a typo or a guess is seen without a lookup. */
import { randomBytes, utf8 } from "./encoding";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_CHARACTERS = 6;
/** Bytes from here on are discarded: they would make some characters likelier than others. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
const CRC32_POLYNOMIAL = 0xedb88320;

/** A new text: `prefix`, so many random characters, and the checksum of both. */
export function makeChecked(prefix: string, randomCharacters: number): string {
  let text = prefix;
  while (text.length < prefix.length + randomCharacters) {
    const [byte = 255] = randomBytes(1);
    if (byte < FAIR_BYTES) text += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return text + checksum(text);
}

/** Whether a text ends in its checksum. */
export const isChecked = (text: string): boolean =>
  text.slice(-CHECKSUM_CHARACTERS) === checksum(text.slice(0, -CHECKSUM_CHARACTERS));

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
