/**
 * The refresh tokens of apps: `por_<grant>.<generation>.<HMAC-SHA256>`, the MAC in base64url and over the client too.
 * One that is forged, mistyped or of another client is refused without D1. Each can be computed again for an app that
 * lost the answer, so none is stored.
 */
import { base64url } from "jose";
import { utf8 } from "../../base/crypto/encoding";
import type { KeyRing } from "../../base/crypto/keys";

const FORM = /^por_([0-9a-f-]{36})\.(\d{1,9})\.([A-Za-z0-9_-]{43})$/;

export interface OfflineClaims {
  clientId: string;
  grantId: string;
  generation: number;
}

/** The token of one generation. */
export async function makeOfflineToken(keys: KeyRing, claims: OfflineClaims): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", keys[0].refresh, macInput(claims));
  return `por_${claims.grantId}.${claims.generation}.${base64url.encode(new Uint8Array(mac))}`;
}

/** The claims of a token that was made for this client with one of our keys; null for anything else. */
export async function readOfflineToken(keys: KeyRing, clientId: string, token: string): Promise<OfflineClaims | null> {
  const [, grantId, generation, mac] = token.match(FORM) ?? [];
  if (!grantId || !generation || !mac) return null;
  const claims = { clientId, grantId, generation: Number(generation) };
  const bytes = new Uint8Array(base64url.decode(mac));
  for (const key of keys) {
    if (await crypto.subtle.verify("HMAC", key.refresh, bytes, macInput(claims))) return claims;
  }
  return null;
}

/** The refresh tokens of sessions, which have the same key, begin with an id. */
const macInput = ({ clientId, grantId, generation }: OfflineClaims) => utf8(`app ${clientId} ${grantId} ${generation}`);
