/** Access tokens: RFC 9068 JWTs, EdDSA (Ed25519), 15 minutes. */
import { errors, jwtVerify, SignJWT } from "jose";
import type { KeyRing } from "./keys";

const LIFETIME_SECONDS = 15 * 60;
const TYPE = "at+jwt";

export interface TokenParties {
  issuer: string;
  audience: string;
}

export interface AccessClaims {
  userId: string;
  sessionId: string;
  tenantId: string;
}

export async function signAccessToken(
  keys: KeyRing,
  parties: TokenParties,
  claims: AccessClaims,
  nowMs: number,
): Promise<string> {
  const { kid, privateKey } = keys[0].signing;
  const issuedAtSeconds = Math.floor(nowMs / 1000);
  return new SignJWT({ sid: claims.sessionId, tid: claims.tenantId })
    .setProtectedHeader({ alg: "EdDSA", typ: TYPE, kid })
    .setIssuer(parties.issuer)
    .setAudience(parties.audience)
    .setSubject(claims.userId)
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(issuedAtSeconds + LIFETIME_SECONDS)
    .sign(privateKey);
}

/** The claims of a good token; null for any other, whatever is wrong with it. */
export async function verifyAccessToken(
  keys: KeyRing,
  parties: TokenParties,
  token: string,
  nowMs: number,
): Promise<AccessClaims | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      (header) => {
        const key = keys.find((candidate) => candidate.signing.kid === header.kid);
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key.signing.publicKey;
      },
      {
        algorithms: ["EdDSA"],
        typ: TYPE,
        issuer: parties.issuer,
        audience: parties.audience,
        requiredClaims: ["sub", "sid", "tid", "iat", "exp"],
        currentDate: new Date(nowMs),
      },
    );
    const { sub, sid, tid } = payload;
    if (typeof sub !== "string" || typeof sid !== "string" || typeof tid !== "string") return null;
    return { userId: sub, sessionId: sid, tenantId: tid };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}
