/** Whether an ID token is signed: by a key that the provider publishes, or with the client's secret. */
import { compactVerify, decodeProtectedHeader } from "jose";
import type { JWKSCacheInput } from "oauth4webapi";
import * as oauth from "oauth4webapi";
import { BoundedMap } from "../../../base/bounded-map";
import { utf8 } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { MINUTE_MS } from "../../../base/time";
import { FlowError } from "../../providers/failure";
import { type Provider, requestOptions } from "../../providers/providers";

const BY_SECRET = ["HS256", "HS384", "HS512"];

/**
 * Checks the signature of the ID token in an answer. A generic provider may sign it with the client's secret (OpenID
 * Connect Core, section 10.1). Throws FlowError, and as oauth4webapi.
 */
export async function checkSignature(
  deps: Deps,
  { name, client }: Provider,
  server: oauth.AuthorizationServer,
  answer: Response,
  idToken: string | null,
): Promise<void> {
  if (name === "oidc" && idToken !== null && BY_SECRET.includes(decodeProtectedHeader(idToken).alg ?? "")) {
    await compactVerify(idToken, utf8(client.clientSecret), { algorithms: BY_SECRET }).catch(() => {
      throw new FlowError("invalid_response", "an ID token that is not signed with the client's secret");
    });
    return;
  }
  const keys = { [oauth.jwksCache]: keysOf(server.jwks_uri ?? server.issuer, idToken, deps.now()) };
  await oauth.validateApplicationLevelSignature(server, answer, { ...requestOptions(server.issuer), ...keys });
}

/** More than a deployment has. */
const MAX_PLACES = 6;
/** oauth4webapi fetches keys again after 5 minutes, or for an unknown one when they are a minute old. */
const keysByPlace = new BoundedMap<{ keys: JWKSCacheInput; forgottenAt: number }>(MAX_PLACES);

/**
 * The cache of the keys that are published there. It is forgotten when it lacks the key of this ID token, at most once
 * a minute: an unknown key is a reason to look again, because providers change keys at any time (OpenID Connect Core,
 * section 10.1.1).
 */
function keysOf(place: string, idToken: string | null, nowMs: number): JWKSCacheInput {
  const known = keysByPlace.get(place) ?? { keys: {}, forgottenAt: -Infinity };
  const isForgotten = isMissing(known.keys, idToken) && nowMs - known.forgottenAt >= MINUTE_MS;
  const current = isForgotten ? { keys: {}, forgottenAt: nowMs } : known;
  keysByPlace.set(place, current);
  return current.keys;
}

function isMissing(cached: JWKSCacheInput, idToken: string | null): boolean {
  if (!("jwks" in cached) || idToken === null) return false;
  const { kid } = decodeProtectedHeader(idToken);
  return kid !== undefined && !cached.jwks?.keys.some((key) => key.kid === kid);
}
