/** An app proves itself by what its key has signed: private_key_jwt (RFC 7523, OpenID Connect Core 9). */
import { base64url, createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import { utf8 } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { OAUTH_PATH } from "../../base/paths";
import { ASSERTION_ALGORITHMS } from "../../base/schemas/client-settings";
import { keysOf } from "../clients/published-keys";
import { findClient } from "../clients/store";
import { invalidClient } from "./client-proof";

/** How far ahead its end may be. */
const MAX_LIFETIME_SECONDS = 300;

interface Shown {
  clientId: string;
  assertion: string;
  /** The URL that the client calls. */
  endpoint: string;
}

/**
 * Returns the id of the assertion's use, which the statements of the request store: it works once. Throws
 * invalid_client for one that is not the client's, not for us, or over its time.
 */
export async function checkAssertion(deps: Deps, { clientId, assertion, endpoint }: Shown): Promise<string> {
  const client = await findClient(deps, clientId);
  const isPossible = client?.enabled && client.auth === "private_key_jwt";
  const keys = isPossible ? await keysOf(deps, client.settings) : null;
  const claims = keys && (await verified(deps, assertion, keys as unknown as JSONWebKeySet, clientId));
  const { aud, exp = 0, jti = "" } = claims ?? {};
  const issuer = deps.config.tokenIssuer;
  const ours = [issuer, `${issuer}${OAUTH_PATH}/token`, endpoint];
  const named = [aud ?? []].flat();
  // One that is also for somebody else could be used here by them.
  const isForUs = named.length > 0 && named.every((one) => ours.includes(one));
  const isShort = exp * 1000 <= deps.now() + MAX_LIFETIME_SECONDS * 1000;
  if (!isForUs || !isShort) throw invalidClient(false);
  return useOf(clientId, jti, exp);
}

/** The id of its use, which begins with when it is over. */
async function useOf(clientId: string, jti: string, exp: number): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", utf8(`assertion ${clientId} ${jti}`));
  return `${Math.ceil(exp * 1000)}.${base64url.encode(new Uint8Array(digest))}`;
}

async function verified(
  deps: Deps,
  assertion: string,
  keys: JSONWebKeySet,
  clientId: string,
): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(keys), {
      algorithms: [...ASSERTION_ALGORITHMS],
      issuer: clientId,
      subject: clientId,
      requiredClaims: ["aud", "exp", "jti"],
      currentDate: new Date(deps.now()),
    });
    return typeof payload.jti === "string" ? payload : null;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}
