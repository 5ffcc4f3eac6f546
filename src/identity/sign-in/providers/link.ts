/** Linking: a signed-in user adds an identity at a provider, to sign in with it from now on. */

import type { Deps } from "../../../base/deps";
import { queueMailIfPossible } from "../../../base/mail/queue";
import { newRevert } from "../../../base/mail/revert-store";
import type { RequestOrigin } from "../../../base/schemas/actor";
import { FlowError, type FlowErrorCode } from "../../providers/failure";
import type { ProviderIdentity } from "../../providers/identity";
import type { FlowPurpose } from "./flow";
import { insertIdentityBySession, type LinkOutcome } from "./link-store";

const REFUSALS: Record<Exclude<LinkOutcome, "linked" | "already">, FlowErrorCode> = {
  taken: "identity_taken",
  full: "too_many_identities",
  signedOut: "signed_out",
};

/** Adds the identity and tells the user by mail; their other sessions end. Throws FlowError. */
export async function linkIdentity(
  deps: Deps,
  session: NonNullable<FlowPurpose["link"]>,
  identity: ProviderIdentity,
  origin: RequestOrigin,
): Promise<void> {
  const revert = await newRevert(deps.keys, deps.now());
  const outcome = await insertIdentityBySession(deps, session, { identity, revert, origin }, deps.now());
  if (outcome === "already") return;
  if (outcome !== "linked") throw new FlowError(REFUSALS[outcome], outcome);
  const { userId } = session;
  await queueMailIfPossible(deps, { kind: "identityLinked", id: revert.mailId, userId, provider: identity.provider });
}
