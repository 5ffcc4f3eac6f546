/** What the app's cookie has of somebody who is signed in. */

import { fromBase64Url } from "../base64url";
import type { Claims } from "../session/jws";
import type { Tokens } from "./provider";

/** A session as it is sealed. Times are Unix ms. */
export interface StoredSession {
  claims: Claims;
  /** For the sign-out at the provider. */
  idToken: string;
  refreshToken: string | null;
  /** The `sid` of the access token, which can be another one than that of the ID token. */
  accessSid: string | null;
  /** Until when its tokens are good. */
  freshUntil: number;
  signedInAt: number;
  /** When the ID token of the sign-in was issued, in Unix seconds by the provider's clock. */
  issuedAt: number;
}

/** How long a session lasts whose provider does not say it. */
const DEFAULT_SECONDS = 900;

/** The session after a sign-in or a renewal. */
export function storedOf(
  tokens: Tokens,
  idToken: string,
  claims: Claims,
  now: number,
  before?: StoredSession,
): StoredSession {
  return {
    claims: before ? { ...before.claims, ...claims } : claims,
    idToken,
    refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
    accessSid: sidOf(tokens.access_token),
    freshUntil: now + (tokens.expires_in ?? DEFAULT_SECONDS) * 1000,
    signedInAt: before?.signedInAt ?? now,
    issuedAt: before?.issuedAt ?? Number(claims.iat),
  };
}

/** Of an access token that is a JWT. It has come from the provider itself, so its signature proves nothing more. */
function sidOf(accessToken: string): string | null {
  try {
    const [, payload = ""] = accessToken.split(".");
    const { sid } = JSON.parse(new TextDecoder().decode(fromBase64Url(payload))) as Claims;
    return typeof sid === "string" ? sid : null;
  } catch {
    return null;
  }
}
