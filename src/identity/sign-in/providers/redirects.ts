/** Where the browser goes on in a sign-in with a provider. */
import { sha256Hex } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { orNotFound } from "../../../base/errors";
import type { Cookies } from "../../../base/operation";
import type { RequestOrigin } from "../../../base/schemas/actor";
import { FlowError } from "../../providers/failure";
import { findProvider, type Provider, RESULT_COOKIE } from "../../providers/providers";
import { handleCallback, startAuthorization } from "./flow";
import { linkIdentity } from "./link";
import type { SignInStart } from "./schemas";
import { newSignInResult } from "./sign-in-result";

const providerNamed = ({ config }: Deps, name: string): Provider => orNotFound(findProvider(config, name), "Route");

/** The page of the client that continues the sign-in. */
function clientPage({ config }: Deps, fields: Record<string, string>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== "");
  return `${config.appUrl}/oauth?${new URLSearchParams(given)}`;
}

/**
 * Turns a FlowError into the client's page with a code: the browser is navigating, so the client could not read an
 * error response.
 */
async function orErrorPage(deps: Deps, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FlowError) return clientPage(deps, { error: error.code });
    throw error;
  }
}

/** Starts a sign-in at the provider of this name. Returns the URL to which the browser goes. */
export function startSignIn(
  deps: Deps,
  name: string,
  { to = "", invitationToken }: SignInStart,
  cookies: Cookies,
): Promise<string> {
  return orErrorPage(deps, async () => {
    const invitationHash = invitationToken === undefined ? null : await sha256Hex(invitationToken);
    return startAuthorization(deps, providerNamed(deps, name), { to, link: null, invitationHash }, cookies);
  });
}

/**
 * Takes the person whom a provider has sent back, with its `parameters`: keeps the result of a sign-in in a cookie, or
 * links the identity. Returns the URL to which the browser goes.
 */
export function finishAuthorization(
  deps: Deps,
  name: string,
  parameters: URLSearchParams,
  cookies: Cookies,
  origin: RequestOrigin,
): Promise<string> {
  const provider = providerNamed(deps, name);
  return orErrorPage(deps, async () => {
    const { identity, purpose } = await handleCallback(deps, provider, parameters, cookies);
    const { to, link, invitationHash } = purpose;
    if (link) {
      await linkIdentity(deps, link, identity, origin);
      return clientPage(deps, { linked: provider.name, to });
    }
    const { code, sealed, expiresAt } = await newSignInResult(deps, identity, invitationHash);
    cookies.set(RESULT_COOKIE, sealed, expiresAt);
    return clientPage(deps, { code, to });
  });
}
