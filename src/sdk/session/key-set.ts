/** The public keys of the issuer (a JSON Web Key Set, RFC 7517), fetched once and kept. */
import { SessionError } from "./errors";
import type { Algorithm, KeySet, PublicKey } from "./jws";
import { fetchDocument, type Source } from "./request";
import { singleFlight } from "./single-flight";

/** An unknown key is looked for again, but not more often than this. */
const REFETCH_MS = 30_000;

interface Kind {
  alg: Algorithm;
  algorithm: { name: string; namedCurve?: string; hash?: string };
  /** The members that make up the key. */
  parts: readonly string[];
}

/** How a key is imported, by `kty` and `crv` (RFC 8037, RFC 7518 section 6). */
const KINDS: Record<string, Kind> = {
  "OKP Ed25519": { alg: "EdDSA", algorithm: { name: "Ed25519" }, parts: ["kty", "crv", "x"] },
  "EC P-256": { alg: "ES256", algorithm: { name: "ECDSA", namedCurve: "P-256" }, parts: ["kty", "crv", "x", "y"] },
  RSA: { alg: "RS256", algorithm: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, parts: ["kty", "n", "e"] },
};
/** RFC 7518 section 3.3 forbids smaller ones; 342 base64url characters. */
const MIN_MODULUS_CHARACTERS = 342;

/** `now` is in Unix ms. */
export function createKeySet(source: Source, now: () => number): KeySet {
  let keys: Map<string, PublicKey> | undefined;
  let fetchedAt = -Infinity;

  const load = singleFlight(async () => {
    fetchedAt = now();
    const document = await fetchDocument(source);
    keys = await parseKeys(document?.text ?? "");
  }, source.timeoutMs);

  return {
    async find(kid) {
      if (!keys) {
        await load().catch((cause: unknown) => {
          throw new SessionError("KEYS_UNAVAILABLE", { cause });
        });
      }
      const known = keys?.get(kid);
      if (known || Math.abs(now() - fetchedAt) < REFETCH_MS) return known;
      // If this fails, the former keys stay.
      await load().catch(() => undefined);
      return keys?.get(kid);
    },
  };
}

type Jwk = Record<string, unknown>;

/** Throws for a document without a usable key. */
async function parseKeys(text: string): Promise<Map<string, PublicKey>> {
  const { keys } = JSON.parse(text) as { keys: Jwk[] };
  const entries = await Promise.all(keys.map(parseKey));
  const usable = entries.filter((entry) => entry !== undefined);
  if (usable.length === 0) throw new Error("The key set has no usable key.");
  // Of two keys with the same id, the first one counts.
  return new Map(usable.reverse());
}

/** Undefined for a key that does not verify EdDSA, ES256 or RS256. */
async function parseKey(jwk: Jwk): Promise<[kid: string, key: PublicKey] | undefined> {
  const { kty, crv, kid, use = "sig", alg, n } = jwk;
  const kind = KINDS[crv === undefined ? String(kty) : `${kty} ${crv}`];
  if (!kind || typeof kid !== "string" || use !== "sig" || (alg !== undefined && alg !== kind.alg)) return undefined;
  if (kind.alg === "RS256" && !(typeof n === "string" && n.length >= MIN_MODULUS_CHARACTERS)) return undefined;
  const parts = Object.fromEntries(kind.parts.map((name) => [name, jwk[name]])) as unknown as JsonWebKey;
  const imported = crypto.subtle.importKey("jwk", parts, kind.algorithm, false, ["verify"]);
  return imported.then(
    (key): [string, PublicKey] => [kid, { alg: kind.alg, key }],
    () => undefined,
  );
}
