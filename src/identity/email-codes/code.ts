/**
 * Codes in mails. A code is derived from the id of its mail and from a secret key, so that neither the queue nor D1
 * stores it.
 */
import { utf8 } from "../../base/crypto/encoding";
import type { KeyRing, KeySet } from "../../base/crypto/keys";
import { readRecentKeys } from "../../base/db/first-keys-store";
import { timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import { typedCode } from "../../base/typed-code";

export const MAIL_CODE_LIFETIME_MS = 10 * MINUTE_MS;
const DIGITS = 6;

/** The code in the mail with this id: six digits. */
export const mailCode = ([newest]: KeyRing, mailId: string): Promise<string> => codeUnder(newest, mailId);

/**
 * Whether `given` is the code in the mail with this id. Tries all keys that may have made it, because the newest may
 * have changed since the mail was sent.
 */
export async function isMailCode(deps: Deps, mailId: string, given: string): Promise<boolean> {
  const keys = await readRecentKeys(deps);
  const digits = utf8(typedCode(given));
  const codes = await Promise.all(keys.map(async (key) => utf8(await codeUnder(key, mailId))));
  return codes.some((code) => code.length === digits.length && crypto.subtle.timingSafeEqual(code, digits));
}

/** Whether the code in the mail with this id has expired. */
export const isExpired = (mailId: string, nowMs: number): boolean => timeOfId(mailId) + MAIL_CODE_LIFETIME_MS <= nowMs;

async function codeUnder({ mailToken }: KeySet, mailId: string): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", mailToken, utf8(`code:${mailId}`));
  // 64 bits, so that no code is noticeably more frequent than another.
  const number = new DataView(mac).getBigUint64(0) % BigInt(10 ** DIGITS);
  return number.toString().padStart(DIGITS, "0");
}
