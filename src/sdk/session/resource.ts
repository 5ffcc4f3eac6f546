/** Verifies the access tokens of apps in an API of yours: those for this API alone, never a session's. */
import { utf8 } from "../../base/crypto/encoding";
import { toBase64Url } from "../base64url";
import { checkTimes, claimReader, MAX_TOKEN_BYTES, type RevocationState, stateOf } from "./claims";
import { SessionError } from "./errors";
import { type Claims, openJws } from "./jws";
import { createKeySet } from "./key-set";
import { checkOptions, type SessionVerifierOptions } from "./options";
import { createProofs, PROOF_ALGORITHMS } from "./proof";
import { metadataPaths, type ResourceMetadata, resourceMetadata } from "./resource-metadata";
import { createRevocations } from "./revocations";

export type { ResourceMetadata } from "./resource-metadata";

/** As for `createSessionVerifier`, with the API in place of the audience. */
export interface ResourceVerifierOptions extends Omit<SessionVerifierOptions, "audience" | "json"> {
  /** The API's identifier, as it is registered: the `aud` of its tokens. */
  resource: string;
  /** What each token must have; none unless given. */
  requiredScopes?: readonly string[] | undefined;
  /** The scopes that the API has, for `metadata()`; those required unless given. */
  scopes?: readonly string[] | undefined;
  /** What `metadata()` calls the API. */
  name?: string | undefined;
}

/** Who sent a token: an app in the name of a person, or for itself. */
export interface VerifiedAccess {
  subject: "user" | "client";
  /** Null for an app that acts for itself. */
  userId: string | null;
  clientId: string;
  /** Null for a token of no tenant, which only APIs get that need none. */
  tenantId: string | null;
  /** The person's role, for apps that may see it; decide by `scopes`. */
  role: string | null;
  scopes: string[];
  /** What the person has allowed the app; it ends as one. */
  grantId: string;
  /** A different one for each token. */
  tokenId: string;
  /** When and how the person signed in; null and empty for an app that acts for itself. */
  authTime: Date | null;
  methods: string[];
  acr: string | null;
  issuedAt: Date;
  expiresAt: Date;
  /** As for sessions. */
  revocation: RevocationState;
}

/** What the library of the Model Context Protocol wants to know of a token. */
interface AuthInfo {
  token: string;
  clientId: string;
  scopes: string[];
  /** Unix seconds. */
  expiresAt: number;
  resource: URL;
  extra: { userId: string | null; tenantId: string | null };
}

/** Verifies tokens for one API. Keep it: it holds the keys and the list. */
export interface ResourceVerifier {
  /**
   * `needs` are scopes besides `requiredScopes`. A token that is bound to a key needs the request, which has the proof
   * (RFC 9449). Throws SessionError with a `reason` and the `status` to answer.
   */
  verify(token: string | Request, needs?: readonly string[]): Promise<VerifiedAccess>;
  /** The header `WWW-Authenticate` of the answer to a refused request. */
  challenge(error?: unknown): string;
  /** How apps get tokens for the API (RFC 9728), to be served at `metadataPaths`. */
  metadata(): ResourceMetadata;
  readonly metadataPaths: readonly string[];
  /** `verify`, in the words of the Model Context Protocol's library. */
  authInfo(token: string | Request, needs?: readonly string[]): Promise<AuthInfo>;
}

const AUTHORIZATION = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Makes a verifier. It makes no request before the first token. Throws TypeError for an option that is missing or out
 * of range.
 *
 * @example
 * const access = createResourceVerifier({ issuer: "https://postern.example.com", resource: "https://notes.example" });
 * try {
 *   const { userId, tenantId } = await access.verify(request, ["notes.write"]);
 * } catch (error) {
 *   const status = error instanceof SessionError ? error.status : 500;
 *   return new Response(null, { status, headers: { "WWW-Authenticate": access.challenge(error) } });
 * }
 */
