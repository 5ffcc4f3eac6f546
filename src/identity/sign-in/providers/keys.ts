/** The keys that providers sign with, as this isolate has fetched them. */
import { decodeProtectedHeader } from "jose";
import type { JWKSCacheInput } from "oauth4webapi";
import { BoundedMap } from "../../../base/bounded-map";
import { MINUTE_MS } from "../../../base/time";

/** More than a deployment has. */
const MAX_ISSUERS = 20;
/** oauth4webapi fetches keys again after 5 minutes, or for an unknown one when they are a minute old. */
const keysByIssuer = new BoundedMap<{ keys: JWKSCacheInput; forgottenAt: number }>(MAX_ISSUERS);

/**
 * The cache of an issuer's keys. It is forgotten when it lacks the key of this ID token, at most once a minute: an
 * unknown key is a reason to look again, because providers change keys at any time (OpenID Connect Core, section
 * 10.1.1).
 */
export function keysOf(issuer: string, idToken: string | null, nowMs: number): JWKSCacheInput {
  const known = keysByIssuer.get(issuer) ?? { keys: {}, forgottenAt: -Infinity };
  const isForgotten = isMissing(known.keys, idToken) && nowMs - known.forgottenAt >= MINUTE_MS;
  const current = isForgotten ? { keys: {}, forgottenAt: nowMs } : known;
  keysByIssuer.set(issuer, current);
  return current.keys;
}

function isMissing(cached: JWKSCacheInput, idToken: string | null): boolean {
  if (!("jwks" in cached) || idToken === null) return false;
  const { kid } = decodeProtectedHeader(idToken);
  return kid !== undefined && !cached.jwks?.keys.some((key) => key.kid === kid);
}
