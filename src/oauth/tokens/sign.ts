/** The tokens that apps get: an access token for an API or userinfo (RFC 9068), and an ID token (OpenID Core 2). */
import { base64url, type JWTPayload, SignJWT } from "jose";
import { utf8 } from "../../base/crypto/encoding";
import type { TokenAlgorithm } from "../../base/crypto/signing-keys";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { AuthMethod } from "../../base/schemas/principal";
import { methodReferences } from "../../identity/sessions/method-references";
import { acrOf } from "../authorization/acr";
import { type ClientRow, publicId } from "../clients/store";
import { scopesAt } from "../granted-scopes";
import type { TokenTarget } from "./target";
import { userinfoUrl } from "./userinfo-url";

/** A sign-in to an app, as its tokens say it. */
export interface SignedIn {
  client: ClientRow;
  /** What the access token belongs to: the offline grant or, without one, the sign-in. */
  grantId: string;
  /** The same over renewals. */
  signInId: string;
  userId: string;
  tenantId: string;
  role: string;
  /** What was granted, see `granted-scopes.ts`. */
  scopes: readonly string[];
  /** The API of the access token; null: it is for userinfo. */
  target: TokenTarget | null;
  /** When the person signed in or last confirmed the session; Unix ms. */
  authenticatedAt: number;
  methods: readonly AuthMethod[];
  /** The tenant's own provider that has signed the person in; null: none has. */
  connectionId: string | null;
  /** How the app has asked for it; null: it has not. */
  acr: string | null;
  /** The thumbprint of the key to which the access token is bound (RFC 9449); null for none. */
  jkt: string | null;
  /** When the request began; Unix ms. */
  issuedAt: number;
}

const seconds = (ms: number) => Math.floor(ms / 1000);

function howSignedIn({ authenticatedAt, methods, acr }: SignedIn) {
  const amr = methodReferences(methods);
  return { auth_time: seconds(authenticatedAt), ...(amr.length > 0 ? { amr } : {}), acr: acrOf(methods, acr) };
}

/** For a client that asks nobody, or whose person has allowed it the tenant: others would take it for a permission. */
const showsRole = ({ client, scopes }: SignedIn) => client.settings.consent === "skip" || scopes.includes("tenant");

export async function signAccessToken(deps: Deps, signedIn: SignedIn): Promise<string> {
  const { client, grantId, tenantId, role, target, userId, jkt, issuedAt } = signedIn;
  const claims = {
    client_id: publicId(client),
    scope: scopesOfAccess(signedIn).join(" "),
    sid: grantId,
    tid: tenantId,
    ...(showsRole(signedIn) ? { role } : {}),
    ...howSignedIn(signedIn),
    ...(jkt === null ? {} : { cnf: { jkt } }),
    jti: newId(),
  };
  const validity = { userId, issuedAt, lifetimeSeconds: client.settings.accessTokenSeconds };
  const alg = target?.algorithm ?? deps.config.tokenAlgorithm;
  return sign(deps, alg, "at+jwt", target?.identifier ?? userinfoUrl(deps), claims, validity);
}

/** What the access token says that it opens: at one API alone. */
export const scopesOfAccess = ({ scopes, target }: Pick<SignedIn, "scopes" | "target">): readonly string[] =>
  target ? target.scopes : scopesAt(scopes, null);

/** A program that acts for itself. */
interface Machine {
  client: ClientRow;
  /** Null where the API needs none. */
  tenantId: string | null;
  target: TokenTarget;
  /** The key to which the token is bound; null for none. */
  jkt: string | null;
  issuedAt: number;
}

/** The access token of a program that acts for itself: no person has signed in, so nothing is said of one. */
export async function signMachineToken(
  deps: Deps,
  { client, tenantId, target, jkt, issuedAt }: Machine,
): Promise<string> {
  const claims = {
    client_id: publicId(client),
    scope: target.scopes.join(" "),
    sid: newId(),
    ...(tenantId === null ? {} : { tid: tenantId }),
    ...(jkt === null ? {} : { cnf: { jkt } }),
    jti: newId(),
  };
  const validity = { userId: publicId(client), issuedAt, lifetimeSeconds: client.settings.accessTokenSeconds };
  const alg = target.algorithm ?? deps.config.tokenAlgorithm;
  return sign(deps, alg, "at+jwt", target.identifier, claims, validity);
}

/** `claims` are those of the scopes; `accessToken` is the one that comes beside it. */
export async function signIdToken(
  deps: Deps,
  signedIn: SignedIn,
  { nonce, claims, accessToken }: { nonce: string | null; claims: JWTPayload; accessToken: string },
): Promise<string> {
  const { client, signInId, userId, issuedAt, connectionId } = signedIn;
  const { idTokenAlgorithm: alg, idTokenClaims, idTokenSeconds } = client.settings;
  const said = {
    azp: publicId(client),
    sid: signInId,
    ...(nonce === null ? {} : { nonce }),
    ...howSignedIn(signedIn),
    ...(connectionId === null || client.settings.consent !== "skip" ? {} : { idp: connectionId }),
    at_hash: await leftHalf(alg, accessToken),
    ...(idTokenClaims ? claims : {}),
  };
  return sign(deps, alg, "JWT", publicId(client), said, { userId, issuedAt, lifetimeSeconds: idTokenSeconds });
}

/** `at_hash` (OpenID Connect Core 3.1.3.6). Ed25519 hashes with SHA-512. */
async function leftHalf(alg: TokenAlgorithm, token: string): Promise<string> {
  const digest = await crypto.subtle.digest(alg === "EdDSA" ? "SHA-512" : "SHA-256", utf8(token));
  return base64url.encode(new Uint8Array(digest, 0, digest.byteLength / 2));
}

interface Validity {
  userId: string;
  issuedAt: number;
  lifetimeSeconds: number;
}

async function sign(
  { signers }: Deps,
  alg: TokenAlgorithm,
  typ: string,
  audience: string,
  claims: JWTPayload,
  { userId, issuedAt, lifetimeSeconds }: Validity,
): Promise<string> {
  const { key, issuer } = await signers.ofAlgorithm(alg);
  return new SignJWT(claims)
    .setProtectedHeader({ alg, typ, kid: key.kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(userId)
    .setIssuedAt(seconds(issuedAt))
    .setExpirationTime(seconds(issuedAt) + lifetimeSeconds)
    .sign(key.privateKey);
}