export function createResourceVerifier(options: ResourceVerifierOptions): ResourceVerifier {
  const { resource, requiredScopes = [], scopes = requiredScopes, name } = options;
  if (typeof resource !== "string" || resource === "") throw new TypeError("resource must be the aud of the tokens.");
  const checked = checkOptions({ ...options, audience: resource });
  const { issuer, now } = checked;
  const keys = createKeySet(checked.keys, now);
  const revocations = checked.polls ? createRevocations(checked.list, keys, { issuer, audience: null }, now) : null;
  const proofs = createProofs(now);
  const metadata = resourceMetadata({ resource, issuer, scopes, name });

  async function verify(token: string | Request, needs: readonly string[] = []): Promise<VerifiedAccess> {
    const { text, isBound } = typeof token === "string" ? { text: token, isBound: false } : tokenOf(token);
    if (text === "") throw new SessionError("MALFORMED", { cause: NO_TOKEN });
    if (text.length > MAX_TOKEN_BYTES) throw new SessionError("MALFORMED");
    const claims = await openJws(text, "at+jwt", keys);
    checkParties(claims, issuer, resource);
    const access = readAccess(claims);
    checkTimes(claims, checked);
    const { jkt } = (claims["cnf"] ?? {}) as { jkt?: unknown };
    // A token that is bound is none without its proof, nor is one that is not bound with one (RFC 9449 section 7.1).
    if (isBound !== (claims["cnf"] !== undefined)) throw new SessionError("INVALID_PROOF");
    if (isBound && typeof token !== "string") await proofs.check({ request: token, resource, token: text, jkt });
    const listed = {
      sid: access.grantId,
      tid: access.tenantId ?? "",
      sub: String(claims["sub"]),
      iat: Number(claims["iat"]),
    };
    const revocation = await stateOf(revocations, { ...listed, clientId: await listedId(access.clientId) }, checked);
    const required = [...requiredScopes, ...needs];
    if (!required.every((scope) => access.scopes.includes(scope))) {
      throw new SessionError("MISSING_SCOPE", { scopes: [...new Set([...access.scopes, ...required])] });
    }
    return { ...access, revocation };
  }

  return {
    verify,
    challenge: (error) => challengeOf(error, metadata.url, requiredScopes),
    metadata: () => metadata.document,
    metadataPaths: metadataPaths(resource),
    async authInfo(token, needs) {
      const { clientId, scopes: has, expiresAt, userId, tenantId } = await verify(token, needs);
      const endsAt = Math.floor(expiresAt.getTime() / 1000);
      return {
        token: typeof token === "string" ? token : tokenOf(token).text,
        clientId,
        scopes: has,
        expiresAt: endsAt,
        resource: new URL(resource),
        extra: { userId, tenantId },
      };
    },
  };
}

/** Why a request without a token is refused. */
const NO_TOKEN = "no token";

/** "" without one. A token in the address is not read: logs would have it. */
function tokenOf(request: Request): { text: string; isBound: boolean } {
  const [, scheme = "", text = ""] = request.headers.get("authorization")?.match(AUTHORIZATION) ?? [];
  return { text, isBound: scheme.toLowerCase() === "dpop" };
}

/** A token for another API, and a session's, prove nothing here. */
function checkParties({ iss, aud, client_id: clientId }: Claims, issuer: string, resource: string): void {
  if (iss === undefined || aud === undefined || typeof clientId !== "string") throw new SessionError("MALFORMED");
  if (iss !== issuer) throw new SessionError("WRONG_ISSUER");
  if (aud !== resource || clientId === "postern") throw new SessionError("WRONG_AUDIENCE");
}

/** Throws SessionError: MALFORMED. */
function readAccess(claims: Claims): Omit<VerifiedAccess, "revocation"> {
  const { text, textOrNull, time, timeOrNull, texts } = claimReader(claims);
  const [sub, clientId] = [text("sub"), text("client_id")];
  const isMachine = sub === clientId;
  return {
    subject: isMachine ? "client" : "user",
    userId: isMachine ? null : sub,
    clientId,
    tenantId: textOrNull("tid"),
    role: textOrNull("role"),
    scopes: text("scope").split(" ").filter(Boolean),
    grantId: text("sid"),
    tokenId: text("jti"),
    authTime: timeOrNull("auth_time"),
    methods: texts("amr"),
    acr: textOrNull("acr"),
    issuedAt: time("iat"),
    expiresAt: time("exp"),
  };
}

/** The list names an app that has registered itself by the hash of its long id. */
async function listedId(clientId: string): Promise<string> {
  if (!clientId.startsWith("dc_") || clientId.length <= HASHED_CHARACTERS) return clientId;
  return `dc_${toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(clientId))))}`;
}

const HASHED_CHARACTERS = 46;

/** RFC 6750 section 3, RFC 9728 section 5.1. Whoever sent no token is told no error. */
function challengeOf(error: unknown, metadataUrl: string | null, required: readonly string[]): string {
  const isRefused = error instanceof SessionError && error.status !== 503 && error.cause !== NO_TOKEN;
  const isUnproven = isRefused && error.reason === "INVALID_PROOF";
  const isMissing = isRefused && error.reason === "MISSING_SCOPE";
  const scopes = isMissing ? error.scopes : required;
  const said = [
    ...(isUnproven ? [`error="invalid_dpop_proof", algs="${PROOF_ALGORITHMS}"`] : []),
    ...(isMissing ? ['error="insufficient_scope"'] : isRefused && !isUnproven ? ['error="invalid_token"'] : []),
    ...(scopes.length > 0 ? [`scope="${scopes.join(" ")}"`] : []),
    ...(metadataUrl === null ? [] : [`resource_metadata="${metadataUrl}"`]),
  ];
  const scheme = isUnproven ? "DPoP" : "Bearer";
  return said.length === 0 ? scheme : `${scheme} ${said.join(", ")}`;
}
