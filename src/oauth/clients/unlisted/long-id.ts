/**
 * A registration's `client_id` is the registration itself, encrypted, so it is long. Tables, lists and the list of
 * revoked tokens name it by its hash.
 */
import { base64url } from "jose";
import { utf8 } from "../../../base/crypto/encoding";

const MAX_CHARACTERS = 1024;
const FORM = /^dc_[A-Za-z0-9._-]+$/;
const HASHED = /^dc_[A-Za-z0-9_-]{43}$/;

/** Whether the text has the form of a registration's `client_id`. */
export const isLongId = (text: string): boolean =>
  text.length <= MAX_CHARACTERS && FORM.test(text) && !HASHED.test(text);

/** The id in tables of what a client calls itself. */
export async function internalId(publicId: string): Promise<string> {
  if (!isLongId(publicId)) return publicId;
  const digest = await crypto.subtle.digest("SHA-256", utf8(publicId));
  return `dc_${base64url.encode(new Uint8Array(digest))}`;
}
