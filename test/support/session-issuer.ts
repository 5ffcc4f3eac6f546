/** An issuer that can sign and serve anything, and verifiers of its tokens. */
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import {
  createSessionVerifier,
  SessionError,
  type SessionErrorReason,
  type SessionVerifierOptions,
} from "../../src/sdk/session";

type Algorithm = "EdDSA" | "ES256" | "RS256";
interface Key {
  kid: string;
  alg: Algorithm;
  privateKey: CryptoKey;
  jwk: JWK;
}

export const ISSUER = "https://issuer.example";
export const AUDIENCE = "api";
/** Unix seconds. */
export const NOW = 1_800_000_000;

async function newKey(alg: Algorithm, kid: string = crypto.randomUUID()): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

export const key = await newKey("EdDSA");
export const other = await newKey("ES256");
export const rsa = await newKey("RS256");
export const unpublished = await newKey("EdDSA");

export const CLAIMS = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: "user",
  sid: "session",
  tid: "tenant",
  role: "developer",
  scope: "webhook.read event.publish",
  jti: "token",
  iat: NOW - 100,
  exp: NOW + 800,
  auth_time: NOW - 1000,
  amr: ["pwd", "otp", "mfa"],
};

export const sign = (claims: object, header: object = {}, by: Key = key) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: by.alg, kid: by.kid, typ: "at+jwt", ...header })
    .sign(by.privateKey);
export const tokenOf = (changes: Record<string, unknown> = {}, header: object = {}, by: Key = key) =>
  sign({ ...CLAIMS, ...changes }, header, by);

export async function prefixOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const base64 = btoa(String.fromCharCode(...digest.subarray(0, 9)));
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

/** What the issuer serves, which paths it was asked for, and the time of the verifier. */
interface World {
  keys: () => Response | Promise<Response>;
  list: (init: RequestInit) => Response | Promise<Response>;
  asked: string[];
  nowMs: number;
}
export const issuer = {} as World;

export const listOf = (revoked: unknown, changes: object = {}, header: object = {}, by: Key = key) =>
  sign({ iss: ISSUER, aud: AUDIENCE, iat: NOW, ttl: 900, revoked, ...changes }, { typ: "revoked+jwt", ...header }, by);
export const served = async (jws: string | Promise<string>, etag = "") =>
  new Response(await jws, { headers: { "content-type": "application/jwt", ...(etag ? { etag } : {}) } });

/** Begins with a good issuer. */
export function openIssuer(): void {
  const keys = () => Response.json({ keys: [key.jwk, other.jwk, rsa.jwk] });
  Object.assign(issuer, { keys, list: () => served(listOf([])), asked: [], nowMs: NOW * 1000 } satisfies World);
}

export const verifier = (options: Partial<SessionVerifierOptions> = {}) =>
  createSessionVerifier({
    issuer: ISSUER,
    audience: AUDIENCE,
    now: () => issuer.nowMs,
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      issuer.asked.push(pathname);
      return pathname.endsWith("jwks.json") ? issuer.keys() : issuer.list(init);
    },
    ...options,
  });

/** "accepted", or why not. */
export const verdict = (token: string, sessions = verifier()): Promise<SessionErrorReason | "accepted"> =>
  sessions.verify(token).then(
    () => "accepted",
    (error: unknown) => {
      if (error instanceof SessionError) return error.reason;
      throw error;
    },
  );
export const count = (path: string) => issuer.asked.filter((one) => one === `/.well-known/${path}`).length;
