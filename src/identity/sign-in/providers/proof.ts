/**
 * Proving an address that a provider does not vouch for: a code is mailed to it, and entering the code in the same
 * browser shows whose the mailbox is. `email_verified` is optional (OpenID Connect Core, section 5.1), and Entra has
 * none.
 */
import type { Deps } from "../../../base/deps";
import { AppError, type ErrorDetail } from "../../../base/errors";
import type { ClientContext } from "../../../base/schemas/client-context";
import { strangerTo } from "../../../tenancy/audit/record-store";
import type { StoredCredentials } from "../../accounts/credentials-store";
import { checkMailCode } from "../../accounts/verify";
import { requestProof } from "../../email-codes/request";
import type { EnteredCode } from "../../email-codes/verify";
import { reclaimByMailCode } from "../../reclaim/by-code";

/** What the details of a refusal say comes next. */
const NEXT = "next";
const EMAIL_CODE = "email-code";

/** Whether the refusal says that a code was mailed, and waits for it. */
export const isAskedForProof = ({ details }: AppError): boolean =>
  details?.some(({ path, message }) => path === NEXT && message === EMAIL_CODE) === true;

/** The state of the code that was mailed, from a refusal. */
export const stateOfProof = ({ details }: AppError): string | undefined =>
  details?.find(({ path }) => path === "mailCode.state")?.message;

/**
 * Requires a code that was mailed to the address. Returns the id of its mail. Whoever has registered the address
 * without proving it loses the account. Throws EMAIL_NOT_VERIFIED after mailing a code, INVALID_CODE and
 * ACCOUNT_LOCKED.
 */
export async function requireProof(
  deps: Deps,
  { email, stored }: { email: string; stored: StoredCredentials | undefined },
  entered: EnteredCode | undefined,
  client: ClientContext,
): Promise<string> {
  if (!entered) throw needsProof(await requestProof(deps, email, client));
  const guesser = stored
    ? { userId: stored.userId, tenantId: stored.tenantId, actor: strangerTo(stored.userId, client.origin) }
    : null;
  const mailId = await checkMailCode(deps, guesser, email, entered);
  if (stored?.emailVerifiedAt === null) await reclaimByMailCode(deps, { mailId, userId: stored.userId }, client);
  return mailId;
}

const needsProof = (state: string) =>
  new AppError("EMAIL_NOT_VERIFIED", {
    message: "A code was mailed to your address. Enter it to go on.",
    details: codeMailed(state),
  });

/** What the details of a refusal say that has mailed a code: what comes next, and the state that goes with the code. */
export const codeMailed = (state: string): ErrorDetail[] => [
  { path: NEXT, message: EMAIL_CODE },
  { path: "mailCode.state", message: state },
];
