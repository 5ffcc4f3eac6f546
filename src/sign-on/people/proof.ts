/** A code that is mailed proves what a sign-on cannot: that the address is the person's, or that an owner agrees. */
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { ClientContext } from "../../base/schemas/client-context";
import { checkMailCode } from "../../identity/accounts/verify";
import { requestProof } from "../../identity/email-codes/request";
import type { EnteredCode } from "../../identity/email-codes/verify";
import { codeMailed } from "../../identity/sign-in/providers/proof";
import { CONSENT } from "../../identity/sign-in/providers/sign-in";
import { strangerTo } from "../../tenancy/audit/record-store";
import type { SignOnVerdict } from "./judge";

/** Returns the id of the mail. Throws CONFLICT after mailing a code, INVALID_CODE and ACCOUNT_LOCKED. */
export async function requireCode(
  deps: Deps,
  { account, proof }: SignOnVerdict,
  email: string,
  entered: EnteredCode | undefined,
  client: ClientContext,
): Promise<string> {
  if (!entered) throw needsCode(proof, await requestProof(deps, email, client));
  const guesser = account && {
    userId: account.userId,
    tenantId: null,
    actor: strangerTo(account.userId, client.origin),
  };
  return checkMailCode(deps, guesser, email, entered);
}

const MESSAGES = {
  address: "A code was mailed to your address. Enter it to go on.",
  owner:
    "You are an owner. A code was mailed to your address: enter it to agree that you sign in like this from now on.",
} as const;

const needsCode = (proof: SignOnVerdict["proof"], state: string) =>
  new AppError("CONFLICT", {
    message: MESSAGES[proof ?? "address"],
    details: [{ path: CONSENT, message: "Needed to go on" }, ...codeMailed(state)],
  });
