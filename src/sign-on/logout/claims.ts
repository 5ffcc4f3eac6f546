/** What a logout token must say (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
import { decodeProtectedHeader } from "jose";
import type { IdpClaims } from "../oidc/id-token";
import { type ReasonFacts, type RefusalReason, SignOnRefused } from "../refused";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const MAX_ID_CHARACTERS = 255;
/** How far the clocks may differ. */
const SKEW_SECONDS = 60;
const OLDEST_SECONDS = 10 * 60;

/** Whose sessions end at the provider: that of `sid`, else all of a person. */
export interface LogoutClaims {
  tokenId: string;
  issuedAtSeconds: number;
  sid: string | null;
  /** The claim that names people in this connection; null: the token has another. */
  subject: string | null;
}

/** What the token is compared with. */
interface Expected {
  issuer: string;
  clientId: string;
  subjectClaim: string;
}

const refused = (reason: RefusalReason, facts: ReasonFacts = {}) => new SignOnRefused("logout_token", reason, facts);

/** Whether it may be a logout token: no other kind of token counts as one (RFC 8725, section 3.11). */
export function isOfLogoutType(token: string): boolean {
  try {
    const { typ } = decodeProtectedHeader(token);
    // "JWT" says nothing of the kind.
    return typ === undefined || /^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ);
  } catch {
    return false;
  }
}

/** Reads verified claims. Throws SignOnRefused. */
export function readLogoutClaims(claims: IdpClaims, expected: Expected, nowMs: number): LogoutClaims {
  const { iss, aud, events, nonce, jti } = claims;
  if (iss !== expected.issuer) throw refused("issuer", { expected: expected.issuer, actual: "somebody else" });
  if (!(Array.isArray(aud) ? (aud as unknown[]) : [aud]).includes(expected.clientId)) {
    throw refused("audience", { expected: expected.clientId, actual: "another app" });
  }
  // An ID token is signed by the same key, and must not end sessions.
  if (nonce !== undefined) throw refused("not_logout_token", { why: "it has a nonce" });
  if (typeof events !== "object" || events === null || !Object.hasOwn(events, EVENT)) {
    throw refused("not_logout_token", { why: "events does not name the logout" });
  }
  const issuedAtSeconds = issuedAt(claims, nowMs / 1000);
  const [tokenId, sid] = [idOf(jti, "jti"), idOf(claims["sid"], "sid")];
  const subject = idOf(claims[expected.subjectClaim], expected.subjectClaim);
  if (tokenId === null) throw refused("not_logout_token", { why: "it has no jti" });
  if (sid === null && idOf(claims["sub"], "sub") === null) {
    throw refused("not_logout_token", { why: "it has neither sid nor sub" });
  }
  return { tokenId, issuedAtSeconds, sid, subject };
}

function issuedAt({ iat, exp }: IdpClaims, now: number): number {
  if (typeof exp !== "number") throw refused("expired", { seconds: "an unknown number of" });
  if (now > exp + SKEW_SECONDS) throw refused("expired", { seconds: Math.round(now - exp) });
  if (typeof iat !== "number") throw refused("clock_skew", { seconds: "an unknown number of" });
  if (iat > now + SKEW_SECONDS || now - iat > OLDEST_SECONDS + SKEW_SECONDS) {
    throw refused("clock_skew", { seconds: Math.round(Math.abs(now - iat)) });
  }
  return iat;
}

/** Null for a claim that is missing. Throws SignOnRefused for one that is no id. */
function idOf(claim: unknown, name: string): string | null {
  if (claim === undefined || claim === null) return null;
  if (typeof claim === "string" && claim !== "" && claim.length <= MAX_ID_CHARACTERS) return claim;
  throw refused("not_logout_token", { why: `${name} is no text of 1 to ${MAX_ID_CHARACTERS} characters` });
}
