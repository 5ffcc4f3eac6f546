/** Conversions between bytes and base64url without padding (RFC 4648, section 5). */
import { fromBase64, toBase64 } from "../base/crypto/encoding";

export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Throws on anything but base64url. */
export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
