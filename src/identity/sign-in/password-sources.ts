/** Who can know the password of an account: we, by our hash or an imported one, or a former service. */
import { hashPassword, verifyPassword } from "../../base/crypto/passwords";
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import { findCredentialsOfUser, type StoredCredentials } from "../accounts/credentials-store";
import { formerService, isUnknownHere, signInAtFormerService } from "../legacy-login/sign-in";
import { isImported } from "../passwords/imported/read";
import { verifyStoredPassword } from "../passwords/imported/verify";
import { upgradePasswordHash } from "./store";

interface PasswordAttempt {
  email: string;
  password: string;
  tenantId?: string | undefined;
  origin: RequestOrigin;
  /** Undefined when nobody has the email. */
  stored: StoredCredentials | undefined;
}

interface PasswordSource {
  /** Whether it, and no other, knows the password. */
  knows(deps: Deps, attempt: PasswordAttempt): boolean;
  /** The credentials if the password is right, with the hash that is stored now; otherwise null. */
  check(deps: Deps, attempt: PasswordAttempt): Promise<StoredCredentials | null>;
}

const ownHash: PasswordSource = {
  knows: (_, { stored }) => stored !== undefined && stored.passwordHash !== "" && !isImported(stored.passwordHash),
  check: async (deps, attempt) =>
    checked(deps, attempt, await verifyPassword(attempt.password, attempt.stored?.passwordHash ?? null)),
};

const importedHash: PasswordSource = {
  knows: (_, { stored }) => stored !== undefined && isImported(stored.passwordHash),
  check: async (deps, attempt) =>
    checked(deps, attempt, await verifyStoredPassword(deps, attempt.password, attempt.stored?.passwordHash ?? null)),
};

const formerServiceSource: PasswordSource = {
  knows: (deps, { email, stored }) => formerService(deps) !== null && isUnknownHere(deps, email, stored),
  async check(deps, attempt) {
    const service = formerService(deps);
    return service && signInAtFormerService(deps, service, attempt, attempt.origin);
  },
};

const SOURCES: readonly PasswordSource[] = [ownHash, importedHash, formerServiceSource];

/**
 * Asks the source that knows the password. Returns the credentials if it is right, with the hash that is stored now;
 * otherwise null. An email that nobody has costs the work of one of our hashes.
 */
export function checkPassword(deps: Deps, attempt: PasswordAttempt): Promise<StoredCredentials | null> {
  const source = SOURCES.find(({ knows }) => knows(deps, attempt)) ?? ownHash;
  return source.check(deps, attempt);
}

const REFUSED_AFTER_MS = { imported: 500, legacy: 1_000 };

/**
 * While imported hashes wait, or a former service is asked, no refusal of a password leaves earlier, in ms: they take
 * other times than our hashes, which would tell who has what.
 */
export function refusedAfterMs(deps: Deps, isImportedWaiting: boolean): number {
  if (formerService(deps)) return REFUSED_AFTER_MS.legacy;
  return isImportedWaiting ? REFUSED_AFTER_MS.imported : 0;
}

async function checked(
  deps: Deps,
  { stored, password }: PasswordAttempt,
  { correct, outdated }: { correct: boolean; outdated: boolean },
): Promise<StoredCredentials | null> {
  if (!stored || !correct) return null;
  return outdated ? withNewHash(deps, stored, password) : stored;
}

async function withNewHash(deps: Deps, stored: StoredCredentials, password: string): Promise<StoredCredentials | null> {
  const upgraded = await hashPassword(password);
  const { userId, passwordHash } = stored;
  if (await upgradePasswordHash(deps, userId, passwordHash, upgraded)) return { ...stored, passwordHash: upgraded };
  // A parallel login was faster, or the password has changed.
  const current = await findCredentialsOfUser(deps, userId, stored.tenantId);
  const { correct } = await verifyStoredPassword(deps, password, current?.passwordHash ?? null);
  return current && correct ? current : null;
}
