/**
 * Tokens in mails. A token is derived from the id of its mail and from a secret key, so a repeated mail has the same
 * token, and neither the queue nor D1 stores it.
 */
import { sha256Hex, toHex, utf8 } from "../crypto/encoding";
import type { KeyRing } from "../crypto/keys";

/** What a token is for. Tokens of one mail differ by their use. */
export type TokenUse =
  | "verify"
  | "reset"
  | "invite"
  | "undo"
  | "revoke-api-keys"
  | "remove-factor"
  | "change-email"
  | "setup";

export interface MailToken {
  /** 32 bytes in hex. */
  token: string;
  /** SHA-256 of the token, as D1 stores it. */
  hash: string;
}

/**
 * The tokens that the mail with this id may carry, if the write that it reports has stored the hash of one: the first
 * key may have changed since then. The most likely one comes first.
 */
export const mailTokensOfKeys = (keys: KeyRing, use: TokenUse, mailId: string): Promise<MailToken[]> =>
  Promise.all(keys.map((key) => mailToken([key], use, mailId)));

/** The token that the mail with this id carries. */
export async function mailToken([newest]: KeyRing, use: TokenUse, mailId: string): Promise<MailToken> {
  const mac = await crypto.subtle.sign("HMAC", newest.mailToken, utf8(`${use}:${mailId}`));
  const token = toHex(new Uint8Array(mac));
  return { token, hash: await sha256Hex(token) };
}
