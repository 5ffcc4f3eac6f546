/** The public keys behind a URL (a JSON Web Key Set, RFC 7517), fetched and cached. */
import { isWorkers } from "../is-workers";
import { readBody } from "./body";
import { importPublicKey } from "./ed25519";
import { DeliveryError } from "./errors";

const CACHE_MS = 10 * 60_000;
const REFETCH_INTERVAL_MS = 30_000;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_DOCUMENT_BYTES = 64 * 1024;
const MAX_KEYS = 5;
const MAX_CACHED_URLS = 100;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Where the public keys of a subscription are. They are cached for 10 minutes. When none of them verifies a delivery
 * they are fetched again, but not within 30 seconds of the last fetch.
 */
export interface KeySet {
  /**
   * `https://postern.example.com/.well-known/webhook-keys/` and the subscription's id. Only a loopback address may be
   * http.
   */
  jwks: string | URL;
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

interface PublicKey {
  key: CryptoKey;
  /** Infinity for a key that does not expire. */
  expiresAtSeconds: number;
}

interface CacheEntry {
  keys: PublicKey[];
  /** When the fetch of `keys` began, in Unix ms. */
  fetchedAt: number;
  /** When the last fetch began, whether or not it succeeded, in Unix ms. */
  triedAt: number;
  inProgress: Promise<PublicKey[]> | undefined;
}

const cache = new Map<string, CacheEntry>();

/**
 * Whether `verifies` returns true for the keys of the set that have not expired at `nowMs`. Throws DeliveryError:
 * KEYS_UNAVAILABLE, and TypeError for a URL that is not https.
 */
export async function anyOfKeySet(
  set: KeySet,
  nowMs: number,
  verifies: (keys: CryptoKey[]) => Promise<boolean>,
): Promise<boolean> {
  const attempt = (keys: PublicKey[]) =>
    verifies(keys.filter(({ expiresAtSeconds }) => nowMs < expiresAtSeconds * 1000).map(({ key }) => key));
  const entry = entryOf(urlOf(set));
  const isFresh = Date.now() - entry.fetchedAt < CACHE_MS;
  if (await attempt(isFresh ? entry.keys : await load(set, entry))) return true;
  const mayRefetch = Date.now() - entry.triedAt >= REFETCH_INTERVAL_MS;
  const refetched = await (mayRefetch ? load(set, entry) : entry.inProgress);
  return refetched !== undefined && attempt(refetched);
}

function urlOf({ jwks }: KeySet): string {
  const { protocol, hostname, href } = new URL(jwks);
  if (protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname))) return href;
  throw new TypeError("The URL of a key set must be https.");
}

function entryOf(url: string): CacheEntry {
  const entry = cache.get(url) ?? { keys: [], fetchedAt: -Infinity, triedAt: -Infinity, inProgress: undefined };
  const [oldest] = cache.keys();
  if (!cache.has(url) && cache.size >= MAX_CACHED_URLS && oldest !== undefined) cache.delete(oldest);
  cache.set(url, entry);
  return entry;
}

/**
 * Concurrent callers share one fetch, except in Workers, where a request must not wait for the fetch of another one.
 */
function load(set: KeySet, entry: CacheEntry): Promise<PublicKey[]> {
  if (entry.inProgress) return entry.inProgress;
  const startedAt = Date.now();
  entry.triedAt = startedAt;
  const loading = fetchKeys(set)
    .then((keys) => {
      entry.keys = keys;
      entry.fetchedAt = startedAt;
      return keys;
    })
    .finally(() => {
      entry.inProgress = undefined;
    });
  if (!isWorkers()) entry.inProgress = loading;
  return loading;
}

async function fetchKeys(set: KeySet): Promise<PublicKey[]> {
  const send = set.fetch ?? ((url, init) => fetch(url, init));
  try {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const response = await send(urlOf(set), { redirect: "manual", signal });
    if (response.status !== 200) throw new Error(`The key set was answered with status ${response.status}.`);
    const { keys } = JSON.parse(await readBody(response, MAX_DOCUMENT_BYTES)) as { keys: Record<string, unknown>[] };
    return await Promise.all(keys.filter(isUsable).slice(0, MAX_KEYS).map(parseKey));
  } catch (cause) {
    throw new DeliveryError("KEYS_UNAVAILABLE", { cause });
  }
}

interface Jwk {
  /** 32 bytes in base64url. */
  x: string;
  exp?: number | undefined;
}

/** An Ed25519 key for signatures (RFC 8037, section 2) that has not expired. */
function isUsable(key: Record<string, unknown>): key is Record<string, unknown> & Jwk {
  const { kty, crv, use = "sig", alg = "EdDSA", x, exp = Infinity } = key;
  const isEd25519 = kty === "OKP" && crv === "Ed25519" && (alg === "EdDSA" || alg === "Ed25519");
  return isEd25519 && use === "sig" && typeof x === "string" && typeof exp === "number" && Date.now() < exp * 1000;
}

const parseKey = async ({ x, exp = Infinity }: Jwk): Promise<PublicKey> => ({
  key: await importPublicKey(x.replaceAll("-", "+").replaceAll("_", "/")),
  expiresAtSeconds: exp,
});
