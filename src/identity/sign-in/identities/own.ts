/** The identities of the signed-in user: adding and removing them. A stolen session alone can do neither. */
import type { Deps } from "../../../base/deps";
import { AppError, notFound, orNotFound } from "../../../base/errors";
import { queueMailIfPossible } from "../../../base/mail/queue";
import type { Cookies } from "../../../base/operation";
import type { SessionPrincipal } from "../../../base/schemas/principal";
import { FlowError } from "../../providers/failure";
import { findProvider } from "../../providers/providers";
import { requireStepUp, requireVerifiedAddress, type StepUpCredentials } from "../../step-up/confirm";
import { startAuthorization } from "../providers/flow";
import { deleteIdentityOfUser } from "./store";

/**
 * Begins to link a provider. Returns the URL to which the browser goes. Throws NOT_FOUND for one that is off,
 * EMAIL_NOT_VERIFIED, STEP_UP_REQUIRED, and SERVICE_UNAVAILABLE while it is down.
 */
export async function startLinking(
  deps: Deps,
  caller: SessionPrincipal,
  { name, to = "" }: { name: string; to?: string | undefined },
  cookies: Cookies,
  given?: StepUpCredentials,
): Promise<string> {
  const provider = orNotFound(findProvider(deps.config, name), "Provider");
  requireVerifiedAddress(deps, caller);
  await requireStepUp(deps, caller, given);
  const { userId, sessionId } = caller;
  try {
    const purpose = { to, link: { userId, sessionId }, invitationHash: null };
    return await startAuthorization(deps, provider, purpose, cookies);
  } catch (error) {
    if (error instanceof FlowError) throw new AppError("SERVICE_UNAVAILABLE", { retryAfterSeconds: 60, cause: error });
    throw error;
  }
}

/**
 * Removes an identity of the caller and notifies them by mail. Sessions that it has opened stay. Throws NOT_FOUND, and
 * CONFLICT for the last way to sign in.
 */
export async function removeIdentity(deps: Deps, caller: SessionPrincipal, id: string): Promise<void> {
  const outcome = await deleteIdentityOfUser(deps, caller, id);
  if (outcome === "unknown") throw notFound("Identity");
  if (outcome === "last") {
    throw new AppError("CONFLICT", {
      message: "This is your only way to sign in. Set a password or add a passkey or another provider first.",
    });
  }
  await queueMailIfPossible(deps, { kind: "identityUnlinked", userId: caller.userId, provider: outcome.provider });
}
