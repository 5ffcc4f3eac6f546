/** The proof that whoever sends a token has the key to which it is bound (RFC 9449 section 4.3). */
import { utf8 } from "../../base/crypto/encoding";
import { toBase64Url } from "../base64url";
import { SessionError } from "./errors";
import { bytesOf, readJws } from "./jws";

const ALGORITHMS: Readonly<Record<string, Readonly<{ name: string; hash?: string; namedCurve?: string }>>> = {
  EdDSA: { name: "Ed25519" },
  ES256: { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
};
export const PROOF_ALGORITHMS: string = Object.keys(ALGORITHMS).join(" ");
const SALT_BYTES = 32;
/** The members of a public key that its thumbprint is made of, in their order (RFC 7638 section 3.2). */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ["crv", "kty", "x", "y"],
  OKP: ["crv", "kty", "x"],
  RSA: ["e", "kty", "n"],
};
const MAX_CHARACTERS = 8 * 1024;
const MAX_ID_CHARACTERS = 256;
/** How far the clock of its sender may be from ours. */
const TOLERANCE_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** A request with a token that is bound to a key. */
export interface BoundRequest {
  request: Request;
  /** The identifier of the API: a proxy may have changed the request's origin, and not its path. */
  resource: string;
  token: string;
  /** The thumbprint of the key. */
  jkt: unknown;
}

export interface Proofs {
  /** Throws SessionError: INVALID_PROOF, also for a proof that was used. */
  check(bound: BoundRequest): Promise<void>;
}

/** Remembers the proofs that were used; another process does not know of them. `now` returns Unix ms. */
export function createProofs(now: () => number): Proofs {
  const usedUntilMs = new Map<string, number>();
  return {
    async check(bound) {
      const use = await readProof(bound, now()).catch(() => null);
      if (use === null || (usedUntilMs.get(use) ?? 0) > now()) throw new SessionError("INVALID_PROOF");
      usedUntilMs.delete(use);
      usedUntilMs.set(use, now() + 2 * TOLERANCE_MS);
      const [oldest] = usedUntilMs.keys();
      if (usedUntilMs.size > MAX_REMEMBERED && oldest !== undefined) usedUntilMs.delete(oldest);
    },
  };
}

/** What names the proof; null for one that is not for this request. Throws for what is none. */
async function readProof({ request, resource, token, jkt }: BoundRequest, nowMs: number): Promise<string | null> {
  const proof = request.headers.get("dpop") ?? "";
  if (proof.length > MAX_CHARACTERS) return null;
  const { header, payload, mac, signed } = readJws(proof);
  const { typ, alg, jwk } = header as { typ?: unknown; alg?: unknown; jwk?: Record<string, unknown> };
  const algorithm = typeof alg === "string" && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  const members = jwk && publicMembers(jwk);
  if (typ !== "dpop+jwt" || !algorithm || !members || "d" in jwk) return null;
  if ((await hashOf(JSON.stringify(members))) !== jkt) return null;
  const { htm, htu, iat, jti, ath } = payload;
  const isFresh = typeof iat === "number" && Math.abs(nowMs - iat * 1000) <= TOLERANCE_MS;
  const isNamed = typeof jti === "string" && jti !== "" && jti.length <= MAX_ID_CHARACTERS;
  if (!isFresh || !isNamed || htm !== request.method || !isSameUrl(htu, request.url, resource)) return null;
  if (ath !== (await hashOf(token))) return null;
  const key = await crypto.subtle.importKey("jwk", members, algorithm, false, ["verify"]);
  const isGenuine = await crypto.subtle.verify({ ...algorithm, saltLength: SALT_BYTES }, key, bytesOf(mac), signed);
  return isGenuine ? `${jkt} ${jti}` : null;
}

const hashOf = async (text: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));

function publicMembers(jwk: Record<string, unknown>): JsonWebKey | null {
  const members = MEMBERS[String(jwk["kty"])];
  if (!members?.every((name) => typeof jwk[name] === "string")) return null;
  return Object.fromEntries(members.map((name) => [name, jwk[name]])) as unknown as JsonWebKey;
}

/** Query and fragment do not count. */
function isSameUrl(htu: unknown, requested: string, resource: string): boolean {
  const named = typeof htu === "string" ? URL.parse(htu) : null;
  const { origin, pathname } = new URL(requested);
  const own = /^https?:/.test(resource) ? new URL(resource).origin : origin;
  return named?.origin === own && named.pathname === pathname;
}
