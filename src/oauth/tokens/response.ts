/** The answer of the token endpoint (RFC 6749 section 5.1). */
import type { Deps } from "../../base/deps";
import type { AuthMethod } from "../../base/schemas/principal";
import type { ClientRow } from "../clients/store";
import { claimsOf } from "./claims";
import { scopesOfAccess, signAccessToken, signIdToken } from "./sign";
import type { SubjectRow } from "./subject-store";
import type { TokenTarget } from "./target";

export interface TokenResponse {
  access_token: string;
  token_type: "Bearer" | "DPoP";
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

interface Asked {
  /** Those granted. */
  scopes: readonly string[];
  /** The API of the access token; null: it is for userinfo. */
  target: TokenTarget | null;
  /** Null for a refresh, whose ID token has none (OpenID Connect Core 12.2). */
  nonce: string | null;
  /** What the app has asked for. */
  acr?: string | null;
  /** The key to which the access token is bound; null for none. */
  jkt: string | null;
}

export async function tokensFor(
  deps: Deps,
  client: ClientRow,
  subject: GrantedSubject,
  { scopes, target, nonce, acr = null, jkt }: Asked,
): Promise<TokenResponse> {
  const { userId, tenantId, role, grantId, signInId, amr, authenticatedAt, connectionId } = subject;
  const methods = amr === null ? [] : (JSON.parse(amr) as AuthMethod[]);
  const person = { userId, tenantId, role, authenticatedAt, methods, connectionId };
  const signedIn = { ...person, client, grantId, signInId, scopes, target, acr, jkt, issuedAt: deps.startedAt };
  const accessToken = await signAccessToken(deps, signedIn);
  const idToken = scopes.includes("openid")
    ? await signIdToken(deps, signedIn, { nonce, claims: claimsOf(scopes, subject), accessToken })
    : undefined;
  return {
    access_token: accessToken,
    token_type: jkt === null ? "Bearer" : "DPoP",
    expires_in: client.settings.accessTokenSeconds,
    scope: scopesOfAccess(signedIn).join(" "),
    ...(idToken === undefined ? {} : { id_token: idToken }),
  };
}
