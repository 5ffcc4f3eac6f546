/** The public keys with which an app proves itself (RFC 7517). */
import type { ASSERTION_ALGORITHMS, ClientKeySet } from "../../base/schemas/client-settings";

export const MAX_KEY_SET_BYTES = 8 * 1024;
const MAX_KEYS = 10;
/** The members of private and of shared keys. */
const SECRET_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
/** Moduli of 2,048 to 4,096 bits, in base64url. */
const MODULUS = /^[A-Za-z0-9_-]{342,683}$/;
const COORDINATE = /^[A-Za-z0-9_-]{43}$/;

/** What is wrong with the keys; null for good ones. */
export function refusalOfKeys(jwks: ClientKeySet): string | null {
  if (JSON.stringify(jwks).length > MAX_KEY_SET_BYTES) return "Must have at most 8 KiB";
  if (jwks.keys.some(isSecret)) return "Must have public keys alone";
  return jwks.keys.every(isGood) ? null : "Must have keys for RS256, PS256, ES256 or EdDSA";
}

/** The keys of a document that an app publishes, without those that are for something else; null for another one. */
export function keysIn(document: unknown): ClientKeySet | null {
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) return null;
  const good = keys.filter((key) => typeof key === "object" && key !== null && isGood(key) && !isSecret(key));
  return good.length === 0 || keys.length > MAX_KEYS ? null : { keys: good };
}

const isSecret = (key: object): boolean => SECRET_MEMBERS.some((member) => member in key);

function isGood({ kty, crv, alg, n, e, x, y }: Readonly<Record<string, unknown>>): boolean {
  const fits = (...algorithms: readonly (typeof ASSERTION_ALGORITHMS)[number][]) =>
    alg === undefined || algorithms.some((one) => one === alg);
  if (kty === "RSA") return fits("RS256", "PS256") && matches(n, MODULUS) && typeof e === "string";
  if (kty === "EC") return fits("ES256") && crv === "P-256" && matches(x, COORDINATE) && matches(y, COORDINATE);
  return kty === "OKP" && fits("EdDSA") && crv === "Ed25519" && matches(x, COORDINATE);
}

const matches = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value);
