/**
 * The state of a code binds it to the device that asked for it: only that device gets the state, and the code is worth
 * nothing without it. So an attacker gains nothing by talking a user into revealing a code. Asking for a code writes no
 * row.
 */
import { decrypt, encrypt } from "../../platform/crypto/encryption";
import type { Deps } from "../../platform/deps";

const OWNER = "mail-code";

export interface MailCodeState {
  /** The id contains the time at which the code was asked for. */
  mailId: string;
  email: string;
  /** False if the address has asked for too many codes: no code is right then. */
  isMailed: boolean;
}

/** Encrypts a state. Its length says nothing about `isMailed`. */
export const sealState = ({ keys }: Deps, { mailId, email, isMailed }: MailCodeState): Promise<string> =>
  encrypt(keys, OWNER, JSON.stringify([mailId, isMailed ? 1 : 0, email]));

/** Decrypts a state; null when it was not encrypted here. */
export async function openState({ keys }: Deps, sealed: string): Promise<MailCodeState | null> {
  try {
    const [mailId, isMailed, email] = JSON.parse(await decrypt(keys, OWNER, sealed)) as [string, 0 | 1, string];
    return { mailId, isMailed: isMailed === 1, email };
  } catch {
    return null;
  }
}
