/** Checking a password against a stored hash, ours or an imported one. */

import { hasBytesToHash, verifyPassword } from "../../../base/crypto/passwords";
import type { Deps } from "../../../base/deps";
import { describeError, log } from "../../../base/log/log";
import type { ImportedHash } from "./hash";
import { oneAtATime } from "./one-at-a-time";
import { isImported, readStored, settingsOf } from "./read";
import { readHashSettings } from "./settings";

/**
 * Checks a password against `users.password_hash`; null (no such user) costs the work of one of ours. `outdated`: the
 * password is right and the hash should be replaced by one of ours. Throws SERVICE_UNAVAILABLE while too many imported
 * hashes are checked.
 */
export async function verifyStoredPassword(
  deps: Deps,
  password: string,
  stored: string | null,
): Promise<{ correct: boolean; outdated: boolean }> {
  if (stored === null || !isImported(stored)) return verifyPassword(password, stored);
  const settingsId = settingsOf(stored);
  const hash = readStored(stored, settingsId === null ? null : await readHashSettings(deps, settingsId));
  const correct = hash !== null && (await oneAtATime(() => matchesImported(hash, password).catch(notComputed)));
  return { correct, outdated: correct && hasBytesToHash(password) };
}

/** Without the memory for a hash nobody can say whether a password is right. People can still reset theirs. */
function notComputed(error: unknown): false {
  log("error", "imported hash not computed", describeError(error));
  return false;
}

/** Tries the password as typed, and then normalised if that differs: other services did not normalise. */
export async function matchesImported(hash: ImportedHash, password: string): Promise<boolean> {
  if (await hash.matches(password)) return true;
  const normalised = password.normalize("NFKC");
  return normalised !== password && hash.matches(normalised);
}
