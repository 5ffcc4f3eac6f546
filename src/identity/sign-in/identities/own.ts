/** The identities of the signed-in user: adding and removing them. A stolen session alone can do neither. */
import type { Deps } from "../../../base/deps";
import { AppError, notFound, orNotFound } from "../../../base/errors";
import { queueMailIfPossible } from "../../../base/mail/queue";
import type { Cookies } from "../../../base/operation";
import type { SessionPrincipal } from "../../../base/schemas/principal";
import { FlowError } from "../../providers/failure";
import { findProvider, type Provider } from "../../providers/providers";
import { startAuthorization } from "../providers/flow";
import { deleteIdentityOfUser } from "./store";

/** The provider of this name. Throws NOT_FOUND for one that is off. */
export const linkedProvider = ({ config }: Deps, name: string): Provider =>
  orNotFound(findProvider(config, name), "Provider");

/**
 * Begins to link a provider. Returns the URL to which the browser goes. Throws NOT_FOUND for one that is off, and
 * SERVICE_UNAVAILABLE while it is down.
 */
export async function startLinking(
  deps: Deps,
  { userId, sessionId }: SessionPrincipal,
  { name, to = "" }: { name: string; to?: string | undefined },
  cookies: Cookies,
): Promise<string> {
  const provider = linkedProvider(deps, name);
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
