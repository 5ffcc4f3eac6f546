/**
 * Login in one step, or in two for the console: the password, then the code. Known and unknown emails cost the same
 * work, and the write that opens the session also uses the second factor.
 */
import { digest } from "../../platform/crypto/encryption";
import { hashPassword, verifyPassword } from "../../platform/crypto/passwords";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import type { Visit } from "../../platform/schemas/visit";
import type { OpenedSession } from "../sessions/tokens";
import { checkGuess } from "./guess";
import { requireVerified } from "./open";
import { hasSecondFactor, openWithFactors, type SignInChoice } from "./second-factor";
import { findCredentialsByEmail, findCredentialsOfUser, type StoredCredentials, upgradePasswordHash } from "./store";

export interface Credentials {
  email: string;
  password: string;
  /** One of the user's tenants; the one used last when missing. */
  tenantId?: string | undefined;
}

/**
 * A login whose password was right and whose second factor is still missing. It stops being valid when the password
 * changes.
 */
export interface PendingLogin {
  userId: string;
  /** Keyed, so that it reveals nothing about the password. */
  passwordDigest: string;
}

/**
 * Opens a session. `totp` is a TOTP or recovery code. Throws UNAUTHENTICATED, FORBIDDEN for a suspended account,
 * EMAIL_NOT_VERIFIED, TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED, SERVICE_UNAVAILABLE, and NOT_FOUND for a tenant that
 * the user is not a member of.
 */
export async function login(
  deps: Deps,
  input: Credentials & { totp?: string | undefined },
  visit: Visit,
): Promise<OpenedSession> {
  return open(deps, await checkPassword(deps, input, visit), input, visit);
}

/**
 * The first step: opens a session, or returns what `continueLogin` needs for an account with a second factor. Throws as
 * `login`.
 */
export async function startLogin(deps: Deps, input: Credentials, visit: Visit): Promise<OpenedSession | PendingLogin> {
  const stored = await checkPassword(deps, input, visit);
  if (!hasSecondFactor(stored)) return open(deps, stored, input, visit);
  return { userId: stored.userId, passwordDigest: await passwordDigest(deps, stored) };
}

/** The second step. Throws UNAUTHENTICATED when the password has changed since the first step, otherwise as `login`. */
export async function continueLogin(
  deps: Deps,
  pending: PendingLogin,
  code: string,
  visit: Visit,
): Promise<OpenedSession> {
  const stored = await findCredentialsOfUser(deps, pending.userId);
  if (!stored || (await passwordDigest(deps, stored)) !== pending.passwordDigest) throw wrongPassword();
  return open(deps, stored, { totp: code }, visit);
}

const wrongPassword = () => new AppError("UNAUTHENTICATED", { message: "Invalid email or password." });

const passwordDigest = (deps: Deps, { userId, passwordHash }: StoredCredentials) =>
  digest(deps.keys, `login:${userId}`, passwordHash);

async function checkPassword(
  deps: Deps,
  { email, password, tenantId }: Credentials,
  { origin }: Visit,
): Promise<StoredCredentials> {
  const found = findCredentialsByEmail(deps, email, tenantId ?? null);
  // The query runs in parallel with the reservation of the guess. If the guess is refused, nobody awaits the query.
  found.catch(() => {});
  const evaluate = async () => {
    const credentials = await found;
    const { correct, outdated } = await verifyPassword(password, credentials?.passwordHash ?? null);
    if (!credentials || !correct) return null;
    return outdated ? withNewHash(deps, credentials, password) : credentials;
  };
  const { value: stored } = await checkGuess(deps, { pool: "password", email, account: found, origin, evaluate });
  if (!stored) throw wrongPassword();
  await requireVerified(deps, stored);
  return stored;
}

async function withNewHash(deps: Deps, stored: StoredCredentials, password: string): Promise<StoredCredentials> {
  const upgraded = await hashPassword(password);
  const { userId, passwordHash } = stored;
  return (await upgradePasswordHash(deps, userId, passwordHash, upgraded))
    ? { ...stored, passwordHash: upgraded }
    : stored;
}

async function open(deps: Deps, stored: StoredCredentials, choice: SignInChoice, visit: Visit): Promise<OpenedSession> {
  const { passwordHash } = stored;
  const opened = await openWithFactors(deps, stored, { method: "password", passwordHash }, choice, visit);
  if (!opened) throw wrongPassword();
  return opened;
}
