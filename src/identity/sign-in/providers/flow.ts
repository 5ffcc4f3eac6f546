/** OAuth 2's authorization code flow with PKCE, and OpenID Connect's ID token. */
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Deps } from "../../../base/deps";
import { log } from "../../../base/log/log";
import type { Cookies } from "../../../base/operation";
import type { ProviderName } from "../../../base/schemas/schemas";
import { MINUTE_MS } from "../../../base/time";
import { FlowError, flowErrorOf } from "../../providers/failure";
import { readGithubProfile } from "../../providers/github";
import { identityOf, type ProviderIdentity, profileOf } from "../../providers/identity";
import { FLOW_COOKIE, microsoftIssuer, type Provider, requestOptions, serverOf } from "../../providers/providers";
import { seal, unseal } from "../../providers/sealed";
import { checkSignature } from "./keys";

const FLOW_LIFETIME_MS = 10 * MINUTE_MS;

/** What to do when the provider redirects back. */
export interface FlowPurpose {
  /** Where the client continues afterwards, as the request gave it; "" for nowhere. */
  to: string;
  /** Whether it began on a page of ours for apps, which then has what the app asks for in place of `to`. */
  isForApps?: boolean;
  /** The session that adds the identity to its account; null for a sign-in. */
  link: { userId: string; sessionId: string } | null;
  /** The hash of the token of an invitation that the person accepts with the sign-in; null for none. */
  invitationHash: string | null;
}

interface FlowState extends FlowPurpose {
  provider: ProviderName;
  state: string;
  nonce: string;
  verifier: string;
  expiresAt: number;
}

/**
 * Starts an authorization at a provider, with a cookie that the browser keeps until the provider redirects it back.
 * Returns the URL to which the browser goes. Throws FlowError.
 */
export function startAuthorization(
  deps: Deps,
  provider: Provider,
  purpose: FlowPurpose,
  cookies: Cookies,
): Promise<string> {
  return orFlowError(provider, async () => {
    const server = await serverOf(deps, provider);
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const verifier = oauth.generateRandomCodeVerifier();
    const url = authorizationEndpoint(server);
    const parameters = {
      client_id: provider.client.clientId,
      redirect_uri: redirectUri(deps, provider),
      response_type: "code",
      scope: provider.scope,
      state,
      ...(provider.name === "github" ? {} : { nonce }),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    const sent = server.require_pushed_authorization_requests ? await pushed(provider, server, parameters) : parameters;
    for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
    const expiresAt = deps.now() + FLOW_LIFETIME_MS;
    const flow: FlowState = { ...purpose, provider: provider.name, state, nonce, verifier, expiresAt };
    cookies.set(FLOW_COOKIE, await seal(deps, "flow", flow), expiresAt);
    return url.href;
  });
}

/** What stands for the parameters at a provider that wants them beforehand (RFC 9126). */
async function pushed({ client }: Provider, server: oauth.AuthorizationServer, parameters: Record<string, string>) {
  const self = { client_id: client.clientId };
  const secret = clientAuth(server)(client.clientSecret);
  const options = requestOptions(server.issuer);
  const answer = await oauth.pushedAuthorizationRequest(server, self, secret, parameters, options);
  const { request_uri: uri } = await oauth.processPushedAuthorizationResponse(server, self, answer);
  return { ...self, request_uri: uri };
}

function authorizationEndpoint({ authorization_endpoint: text = "", issuer }: oauth.AuthorizationServer): URL {
  const url = URL.parse(text);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && issuer.startsWith("http:"))) return url;
  throw new FlowError("invalid_response", "no authorization endpoint");
}

/** Where the browser's authorization began, for a callback that fails; null without one. */
export async function flowOf(deps: Deps, cookies: Cookies): Promise<Pick<FlowPurpose, "to" | "isForApps"> | null> {
  return unseal<FlowState>(deps, "flow", cookies.get(FLOW_COOKIE));
}

