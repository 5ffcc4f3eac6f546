/** The answer of the token endpoint (RFC 6749 section 5.1). */
import type { Deps } from "../../base/deps";
import type { AuthMethod } from "../../base/schemas/principal";
import type { ClientRow } from "../clients/store";
import { claimsOf } from "./claims";
import { signAccessToken, signIdToken } from "./sign";
import type { SubjectRow } from "./store";

export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
  id_token?: string;
  refresh_token?: string;
}

/** The grant of the access token, and the sign-in from which it comes. */
export interface GrantedSubject extends SubjectRow {
  grantId: string;
  signInId: string;
}

/**
 * `nonce` is null for a refresh, whose ID token has none (OpenID Connect Core 12.2). `acr` is what the app has asked
 * for.
 */
export async function tokensFor(
  deps: Deps,
  client: ClientRow,
  subject: GrantedSubject,
  { scopes, nonce, acr = null }: { scopes: readonly string[]; nonce: string | null; acr?: string | null },
): Promise<TokenResponse> {
  const { userId, tenantId, role, grantId, signInId, amr, authenticatedAt } = subject;
  const methods = amr === null ? [] : (JSON.parse(amr) as AuthMethod[]);
  const person = { userId, tenantId, role, authenticatedAt, methods };
  const signedIn = { ...person, client, grantId, signInId, scopes, acr, issuedAt: deps.startedAt };
  const accessToken = await signAccessToken(deps, signedIn);
  const idToken = scopes.includes("openid")
    ? await signIdToken(deps, signedIn, { nonce, claims: claimsOf(scopes, subject), accessToken })
    : undefined;
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: client.settings.accessTokenSeconds,
    scope: scopes.join(" "),
    ...(idToken === undefined ? {} : { id_token: idToken }),
  };
}
