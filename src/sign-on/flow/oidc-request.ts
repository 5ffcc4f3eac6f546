/** The request of a sign-on by OpenID Connect. */
import * as oauth from "oauth4webapi";
import type { Deps } from "../../base/deps";
import type { ConnectionRow } from "../connections/store";
import { redirectUriOf } from "../connections/view";
import { refusalOfEndpoint } from "../oidc/fetch";
import type { Asking, ProviderRequest } from "./request";

/** Null for a connection that is not complete, or whose provider's address is refused. */
export async function oidcRequest(
  deps: Deps,
  { id, settings, document }: ConnectionRow,
  { isStepUp, loginHint }: Asking,
): Promise<ProviderRequest | null> {
  const { clientId, scopes } = settings.oidc;
  if (!document || clientId === null) return null;
  if (refusalOfEndpoint(deps, document.authorizationEndpoint) !== null) return null;
  const { maxAgeSeconds, acrValues } = settings.session;
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(document.authorizationEndpoint);
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUriOf(deps, id),
    response_type: "code",
    scope: scopes,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    ...(maxAgeSeconds === null ? {} : { max_age: String(maxAgeSeconds) }),
    ...(isStepUp ? { prompt: "login", max_age: "0" } : {}),
    ...(acrValues.length === 0 ? {} : { acr_values: acrValues.join(" ") }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, secrets: { state, nonce, verifier } };
}
