/**
 * What binds a code to the device that asked for it: the state is given to that device alone, and a code is worth nothing without it. So
 * nobody can talk a user out of a code, and asking for one costs no row.
 */
import { decrypt, encrypt } from "../crypto/encryption";
import type { Deps } from "../deps";

const OWNER = "mail-code";

export interface MailCodeState {
  /** Of the mail, which is also when the code was asked for. */
  mailId: string;
  email: string;
  /** False for one too many for the address: no code is right then. */
  isMailed: boolean;
}

/** Encrypts a state. Its length says nothing about `isMailed`. */
export const sealState = ({ keys }: Deps, { mailId, email, isMailed }: MailCodeState): Promise<string> =>
  encrypt(keys, OWNER, JSON.stringify([mailId, isMailed ? 1 : 0, email]));

/** Returns what was encrypted; null when it was not encrypted here. */
export async function openState({ keys }: Deps, sealed: string): Promise<MailCodeState | null> {
  try {
    const [mailId, isMailed, email] = JSON.parse(await decrypt(keys, OWNER, sealed)) as [string, 0 | 1, string];
    return { mailId, isMailed: isMailed === 1, email };
  } catch {
    return null;
  }
}
