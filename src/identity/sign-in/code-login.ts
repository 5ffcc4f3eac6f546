/** Login with a mailed code. It proves the address, and asks for the second factor like a password. */
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { ClientContext } from "../../base/schemas/client-context";
import { findCredentialsByEmail, type StoredCredentials } from "../accounts/credentials-store";
import { type EnteredCode, invalidCode, openCode } from "../email-codes/verify";
import { reclaimByMailCode } from "../reclaim/by-code";
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
  const find = () => findCredentialsByEmail(deps, email, input.tenantId ?? null, "code");
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
  const { userId, emailVerifiedAt } = found;
  if (emailVerifiedAt === null) await reclaimByMailCode(deps, { mailId, userId }, client);
  const stored = emailVerifiedAt === null ? await find() : found;
  const opened = stored && (await completeSignIn(deps, stored, { method: "code", mailId }, input, client));
  if (!opened) throw invalidCode();
  return opened;
}

async function tellOfGuesses(deps: Deps, account: StoredCredentials | undefined): Promise<void> {
  if (account) await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId: account.userId, pool: "code" });
}
