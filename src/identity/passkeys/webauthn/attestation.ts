/** Checking a passkey that an authenticator has made, for somebody who is signed in or who registers. */
import type { Deps } from "../../../base/deps";
import { type AppError, invalid } from "../../../base/errors";
import { openChallenge } from "./challenge";
import { orRefused } from "./refusal";
import { relyingParty } from "./relying-party";
import type { Attestation } from "./schemas";
import { type NewCredential, verifyAttestation } from "./verify";

/** The answer to creation options. */
export interface MadePasskey {
  state: string;
  response: Attestation;
}

interface Context {
  purpose: "register" | "sign-up";
  /** Who is signed in; null for somebody who registers. */
  userId: string | null;
  requestId: string | null;
}

/** A passkey that is right, and not stored yet. */
interface CheckedPasskey<Account> {
  /** The id of the challenge's state, which works once. */
  stateId: string;
  credential: NewCredential & { transports: string[] };
  /** The account of a sign-up, from its options. */
  account: Account | undefined;
}

/** Throws VALIDATION_FAILED when the authenticator's answer is not valid or the state has expired. */
export async function checkNewPasskey<Account>(
  deps: Deps,
  { purpose, userId, requestId }: Context,
  { state, response }: MadePasskey,
): Promise<CheckedPasskey<Account>> {
  const checked = await orRefused(requestId, async () => {
    const { challenge, stateId, account } = await openChallenge<Account>(deps, purpose, userId, state);
    const verified = await verifyAttestation(relyingParty(deps.config), challenge, response);
    return { stateId, account, credential: { ...verified, transports: response.response.transports ?? [] } };
  });
  if (!checked) throw invalidPasskey();
  return checked;
}

/** VALIDATION_FAILED for a passkey that is not valid, or whose options were used or have expired. */
export const invalidPasskey = (): AppError =>
  invalid({ issues: [{ path: ["response"], message: "Invalid or expired: ask for new options" }] });
