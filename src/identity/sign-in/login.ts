/**
 * Login in one step, or in two for the console: the password, then the code. Known and unknown emails cost the same
 * work, and the write that opens the session also uses the second factor.
 */
import { digest } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { ClientContext } from "../../base/schemas/client-context";
import { findCredentialsOfUser, findForPassword, type StoredCredentials } from "../accounts/credentials-store";
import { requirePasswords } from "../passwords/off";
import type { OpenedSession } from "../sessions/tokens";
import { hasSecondFactor } from "../two-factor/store";
import { checkAttempt } from "./attempt";
import { requireVerified } from "./open";
import { checkPassword, refusedAfterMs } from "./password-sources";
import type { PendingLogin } from "./schemas";
import { completeSignIn, type SignInChoice } from "./second-factor";

export interface Credentials {
  email: string;
  password: string;
  /** One of the user's tenants; the one used last when missing. */
  tenantId?: string | undefined;
}

/**
 * Opens a session. `totp` is a TOTP or recovery code. Throws UNAUTHENTICATED, FORBIDDEN for a suspended account or
 * where passwords are off, EMAIL_NOT_VERIFIED, TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED, SERVICE_UNAVAILABLE, and
 * NOT_FOUND for a tenant that the user is not a member of.
 */
export async function login(
  deps: Deps,
  input: Credentials & { totp?: string | undefined },
  client: ClientContext,
): Promise<OpenedSession> {
  return openAfterPassword(deps, await verifyCredentials(deps, input, client), input, client);
}

/**
 * The first step: opens a session, or returns what `continueLogin` needs for an account with a second factor. Throws as
 * `login`.
 */
export async function startLogin(
  deps: Deps,
  input: Credentials,
  client: ClientContext,
): Promise<OpenedSession | PendingLogin> {
  const stored = await verifyCredentials(deps, input, client);
  if (!hasSecondFactor(stored)) return openAfterPassword(deps, stored, input, client);
  return { userId: stored.userId, passwordDigest: await passwordDigest(deps, stored) };
}

/** The second step. Throws UNAUTHENTICATED when the password has changed since the first step, otherwise as `login`. */
export async function continueLogin(
  deps: Deps,
  pending: PendingLogin,
  code: string,
  client: ClientContext,
): Promise<OpenedSession> {
  requirePasswords(deps.config);
  const stored = await findCredentialsOfUser(deps, pending.userId);
  if (!stored || (await passwordDigest(deps, stored)) !== pending.passwordDigest) throw wrongPassword();
  return openAfterPassword(deps, stored, { totp: code }, client);
}

const wrongPassword = () => new AppError("UNAUTHENTICATED", { message: "Invalid email or password." });

const passwordDigest = (deps: Deps, { userId, passwordHash }: StoredCredentials) =>
  digest(deps.keys, `login:${userId}`, passwordHash);

async function verifyCredentials(
  deps: Deps,
  { email, password, tenantId }: Credentials,
  { origin }: ClientContext,
): Promise<StoredCredentials> {
  requirePasswords(deps.config);
  const found = findForPassword(deps, email, tenantId ?? null);
  const account = found.then(({ credentials }) => credentials);
  // The query runs in parallel with the reservation of the attempt. If the attempt is refused, nobody awaits the query.
  account.catch(() => {});
  const evaluate = async () => {
    const { credentials: stored, isImportedWaiting } = await found;
    const floorMs = refusedAfterMs(deps, isImportedWaiting);
    // Before the hash: the clock stands still while it is computed.
    const floor = floorMs === 0 ? null : scheduler.wait(floorMs);
    const verified = await checkPassword(deps, { email, password, tenantId, origin, stored });
    if (!verified) await floor;
    return verified;
  };
  const { value: stored } = await checkAttempt(deps, { pool: "password", email, account, origin, evaluate });
  if (!stored) throw wrongPassword();
  await requireVerified(deps, stored);
  return stored;
}

async function openAfterPassword(
  deps: Deps,
  stored: StoredCredentials,
  choice: SignInChoice,
  client: ClientContext,
): Promise<OpenedSession> {
  const { passwordHash } = stored;
  const opened = await completeSignIn(deps, stored, { method: "password", passwordHash }, choice, client);
  if (!opened) throw wrongPassword();
  return opened;
}
