/** Where the browser goes on in a sign-in with a provider. */
import { sha256Hex } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { orNotFound } from "../../../base/errors";
import type { Cookies } from "../../../base/operation";
import { ACCOUNT_PATH } from "../../../base/paths";
import type { RequestOrigin } from "../../../base/schemas/actor";
import { FlowError } from "../../providers/failure";
import { findProvider, type Provider, RESULT_COOKIE } from "../../providers/providers";
import { newSignInResult } from "../../providers/sign-in-result";
import { type FlowPurpose, flowOf, handleCallback, startAuthorization } from "./flow";
import { linkIdentity } from "./link";
import type { SignInStart } from "./schemas";

const providerNamed = ({ config }: Deps, name: string): Provider => orNotFound(findProvider(config, name), "Route");

/** Where a sign-in began: on a page of the client, or on one of ours for apps. */
export type Beginning = Pick<FlowPurpose, "to" | "isForApps">;

/** The page that continues the sign-in. */
export function nextPage({ config }: Deps, { to, isForApps }: Beginning, fields: Record<string, string>): string {
  const given = Object.entries({ ...fields, [isForApps ? "r" : "to"]: to }).filter(([, value]) => value !== "");
  const base = isForApps ? `${config.tokenIssuer}${ACCOUNT_PATH}` : config.appUrl;
  return `${base}/oauth?${new URLSearchParams(given)}`;
}

/**
 * Turns a FlowError into the page that continues, with a code: the browser is navigating, so a client could not read an
 * error response.
 */
async function orErrorPage(deps: Deps, begun: Beginning, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FlowError) return nextPage(deps, begun, { error: error.code });
    throw error;
  }
}

/** Starts a sign-in at the provider of this name. Returns the URL to which the browser goes. */
export function startSignIn(
  deps: Deps,
  name: string,
  { to = "", invitationToken, isForApps = false }: SignInStart & Pick<FlowPurpose, "isForApps">,
  cookies: Cookies,
): Promise<string> {
  return orErrorPage(deps, { to: isForApps ? to : "", isForApps }, async () => {
    const invitationHash = invitationToken === undefined ? null : await sha256Hex(invitationToken);
    const purpose = { to, isForApps, link: null, invitationHash };
    return startAuthorization(deps, providerNamed(deps, name), purpose, cookies);
  });
}

/**
 * Takes the person whom a provider has sent back, with its `parameters`: keeps the result of a sign-in in a cookie, or
 * links the identity. Returns the URL to which the browser goes.
 */
export async function finishAuthorization(
  deps: Deps,
  name: string,
  parameters: URLSearchParams,
  cookies: Cookies,
  origin: RequestOrigin,
): Promise<string> {
  const provider = providerNamed(deps, name);
  const begun = await flowOf(deps, cookies);
  const failed = begun?.isForApps ? begun : { to: "" };
  return orErrorPage(deps, failed, async () => {
    const { identity, purpose } = await handleCallback(deps, provider, parameters, cookies);
    const { link, invitationHash } = purpose;
    if (link) {
      await linkIdentity(deps, link, identity, origin);
      return nextPage(deps, purpose, { linked: provider.name });
    }
    const { code, sealed, expiresAt } = await newSignInResult(deps, identity, invitationHash);
    cookies.set(RESULT_COOKIE, sealed, expiresAt);
    return nextPage(deps, purpose, { code });
  });
}
