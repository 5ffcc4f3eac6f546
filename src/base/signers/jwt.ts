/** Signed tokens of a session: access tokens (RFC 9068 JWTs, 15 minutes) and the console's cookie. */
import { CompactSign, errors, type JWTPayload, jwtVerify } from "jose";
import { utf8 } from "../crypto/encoding";
import { type SigningKey, TOKEN_ALGORITHMS } from "../crypto/signing-keys";
import { newId } from "../db/ids";
import { appPermissionsOf, permissionsOf } from "../schemas/roles";
import type { SignerId } from "./choose";
import type { Signers } from "./signers";

const ACCESS_LIFETIME_MS = 15 * 60_000;

/** `typ` and audience differ between kinds, so a token of one kind is never accepted as another. */
interface Kind {
  typ: string;
  audienceOf: (audience: string) => string;
}

const ACCESS: Kind = { typ: "at+jwt", audienceOf: (audience) => audience };
const CONSOLE: Kind = { typ: "console+jwt", audienceOf: (audience) => `${audience}/console` };

/** Who signs, and for whom: `TOKEN_AUDIENCE`. */
export interface TokenContext {
  signers: Signers;
  config: { tokenAudience: string };
}

export interface AccessClaims {
  userId: string;
  sessionId: string;
  tenantId: string;
}

/** What a token that was shown says. */
export interface ShownClaims extends AccessClaims {
  /** Unix ms, in whole seconds. */
  issuedAt: number;
  /** Of the console's cookie: how often it was replaced. 0 for other tokens. */
  generation: number;
}

/** What an access token says besides. */
export interface AccessTokenClaims extends AccessClaims {
  /** The role in the tenant. */
  role: string;
  /** The product's own ids of the user and the tenant; null: it has given none. */
  externalId: string | null;
  tenantExternalId: string | null;
  /** What tokens carry of the public metadata of the user, the tenant and the member. */
  metadata: Readonly<Record<string, unknown>>;
  /** When the user signed in or last confirmed the session; Unix ms. */
  authenticatedAt: number;
  /** How, in the words of RFC 8176. */
  methods: readonly string[];
  /** From when the session opens nothing until its user sets up a second factor (Unix ms); null for never. */
  secondFactorDueAt: number | null;
  /** The tenant's own provider whose sign-on has opened the session, and how strong it says that was; else null. */
  connectionId: string | null;
  idpAcr: string | null;
}

/** When a token was issued and when it expires, Unix ms. */
interface Validity {
  issuedAt: number;
  expiresAt: number;
}

/** RFC 9068 section 2.2 requires the client. Sessions are of no client but ours. */
const CLIENT_ID = "postern";

/**
 * A signed access token, valid for 15 minutes from `nowMs`. One that opens something ends when a second factor is due;
 * from then on, tokens open nothing, in other services too.
 */
export function signAccessToken(context: TokenContext, claims: AccessTokenClaims, nowMs: number) {
  const { role, externalId, tenantExternalId, metadata, authenticatedAt, methods, secondFactorDueAt } = claims;
  const { connectionId, idpAcr } = claims;
  const isDue = secondFactorDueAt !== null && secondFactorDueAt <= nowMs;
  const more = {
    jti: newId(),
    client_id: CLIENT_ID,
    ...(externalId === null ? {} : { external_id: externalId }),
    ...(tenantExternalId === null ? {} : { tenant_external_id: tenantExternalId }),
    ...(isDue ? { scope: "", second_factor_due: true } : ofRole(role)),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    auth_time: Math.floor(authenticatedAt / 1000),
    ...(methods.length > 0 ? { amr: methods } : {}),
    ...(connectionId === null ? {} : { idp: connectionId }),
    ...(idpAcr === null ? {} : { idp_acr: idpAcr }),
  };
  const endsAt = nowMs + ACCESS_LIFETIME_MS;
  const expiresAt = isDue ? endsAt : Math.min(endsAt, secondFactorDueAt ?? endsAt);
  return sign(context, ACCESS, claims, { issuedAt: nowMs, expiresAt }, more);
}

function ofRole(role: string) {
  const app = appPermissionsOf(role);
  return { role, scope: permissionsOf(role).join(" "), ...(app.length === 0 ? {} : { permissions: app }) };
}

/** The claims of a valid access token; null for anything else. */
export function verifyAccessToken(context: TokenContext, token: string, nowMs: number) {
  return verify(context, ACCESS, token, nowMs);
}

/** The value of the console's session cookie. It expires with its session. */
export function signConsoleToken(context: TokenContext, claims: AccessClaims, validity: Validity, generation = 0) {
  return sign(context, CONSOLE, claims, validity, { gen: generation });
}

/** The claims of a valid console cookie; null for anything else, including an access token. */
export function verifyConsoleToken(context: TokenContext, token: string, nowMs: number) {
  return verify(context, CONSOLE, token, nowMs);
}

async function sign(
  { signers, config }: TokenContext,
  kind: Kind,
  claims: AccessClaims,
  { issuedAt, expiresAt }: Validity,
  more: JWTPayload = {},
): Promise<string> {
  const { key, issuer } = await signers.current();
  const payload: JWTPayload = {
    sid: claims.sessionId,
    tid: claims.tenantId,
    ...more,
    iss: issuer,
    aud: kind.audienceOf(config.tokenAudience),
    sub: claims.userId,
    iat: Math.floor(issuedAt / 1000),
    exp: Math.floor(expiresAt / 1000),
  };
  // Not by SignJWT: it copies the claims, and the copy of a number of metadata that no double holds is another value.
  return new CompactSign(utf8(JSON.stringify(payload)))
    .setProtectedHeader({ alg: key.alg, typ: kind.typ, kid: key.kid })
    .sign(key.privateKey);
}

async function verify(context: TokenContext, kind: Kind, token: string, nowMs: number): Promise<ShownClaims | null> {
  const opened = await open(context, kind, token, nowMs);
  return opened && (await context.signers.accepts(opened.signer)) ? opened.claims : null;
}

/** The claims of a token that one of our keys has signed, for whichever issuer; null for anything else. */
async function open(
  { signers, config }: TokenContext,
  kind: Kind,
  token: string,
  nowMs: number,
): Promise<{ claims: ShownClaims; signer: SignerId } | null> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async (header) => (await requireKey(signers, header)).publicKey,
      {
        algorithms: [...TOKEN_ALGORITHMS],
        typ: kind.typ,
        audience: kind.audienceOf(config.tokenAudience),
        requiredClaims: ["iss", "sub", "sid", "tid", "iat", "exp"],
        currentDate: new Date(nowMs),
      },
    );
    const { iss, sub, sid, tid, iat = 0, gen = 0 } = payload;
    if (![iss, sub, sid, tid].every((claim) => typeof claim === "string")) return null;
    const { kid, alg } = await requireKey(signers, protectedHeader);
    const shown = { issuedAt: iat * 1000, generation: gen };
    const claims = { userId: sub, sessionId: sid, tenantId: tid, ...shown } as ShownClaims;
    return { claims, signer: { kid, alg, issuer: iss as string } };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}

/** The key must be of the algorithm that the header names. */
async function requireKey(signers: Signers, header: { kid?: string; alg?: string }): Promise<SigningKey> {
  const key = await signers.keyOf(header);
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key;
}
