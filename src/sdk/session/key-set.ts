/** The public keys of the issuer (a JSON Web Key Set, RFC 7517), fetched once and kept. */
import { SessionError } from "./errors";
import type { Algorithm, KeySet, PublicKey } from "./jws";
import { fetchDocument, type Source } from "./request";
import { singleFlight } from "./single-flight";

/** An unknown key is looked for again, but not more often than this. */
const REFETCH_MS = 30_000;

/** How a key is imported, by `kty` and `crv` (RFC 8037, RFC 7518 section 6.2). */
const KINDS: Record<string, { alg: Algorithm; algorithm: { name: string; namedCurve?: string } }> = {
  "OKP Ed25519": { alg: "EdDSA", algorithm: { name: "Ed25519" } },
  "EC P-256": { alg: "ES256", algorithm: { name: "ECDSA", namedCurve: "P-256" } },
};

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

/** Undefined for a key that does not verify EdDSA or ES256. */
async function parseKey(jwk: Jwk): Promise<[kid: string, key: PublicKey] | undefined> {
  const { kty, crv, kid, use = "sig", alg, x, y } = jwk;
  const kind = KINDS[`${kty} ${crv}`];
  if (!kind || typeof kid !== "string" || use !== "sig" || (alg !== undefined && alg !== kind.alg)) return undefined;
  const point = { kty, crv, x, ...(kind.alg === "ES256" ? { y } : {}) } as JsonWebKey;
  const imported = crypto.subtle.importKey("jwk", point, kind.algorithm, false, ["verify"]);
  return imported.then(
    (key): [string, PublicKey] => [kid, { alg: kind.alg, key }],
    () => undefined,
  );
}
