/**
 * `postern/session`: verifies access tokens of Postern in another service, without asking Postern about each of them.
 * The public keys are fetched once, and the list of revoked tokens every two seconds.
 */
import { checkTimes, claimReader, MAX_TOKEN_BYTES, stateOf } from "./claims";
import { SessionError } from "./errors";
import { type Claims, claimsBy, openJws } from "./jws";
import { createKeySet } from "./key-set";
import { type CheckedOptions, checkOptions, type SessionVerifierOptions } from "./options";
import { createRevocations } from "./revocations";

export { SessionError, type SessionErrorReason } from "./errors";
export type { SessionVerifierOptions } from "./options";
export type { Fetch } from "./request";
export {
  createResourceVerifier,
  type ResourceMetadata,
  type ResourceVerifier,
  type ResourceVerifierOptions,
  type VerifiedAccess,
} from "./resource";

type Metadata = Record<string, unknown>;

/** Who sent a token, in which tenant, and what they may do there. */
export interface VerifiedSession {
  userId: string;
  sessionId: string;
  tenantId: string;
  /** Your own id of the user; null if you have given none. */
  externalId: string | null;
  /** Your own id of the tenant; null if you have given none. */
  tenantExternalId: string | null;
  /** The role in the tenant. */
  role: string;
  /** The permissions of the role, such as "webhook.read". */
  scopes: string[];
  /** Your own permissions of the role, which the setting ROLES gives it. */
  permissions: string[];
  /** What the setting TOKEN_METADATA names of your public metadata. */
  metadata: { user: Metadata; tenant: Metadata; member: Metadata };
  /** A different one for each token. */
  tokenId: string;
  /** When the user signed in or last confirmed the session. */
  authTime: Date;
  /** How (RFC 8176), such as "pwd" or "mfa"; empty if the issuer has checked nothing itself. */
  methods: string[];
  /**
   * The tenant's own identity provider, if its sign-on has opened the session, which is then of this tenant alone. Null
   * for every other session.
   */
  connectionId: string | null;
  /** How strong that sign-on was, as the provider says it (`acr`); null if it does not. */
  idpAcr: string | null;
  issuedAt: Date;
  expiresAt: Date;
  /**
   * `checked`: the list of revoked tokens was there. `stale`: it was last confirmed, at `asOf`, over 15 seconds ago.
   */
  revocation: { checked: boolean; stale: boolean; asOf: Date | null };
}

/** Verifies tokens of one issuer. Keep it: it holds the keys and the list. */
export interface SessionVerifier {
  /** Throws SessionError with a `reason` and the `status` to answer. */
  verify(token: string): Promise<VerifiedSession>;
}

/**
 * Makes a verifier. It makes no request before the first token. Throws TypeError for an option that is missing or out
 * of range.
 *
 * @example
 * const sessions = createSessionVerifier({ issuer: "https://postern.example.com", audience: "postern" });
 * const { userId, tenantId, role } = await sessions.verify(request.headers.get("authorization")?.slice(7) ?? "");
 */
export function createSessionVerifier(options: SessionVerifierOptions): SessionVerifier {
  const checked = checkOptions(options);
  const { issuer, audience, json, now } = checked;
  const keys = createKeySet(checked.keys, now);
  const revocations = checked.polls ? createRevocations(checked.list, keys, { issuer, audience }, now) : null;
  return {
    async verify(token) {
      if (typeof token !== "string" || token.length > MAX_TOKEN_BYTES) throw new SessionError("MALFORMED");
      const claims = await openJws(token, "at+jwt", keys);
      checkParties(claims, checked);
      // The other claims are texts and times, which JSON reads rightly.
      const { metadata } = json === JSON ? claims : claimsBy(json, token);
      const session = readClaims({ ...claims, metadata });
      checkTimes(claims, checked);
      const { sid, tid, sub, iat } = claims;
      const listed = { sid: String(sid), tid: String(tid), sub: String(sub), iat: Number(iat) };
      const revocation = await stateOf(revocations, listed, checked);
      if (isFactorDue(claims)) throw new SessionError("SECOND_FACTOR_REQUIRED");
      return { ...session, revocation };
    },
  };
}

function checkParties({ iss, aud, client_id }: Claims, { issuer, audience }: CheckedOptions): void {
  if (iss === undefined || aud === undefined) throw new SessionError("MALFORMED");
  if (iss !== issuer) throw new SessionError("WRONG_ISSUER");
  // A token of an app that somebody has signed in to is no session, whatever its audience.
  const isOfSession = client_id === undefined || client_id === "postern";
  if (!isOfSession || !(Array.isArray(aud) ? aud : [aud]).includes(audience)) throw new SessionError("WRONG_AUDIENCE");
}

/** Whether the tenant requires a second factor that the session lacks: such a token has no role. */
const isFactorDue = (claims: Claims): boolean => claims["second_factor_due"] === true;

/** Throws SessionError: MALFORMED unless all claims are there. `amr` may be missing. */
function readClaims(claims: Claims): Omit<VerifiedSession, "revocation"> {
  const { text, textOrNull, time, texts } = claimReader(claims);
  return {
    userId: text("sub"),
    sessionId: text("sid"),
    tenantId: text("tid"),
    externalId: textOrNull("external_id"),
    tenantExternalId: textOrNull("tenant_external_id"),
    role: isFactorDue(claims) ? "" : text("role"),
    scopes: text("scope").split(" ").filter(Boolean),
    permissions: texts("permissions"),
    metadata: readMetadata(claims),
    tokenId: text("jti"),
    authTime: time("auth_time"),
    methods: texts("amr"),
    connectionId: textOrNull("idp"),
    idpAcr: textOrNull("idp_acr"),
    issuedAt: time("iat"),
    expiresAt: time("exp"),
  };
}

function readMetadata({ metadata = {} }: Claims): VerifiedSession["metadata"] {
  const isObject = (value: unknown): value is Metadata =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(metadata) || !Object.values(metadata).every(isObject)) throw new SessionError("MALFORMED");
  return { user: {}, tenant: {}, member: {}, ...metadata };
}
