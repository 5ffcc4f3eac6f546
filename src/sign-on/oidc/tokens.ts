/** The requests of a sign-on to the provider: the code for tokens (RFC 6749 section 4.1.3), and userinfo. */
import * as oauth from "oauth4webapi";
import type { Deps } from "../../base/deps";
import { jsonOf } from "../../base/json";
import type { StoredProvider } from "../../base/schemas/connection-settings";
import { ProviderUnreachable } from "../../identity/providers/fetch";
import { type ReasonFacts, type RefusalReason, SignOnRefused, type SignOnStep } from "../refused";
import { EndpointRefused, guardedFetch } from "./fetch";
import type { IdpClaims } from "./id-token";

/** How the connection proves itself. */
export type ConnectionProof = { secret: string } | { key: CryptoKey; kid: string };

/** The provider, and the app that is registered there. */
export interface ConnectionParty {
  provider: StoredProvider;
  clientId: string;
  redirectUri: string;
}

const serverOf = (provider: StoredProvider): oauth.AuthorizationServer => ({
  issuer: provider.issuer,
  token_endpoint: provider.tokenEndpoint,
  ...(provider.userinfoEndpoint === null ? {} : { userinfo_endpoint: provider.userinfoEndpoint }),
  authorization_response_iss_parameter_supported: provider.namesIssuer,
});

const optionsOf = (deps: Deps) => ({
  [oauth.customFetch]: guardedFetch(deps),
  [oauth.allowInsecureRequests]: deps.config.webhookEgress === "any",
});

/** The code in the provider's answer. Throws SignOnRefused: for its refusal, and for another issuer (RFC 9207). */
export function readAnswer({ provider, clientId }: ConnectionParty, parameters: URLSearchParams, state: string) {
  const refused = (reason: RefusalReason, facts: ReasonFacts) => new SignOnRefused("answer", reason, facts);
  const issuer = parameters.get("iss");
  if (issuer === null ? provider.namesIssuer : issuer !== provider.issuer) {
    throw refused("issuer", { expected: provider.issuer, actual: issuer === null ? "nobody" : knownUrl(issuer) });
  }
  const error = parameters.get("error");
  if (error !== null) throw refused("access_denied", { answer: knownWord(error) });
  try {
    return oauth.validateAuthResponse(serverOf(provider), { client_id: clientId }, parameters, state);
  } catch {
    throw refused("access_denied", { answer: "no code" });
  }
}

/** Redeems the code. Throws SignOnRefused. */
export async function redeem(
  deps: Deps,
  { provider, clientId, redirectUri }: ConnectionParty,
  proof: ConnectionProof,
  { answer, verifier }: { answer: URLSearchParams; verifier: string },
): Promise<{ idToken: string; accessToken: string | null }> {
  const response = await orRefused("token", "token", () =>
    oauth.authorizationCodeGrantRequest(
      serverOf(provider),
      { client_id: clientId },
      clientAuth(provider, proof),
      answer,
      redirectUri,
      verifier,
      optionsOf(deps),
    ),
  );
  const body = membersOf(jsonOf(await response.text()));
  if (response.status !== 200) {
    const error = typeof body["error"] === "string" ? knownWord(body["error"]) : String(response.status);
    const isOfClient = response.status === 401 || error === "invalid_client" || error === "unauthorized_client";
    throw new SignOnRefused("token", isOfClient ? "bad_client" : "token_endpoint_failed", { answer: error });
  }
  const { id_token: idToken, access_token: accessToken } = body;
  if (typeof idToken !== "string") {
    throw new SignOnRefused("token", "token_endpoint_failed", { answer: "without an ID token" });
  }
  return { idToken, accessToken: typeof accessToken === "string" ? accessToken : null };
}

function clientAuth({ isBasicOnly }: StoredProvider, proof: ConnectionProof): oauth.ClientAuth {
  if ("key" in proof) return oauth.PrivateKeyJwt(proof);
  return isBasicOnly ? oauth.ClientSecretBasic(proof.secret) : oauth.ClientSecretPost(proof.secret);
}

/** What userinfo says of the same person (OpenID Connect Core, section 5.3.2). Throws SignOnRefused. */
export async function readUserinfo(
  deps: Deps,
  { provider, clientId }: ConnectionParty,
  accessToken: string,
  subject: string,
): Promise<IdpClaims> {
  const response = await orRefused("userinfo", "userinfo", () =>
    oauth.userInfoRequest(serverOf(provider), { client_id: clientId }, accessToken, optionsOf(deps)),
  );
  const claims = membersOf(jsonOf(await response.text()));
  if (response.status !== 200 || claims["sub"] !== subject) {
    throw new SignOnRefused("userinfo", "token_endpoint_failed", {
      answer: response.status === 200 ? "about somebody else at userinfo" : `${response.status} at userinfo`,
    });
  }
  return claims;
}

async function orRefused(step: SignOnStep, endpoint: string, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EndpointRefused) {
      throw new SignOnRefused(step, "endpoint_refused", { endpoint, why: error.message });
    }
    if (error instanceof ProviderUnreachable) {
      throw new SignOnRefused(step, "token_endpoint_failed", { answer: error.message });
    }
    throw error;
  }
}

const membersOf = (value: unknown): IdpClaims =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as IdpClaims) : {};

/** The error codes of RFC 6749 have this form; anything else is not repeated. */
const knownWord = (error: string): string => (/^[a-z_]{1,40}$/.test(error) ? error : "an unknown error");

const knownUrl = (text: string): string => (text.length <= 512 && URL.canParse(text) ? text : "another one");
