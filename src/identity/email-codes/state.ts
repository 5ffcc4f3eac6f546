/**
 * The state of a code binds it to the device that asked for it: the code is worth nothing without the state, which only
 * that device gets. This does not help a user who enters a code that somebody else asked for on a page of theirs.
 * Asking for a code writes no row.
 */
import type { Deps } from "../../base/deps";
import { decryptState, encryptState } from "../../base/short-lived";

const PURPOSE = "mail-code";

export interface MailCodeState {
  /** The id contains the time at which the code was asked for. */
  mailId: string;
  email: string;
  /** False if the address has asked for too many codes: no code is right then. */
  isMailed: boolean;
}

/** Encrypts a state. Its length says nothing about `isMailed`. */
export const sealState = (deps: Deps, { mailId, email, isMailed }: MailCodeState): Promise<string> =>
  encryptState(deps, PURPOSE, [mailId, isMailed ? 1 : 0, email]);

/** Decrypts a state; null when it was not encrypted here. */
export async function openState(deps: Deps, sealed: string): Promise<MailCodeState | null> {
  const opened = await decryptState<[string, 0 | 1, string]>(deps, PURPOSE, sealed);
  return opened && { mailId: opened[0], email: opened[2], isMailed: opened[1] === 1 };
}
