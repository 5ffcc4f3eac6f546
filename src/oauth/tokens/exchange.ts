/** The token endpoint: an app exchanges a code for its tokens (RFC 6749 section 4.1.3, OpenID Connect Core 3.1.3). */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { consumeByAddress } from "../../base/limits/by-address";
import { refuseOverLimit } from "../../base/limits/limiter";
import { log } from "../../base/log/log";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { AuthMethod } from "../../base/schemas/principal";
import { isShownRightly, readCode } from "../authorization/code";
import { type ClientRow, touchClient } from "../clients/store";
import { OAuthError } from "../errors";
import { claimsOf } from "./claims";
import { invalidClient, readProof } from "./client-proof";
import { signAccessToken, signIdToken } from "./sign";
import { exchangeCode, findProven, type Proof, type SubjectRow } from "./store";

/** A request for tokens. */
export interface TokenRequest {
  form: URLSearchParams;
  authorization: string | undefined;
  clientIp: string;
  origin: RequestOrigin;
}

/** RFC 6749 section 5.1. */
export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
  id_token: string;
}

const invalidGrant = () =>
  new OAuthError("invalid_grant", "The code has expired, was used before, or is not for this app.");

/** Throws OAuthError, and RATE_LIMITED. */
export async function requestTokens(deps: Deps, request: TokenRequest): Promise<TokenResponse> {
  const { form, clientIp } = request;
  const proof = await countingFailures(deps, clientIp, () => readProof(form, request.authorization));
  await limitClient(deps, proof, clientIp);
  const type = form.get("grant_type");
  if (type === null) throw new OAuthError("invalid_request", "grant_type is missing.");
  const text = form.get("code");
  const code = text === null ? null : await readCode(deps, text);
  const shown = { redirectUri: form.get("redirect_uri"), verifier: form.get("code_verifier") };
  const isRight = code?.clientId === proof.clientId && (await isShownRightly(code, shown));
  if (type !== "authorization_code" || text === null || !isRight) {
    await countingFailures(deps, clientIp, async () => {
      if (!(await findProven(deps, proof, deps.now()))) throw invalidClient(proof.triedBasic);
    });
    if (type !== "authorization_code") throw new OAuthError("unsupported_grant_type", "This grant is not supported.");
    if (text === null) throw new OAuthError("invalid_request", "code is missing.");
    throw invalidGrant();
  }
  const exchange = { code, proof, grantId: newId(), origin: request.origin };
  const { client, granted } = await exchangeCode(deps, exchange, deps.now());
  if (!client) return countingFailures(deps, clientIp, () => Promise.reject(invalidClient(proof.triedBasic)));
  if (!granted) throw refused(client, invalidGrant());
  deps.background("client use", touchClient(deps, client, deps.now()));
  return tokensFor(deps, client, granted, code);
}

function refused(client: ClientRow, error: OAuthError): OAuthError {
  log("info", "token refused", { clientId: client.id, reason: error.code });
  return error;
}

async function tokensFor(
  deps: Deps,
  client: ClientRow,
  subject: SubjectRow & { grantId: string },
  { scopes, nonce }: { scopes: readonly string[]; nonce: string | null },
): Promise<TokenResponse> {
  const { userId, tenantId, role, grantId, amr, authenticatedAt } = subject;
  const methods = amr === null ? [] : (JSON.parse(amr) as AuthMethod[]);
  const person = { userId, tenantId, role, authenticatedAt, methods };
  const signedIn = { ...person, client, grantId, scopes, issuedAt: deps.startedAt };
  const accessToken = await signAccessToken(deps, signedIn);
  const claims = claimsOf(scopes, subject);
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: client.settings.accessTokenSeconds,
    scope: scopes.join(" "),
    id_token: await signIdToken(deps, signedIn, { nonce, claims, accessToken }),
  };
}

/** A client with a secret has a limit of its own. One without shares its id with everybody, so addresses count too. */
async function limitClient(deps: Deps, { clientId, secretHash }: Proof, clientIp: string): Promise<void> {
  const [rule, key] =
    secretHash === null ? (["tokenPublic", `${clientId} ${clientIp}`] as const) : (["token", clientId] as const);
  refuseOverLimit(await deps.limiter.consume(rule, key, 1));
}

/** Runs `work`, and counts the refusal of a client against the limit of its address. */
async function countingFailures<T>(deps: Deps, clientIp: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError && error.code === "invalid_client") {
      const verdict = await consumeByAddress(deps, "clientAuth", clientIp);
      if (verdict) refuseOverLimit(verdict);
    }
    throw error;
  }
}
