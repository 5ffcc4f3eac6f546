/** Login with a mailed code. It proves the address, and asks for the second factor like a password. */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { ClientContext } from "../../base/schemas/client-context";
import { findCredentialsByEmail, type StoredCredentials } from "../accounts/credentials-store";
import { type EnteredCode, invalidCode, openCode } from "../email-codes/verify";
import { reclaimByCode, tenantsToLeaveOfUser } from "../reclaim/by-code-store";
import { disableAbandoned } from "../reclaim/reclaim";
import type { OpenedSession } from "../sessions/tokens";
import { checkAttempt } from "./attempt";
import { completeSignIn, type SignInChoice } from "./second-factor";

/**
 * Opens a session, even while the password is locked. Throws INVALID_CODE, TOTP_REQUIRED (the code stays valid),
 * INVALID_TOTP, ACCOUNT_LOCKED after ten wrong codes or second factors, and NOT_FOUND for a tenant that the user is not
 * a member of.
 */
export async function loginWithCode(
  deps: Deps,
  input: EnteredCode & SignInChoice,
  client: ClientContext,
): Promise<OpenedSession> {
  const { mailId, email, verify } = await openCode(deps, input);
  const find = () => findCredentialsByEmail(deps, email, input.tenantId ?? null);
  const account = find();
  account.catch(() => {});
  const evaluate = async () => {
    const [isRight, credentials] = await Promise.all([verify(), account]);
    return (isRight && credentials) || null;
  };
  const attempt = { pool: "code", boundBy: ["code"], email, account, origin: client.origin, evaluate } as const;
  const { value: found, startedLock } = await checkAttempt(deps, attempt);
  if (startedLock) await tellOfGuesses(deps, await account);
  if (!found) throw invalidCode();
  const stored = found.emailVerifiedAt === null ? await reclaimed(deps, found, { mailId, find }, client) : found;
  const opened = stored && (await completeSignIn(deps, stored, { method: "code", mailId }, input, client));
  if (!opened) throw invalidCode();
  return opened;
}

async function tellOfGuesses(deps: Deps, account: StoredCredentials | undefined): Promise<void> {
  if (account) await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId: account.userId, pool: "code" });
}

/**
 * Reclaims an account whose address was unverified until now, because its creator may not own the address. Returns the
 * account as it is afterwards. If anything fails in between, the code still works.
 */
async function reclaimed(
  deps: Deps,
  { userId }: StoredCredentials,
  { mailId, find }: { mailId: string; find: () => Promise<StoredCredentials | undefined> },
  { origin }: ClientContext,
): Promise<StoredCredentials | undefined> {
  await disableAbandoned(deps, await tenantsToLeaveOfUser(deps, userId));
  const ended = await reclaimByCode(deps, { mailId, userId, origin }, deps.now());
  if (ended) await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId, ended, byCode: true });
  return find();
}