/** Returns the person at the provider, and what the authorization was for; its cookie ends. Throws FlowError. */
export function handleCallback(
  deps: Deps,
  provider: Provider,
  parameters: URLSearchParams,
  cookies: Cookies,
): Promise<{ identity: ProviderIdentity; purpose: FlowPurpose }> {
  const sealed = cookies.get(FLOW_COOKIE);
  cookies.delete(FLOW_COOKIE);
  return orFlowError(provider, async () => {
    const flow = await unseal<FlowState>(deps, "flow", sealed);
    if (flow?.provider !== provider.name) throw new FlowError("expired", "no flow in the browser");
    const server = await serverOf(deps, provider);
    const { to, link, invitationHash, isForApps = false } = flow;
    return {
      identity: await identify(deps, provider, server, parameters, flow),
      purpose: { to, link, invitationHash, isForApps },
    };
  });
}

async function identify(
  deps: Deps,
  provider: Provider,
  server: oauth.AuthorizationServer,
  parameters: URLSearchParams,
  { state, nonce, verifier }: FlowState,
): Promise<ProviderIdentity> {
  const { clientId, clientSecret } = provider.client;
  const client = { client_id: clientId };
  const options = requestOptions(server.issuer);
  const accepted = oauth.validateAuthResponse(server, client, parameters, state);
  const secret = clientAuth(server)(clientSecret);
  const uri = redirectUri(deps, provider);
  const answer = await oauth.authorizationCodeGrantRequest(server, client, secret, accepted, uri, verifier, options);
  if (provider.name === "github") {
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, answer);
    const profile = await readGithubProfile(token);
    return identityOf(provider.name, { issuer: server.issuer, sub: profile.sub }, profile);
  }
  const idToken = await idTokenOf(answer);
  const issuer = provider.name === "microsoft" ? organisationOf(server, idToken) : server;
  const expected = { expectedNonce: nonce, requireIdToken: true };
  const tokens = await oauth.processAuthorizationCodeResponse(issuer, client, answer, expected);
  await checkSignature(deps, provider, issuer, answer, idToken);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (!claims) throw new FlowError("invalid_response", "no ID token");
  const person = { issuer: claims.iss, sub: claims.sub };
  const isTrusted = provider.name === "oidc" && deps.config.providers.oidc?.trustsEmail === true;
  const profile = (said: oauth.IDToken | oauth.JsonObject) => profileOf(provider.name, claims.iss, said, isTrusted);
  const inToken = profile(claims);
  // Some providers send an address that is empty or null to say that there is none.
  if (inToken.email || provider.name !== "oidc" || !server.userinfo_endpoint) {
    return identityOf(provider.name, person, inToken);
  }
  const response = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  // The answer must be about the same person (OpenID Connect Core, section 5.3.2).
  const info = await oauth.processUserInfoResponse(server, client, claims.sub, response);
  return identityOf(provider.name, person, profile(info));
}

/**
 * How the client proves itself: in the body wherever the provider takes that, because providers disagree on the
 * form-encoding of ids in HTTP Basic.
 */
function clientAuth({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) {
  const isBasicOnly = methods?.includes("client_secret_basic") && !methods.includes("client_secret_post");
  return isBasicOnly ? oauth.ClientSecretBasic : oauth.ClientSecretPost;
}

/**
 * Reads from the unverified ID token only which issuer must have signed it. Its signature and claims are checked
 * afterwards.
 */
function organisationOf(server: oauth.AuthorizationServer, idToken: string | null): oauth.AuthorizationServer {
  if (idToken === null) return server;
  const issuer = microsoftIssuer(decodeJwt(idToken).tid);
  if (!issuer) throw new FlowError("invalid_response", "no organisation in the ID token");
  return { ...server, issuer };
}

/** The ID token of an answer, unverified. Reads a copy, because the library reads the answer itself. */
async function idTokenOf(answer: Response): Promise<string | null> {
  const { id_token: token } = (await answer.clone().json()) as { id_token?: unknown };
  return typeof token === "string" ? token : null;
}

const redirectUri = ({ config }: Deps, { name }: Provider) => `${config.publicUrl}/api/v1/auth/oauth/${name}/callback`;

/**
 * Turns every failure into a FlowError, so that no answer of a provider counts as our fault. Logs it unless a person
 * caused it.
 */
async function orFlowError<T>({ name }: Provider, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = flowErrorOf(thrown);
    if (error.code !== "access_denied" && error.code !== "expired") {
      log("warn", "sign-in with a provider failed", { provider: name, reason: error.reason });
    }
    throw error;
  }
}
