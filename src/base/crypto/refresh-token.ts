/**
 * Refresh tokens: `<session id>.<generation>.<HMAC-SHA256>`, the MAC in base64url. A forged or mistyped token is
 * refused without D1. The current token can be computed again for a client that lost the answer, so only its hash is
 * stored.
 */
import { base64url } from "jose";
import { utf8 } from "./encoding";
import type { KeyRing, KeySet } from "./keys";

const FORM = /^([0-9a-f-]{36})\.(\d{1,9})\.([A-Za-z0-9_-]{43})$/;

export interface RefreshClaims {
  sessionId: string;
  generation: number;
}

/** The token of one generation, made with the newest key unless `key` is given. */
export async function makeRefreshToken(keys: KeyRing, claims: RefreshClaims, key: KeySet = keys[0]): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", key.refresh, macInput(claims));
  return `${claims.sessionId}.${claims.generation}.${base64url.encode(new Uint8Array(mac))}`;
}

/** The claims of a token that was made with one of our keys; null for anything else. */
export async function readRefreshToken(keys: KeyRing, token: string): Promise<RefreshClaims | null> {
  const [, sessionId, generation, mac] = token.match(FORM) ?? [];
  if (!sessionId || !generation || !mac) return null;
  const claims = { sessionId, generation: Number(generation) };
  const bytes = new Uint8Array(base64url.decode(mac));
  for (const key of keys) {
    if (await crypto.subtle.verify("HMAC", key.refresh, bytes, macInput(claims))) return claims;
  }
  return null;
}

const macInput = ({ sessionId, generation }: RefreshClaims) => utf8(`${sessionId}.${generation}`);
