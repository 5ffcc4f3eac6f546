/** Login with a mailed code. It proves the address, and asks for the second factor like a password. */
import { newId } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { queueMailIfPossible } from "../../platform/mail/queue";
import type { Visit } from "../../platform/schemas/visit";
import { type EnteredCode, invalidCode, readCode } from "../email-codes/judge";
import { takeOverByCode, tenantsToLeaveOfUser } from "../recovery/code-store";
import { disableAbandoned } from "../recovery/take-over";
import type { OpenedSession } from "../sessions/tokens";
import { recordWrong } from "./guess";
import { openWithFactors, type SignInChoice } from "./second-factor";
import { findCredentialsByEmail, type StoredCredentials } from "./store";

/**
 * Opens a session, even while the password is locked. Throws INVALID_CODE, TOTP_REQUIRED (the code stays valid),
 * INVALID_TOTP, ACCOUNT_LOCKED after wrong second factors, and NOT_FOUND for a tenant that the user is not a member of.
 */
export async function loginWithCode(
  deps: Deps,
  input: EnteredCode & SignInChoice,
  visit: Visit,
): Promise<OpenedSession> {
  const { mailId, email, judge } = await readCode(deps, input);
  const find = () => findCredentialsByEmail(deps, email, input.tenantId ?? null);
  const [isRight, found] = await Promise.all([judge(), find()]);
  if (!isRight || !found) {
    recordWrong(deps, { pool: "code", account: Promise.resolve(found), origin: visit.origin });
    throw invalidCode();
  }
  const stored = found.emailVerifiedAt === null ? await takenOver(deps, found, { mailId, find }, visit) : found;
  const opened = stored && (await openWithFactors(deps, stored, { method: "code", mailId }, input, visit));
  if (!opened) throw invalidCode();
  return opened;
}

/**
 * Takes over an account whose address was unverified until now: whoever registered it may not have received its mails.
 * Returns the account as it is afterwards. If anything fails in between, the code still works.
 */
async function takenOver(
  deps: Deps,
  { userId }: StoredCredentials,
  { mailId, find }: { mailId: string; find: () => Promise<StoredCredentials | undefined> },
  { origin }: Visit,
): Promise<StoredCredentials | undefined> {
  await disableAbandoned(deps, await tenantsToLeaveOfUser(deps, userId));
  const ended = await takeOverByCode(deps, { mailId, userId, origin }, deps.now());
  if (ended) await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId, ended, byCode: true });
  return find();
}
