/** Signed tokens of a session: access tokens (RFC 9068 JWTs, EdDSA, 15 minutes) and the console's cookie. */
import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { newId } from "../db/ids";
import { permissionsOf } from "../schemas/roles";
import type { KeyRing } from "./keys";

const ACCESS_LIFETIME_MS = 15 * 60_000;

/** `typ` and audience differ between kinds, so a token of one kind is never accepted as another. */
interface Kind {
  typ: string;
  audienceOf: (parties: TokenParties) => string;
}

const ACCESS: Kind = { typ: "at+jwt", audienceOf: ({ audience }) => audience };
const CONSOLE: Kind = { typ: "console+jwt", audienceOf: ({ audience }) => `${audience}/console` };

export interface TokenParties {
  issuer: string;
  audience: string;
}

export interface AccessClaims {
  userId: string;
  sessionId: string;
  tenantId: string;
}

/** What an access token says besides. */
export interface AccessTokenClaims extends AccessClaims {
  /** The role in the tenant. */
  role: string;
  /** When the user signed in or last confirmed the session; Unix ms. */
  authenticatedAt: number;
  /** How, in the words of RFC 8176. */
  methods: readonly string[];
}

/** When a token was issued and when it expires, Unix ms. */
interface Validity {
  issuedAt: number;
  expiresAt: number;
}

/** A signed access token, valid for 15 minutes from `nowMs`. */
export function signAccessToken(keys: KeyRing, parties: TokenParties, claims: AccessTokenClaims, nowMs: number) {
  const { role, authenticatedAt, methods } = claims;
  const more = {
    jti: newId(),
    role,
    scope: permissionsOf(role).join(" "),
    auth_time: Math.floor(authenticatedAt / 1000),
    ...(methods.length > 0 ? { amr: methods } : {}),
  };
  return sign(keys, ACCESS, parties, claims, { issuedAt: nowMs, expiresAt: nowMs + ACCESS_LIFETIME_MS }, more);
}

/** The claims of a valid access token; null for anything else. */
export function verifyAccessToken(keys: KeyRing, parties: TokenParties, token: string, nowMs: number) {
  return verify(keys, ACCESS, parties, token, nowMs);
}

/** The value of the console's session cookie. It expires with its session. */
export function signConsoleToken(keys: KeyRing, parties: TokenParties, claims: AccessClaims, validity: Validity) {
  return sign(keys, CONSOLE, parties, claims, validity);
}

/** The claims of a valid console cookie; null for anything else, including an access token. */
export function verifyConsoleToken(keys: KeyRing, parties: TokenParties, token: string, nowMs: number) {
  return verify(keys, CONSOLE, parties, token, nowMs);
}

async function sign(
  keys: KeyRing,
  kind: Kind,
  parties: TokenParties,
  claims: AccessClaims,
  { issuedAt, expiresAt }: Validity,
  more: JWTPayload = {},
): Promise<string> {
  const { kid, privateKey } = keys[0].signing;
  return new SignJWT({ sid: claims.sessionId, tid: claims.tenantId, ...more })
    .setProtectedHeader({ alg: "EdDSA", typ: kind.typ, kid })
    .setIssuer(parties.issuer)
    .setAudience(kind.audienceOf(parties))
    .setSubject(claims.userId)
    .setIssuedAt(Math.floor(issuedAt / 1000))
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(privateKey);
}

async function verify(
  keys: KeyRing,
  kind: Kind,
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
        typ: kind.typ,
        issuer: parties.issuer,
        audience: kind.audienceOf(parties),
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
