/** Checking a passkey that is shown at a sign-in or to confirm a session. */
import type { Deps } from "../../../base/deps";
import type { PasskeyUse } from "../store";
import { openChallenge, type Purpose } from "./challenge";
import { orRefused } from "./refusal";
import { relyingParty } from "./relying-party";
import type { Assertion } from "./schemas";
import { type StoredCredential, verifyAssertion } from "./verify";

/** The answer to request options. */
export interface ShownPasskey {
  state: string;
  response: Assertion;
}

interface Context {
  purpose: Exclude<Purpose, "register">;
  /** Who is signed in; null at a login. */
  userId: string | null;
  requestId: string | null;
}

/** Checks a shown passkey against the stored one. Returns null when the check fails for any reason. */
export function checkPasskey(
  deps: Deps,
  { purpose, userId, requestId }: Context,
  { state, response }: ShownPasskey,
  stored: StoredCredential,
): Promise<PasskeyUse | null> {
  return orRefused(requestId, async () => {
    const { challenge, stateId } = await openChallenge(deps, purpose, userId, state);
    const wasNamed = userId !== null;
    const verified = await verifyAssertion(relyingParty(deps.config), challenge, response, { ...stored, wasNamed });
    return { passkeyId: stored.id, stateId, ...verified };
  });
}
