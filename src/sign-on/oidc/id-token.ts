/** The ID token of a sign-on (OpenID Connect Core 1.0, section 3.1.3.7): its signature, and what it must say. */
import { compactVerify, decodeProtectedHeader } from "jose";
import type { Deps } from "../../base/deps";
import { jsonOf } from "../../base/json";
import { ID_TOKEN_ALGORITHMS, type SignOnSessionSettings } from "../../base/schemas/connection-settings";
import { isMicrosoftIssuer } from "../../identity/providers/providers";
import { type ReasonFacts, type RefusalReason, SignOnRefused, type SignOnStep } from "../refused";
import { keysFor } from "./key-set";

export type IdpClaims = Readonly<Record<string, unknown>>;

/** How far the clocks may differ, in seconds. */
const SKEW_SECONDS = 60;
const OLDEST_SECONDS = 10 * 60;
const MAX_SUBJECT_CHARACTERS = 255;

const refused = (reason: RefusalReason, facts: ReasonFacts = {}, step: SignOnStep = "id_token") =>
  new SignOnRefused(step, reason, facts);

/** Returns the claims of a token that is signed by a key at `jwksUri`. Throws SignOnRefused. */
export async function verifiedClaims(deps: Deps, jwksUri: string, token: string): Promise<IdpClaims> {
  const { kid, alg } = headerOf(token);
  const algorithm = ID_TOKEN_ALGORITHMS.find((one) => one === alg);
  if (algorithm === undefined) throw refused("unknown_key", { algorithm: shown(alg) });
  const keys = await keysFor(deps, jwksUri, { kid, alg: algorithm });
  if (keys.length === 0) throw refused("unknown_key", { algorithm });
  for (const key of keys) {
    const payload = await signedBy(key, algorithm, token);
    if (payload !== null) return payload;
  }
  throw refused("bad_signature");
}

function headerOf(token: string): { kid: string | undefined; alg: string | undefined } {
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    return { kid, alg };
  } catch {
    throw refused("bad_signature");
  }
}

/** The claims of a token that the key has signed; null for another. */
async function signedBy(key: Parameters<typeof compactVerify>[1], algorithm: string, token: string) {
  try {
    const { payload } = await compactVerify(token, key as CryptoKey, { algorithms: [algorithm] });
    const claims = jsonOf(new TextDecoder().decode(payload));
    return typeof claims === "object" && claims !== null && !Array.isArray(claims) ? (claims as IdpClaims) : null;
  } catch {
    return null;
  }
}

/** What a token must say. */
export interface Expected {
  issuer: string;
  clientId: string;
  nonce: string;
  session: Pick<SignOnSessionSettings, "maxAgeSeconds" | "acrValues" | "requireMfa">;
}

/** Throws SignOnRefused for a token that says something else. */
export function checkClaims(claims: IdpClaims, expected: Expected, nowMs: number): void {
  checkParties(claims, expected);
  if (claims["nonce"] !== expected.nonce) throw refused("nonce");
  checkTimes(claims, nowMs / 1000);
  checkStrength(claims, expected.session, nowMs / 1000);
  const { sub } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT_CHARACTERS) {
    throw refused("no_subject", { claim: "sub" });
  }
}

function checkParties({ iss, aud, azp, tid }: IdpClaims, { issuer, clientId }: Expected): void {
  if (iss !== issuer) throw refused("issuer", { expected: issuer, actual: shown(iss) });
  const audiences = Array.isArray(aud) ? (aud as unknown[]) : [aud];
  const isForUs = audiences.includes(clientId) && audiences.every((one) => typeof one === "string");
  if (!isForUs) throw refused("audience", { expected: clientId, actual: shown(audiences[0]) });
  if ((audiences.length > 1 || azp !== undefined) && azp !== clientId) {
    throw refused("audience", { expected: clientId, actual: shown(azp) });
  }
  // Of many tenants at Entra, each is an issuer.
  if (isMicrosoftIssuer(issuer) && (typeof tid !== "string" || !issuer.includes(`/${tid}/`))) throw refused("tid");
}

function checkTimes({ exp, nbf, iat }: IdpClaims, now: number): void {
  if (typeof exp !== "number") throw refused("expired", { seconds: "an unknown number of" });
  if (now > exp + SKEW_SECONDS) throw refused("expired", { seconds: Math.round(now - exp) });
  if (nbf !== undefined && !(typeof nbf === "number" && nbf <= now + SKEW_SECONDS)) {
    throw refused("clock_skew", { seconds: typeof nbf === "number" ? Math.round(nbf - now) : "an unknown number of" });
  }
  if (typeof iat !== "number") throw refused("clock_skew", { seconds: "an unknown number of" });
  if (iat > now + SKEW_SECONDS || now - iat > OLDEST_SECONDS + SKEW_SECONDS) {
    throw refused("clock_skew", { seconds: Math.round(Math.abs(now - iat)) });
  }
}

/** Throws SignOnRefused unless the person has signed in as recently and as strongly as is asked. */
export function checkStrength(
  claims: IdpClaims,
  { maxAgeSeconds, acrValues, requireMfa }: Expected["session"],
  now: number,
  step: SignOnStep = "id_token",
): void {
  const { auth_time: authTime, acr } = claims;
  const isFuture = authTime !== undefined && !(typeof authTime === "number" && authTime <= now + SKEW_SECONDS);
  if (isFuture) throw refused("max_age", {}, step);
  const isRecent = typeof authTime === "number" && now - authTime <= (maxAgeSeconds ?? 0) + SKEW_SECONDS;
  if (maxAgeSeconds !== null && !isRecent) throw refused("max_age", {}, step);
  if (acrValues.length > 0 && !acrValues.some((one) => one === acr)) {
    throw refused("acr", { expected: acrValues.join(", "), actual: shown(acr) }, step);
  }
  if (requireMfa && !hasMfa(claims, acrValues)) throw refused("mfa_missing", {}, step);
}

/** Whether the provider says that there was a second factor: in `amr`, or by one of the values that are asked for. */
export const hasMfa = ({ acr, amr }: IdpClaims, acrValues: readonly string[]): boolean =>
  textsOf(amr).includes("mfa") || acrValues.some((one) => one === acr);

/** The texts of a claim that is a list of them, or one. */
export const textsOf = (claim: unknown): string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((one): one is string => typeof one === "string");

/** A value of a claim in a message: short, in one line. */
const shown = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, 200).replaceAll(/[\p{Cc}\s]+/gu, " ") : "nobody";
