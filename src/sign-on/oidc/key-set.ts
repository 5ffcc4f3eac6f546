/** The public keys of providers (RFC 7517), which each isolate remembers for ten minutes. */
import { type CryptoKey, importJWK, type JWK } from "jose";
import * as z from "zod";
import { BoundedMap } from "../../base/bounded-map";
import type { Deps } from "../../base/deps";
import { jsonOf } from "../../base/json";
import { MINUTE_MS } from "../../base/time";
import { ProviderUnreachable } from "../../identity/providers/fetch";
import { SignOnRefused } from "../refused";
import { EndpointRefused, guardedFetch } from "./fetch";

const MAX_BYTES = 64 * 1024;
const MAX_KEYS = 100;
const FRESH_MS = 10 * MINUTE_MS;
/** A key that is unknown is a reason to look again: providers change keys at any time. */
const AGAIN_MS = 10_000;
const MAX_PLACES = 14;

interface KeySet {
  keys: readonly JWK[];
  /** When they were read, and when that was last tried; Unix ms. */
  readAt: number;
  triedAt: number;
}

const known = new BoundedMap<KeySet>(MAX_PLACES);

/** For tests. */
export const forgetKeySets = (): void => known.clear();

const document = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(MAX_KEYS) });

/** The header of a token that looks for its key. */
interface Wanted {
  kid: string | undefined;
  alg: string;
}

/** The kinds of keys by algorithm, with the curve. */
const KIND: Readonly<Record<string, readonly [kty: string, crv?: string]>> = {
  RS256: ["RSA"],
  PS256: ["RSA"],
  ES256: ["EC", "P-256"],
  ES384: ["EC", "P-384"],
  EdDSA: ["OKP", "Ed25519"],
};

/**
 * The keys at this address that can have signed such a token, by its `kid` or, without one, all of the kind. Reads them
 * again for an unknown one, at most every ten seconds; old ones stay while that fails. Throws SignOnRefused.
 */
export async function keysFor(deps: Deps, url: string, wanted: Wanted): Promise<CryptoKey[]> {
  const kept = known.get(url);
  const isFresh = kept !== undefined && deps.now() - kept.readAt < FRESH_MS;
  const first = isFresh ? kept : await readAgain(deps, url, kept);
  const found = fitting(first.keys, wanted);
  if (found.length > 0 || deps.now() - first.triedAt < AGAIN_MS) return imported(found, wanted);
  return imported(fitting((await readAgain(deps, url, first)).keys, wanted), wanted);
}

async function readAgain(deps: Deps, url: string, kept: KeySet | undefined): Promise<KeySet> {
  const at = deps.now();
  if (kept && at - kept.triedAt < AGAIN_MS) return kept;
  try {
    const set = { keys: await readKeys(deps, url), readAt: at, triedAt: at };
    known.set(url, set);
    return set;
  } catch (error) {
    if (!kept) throw error;
    const set = { ...kept, triedAt: at };
    known.set(url, set);
    return set;
  }
}

async function readKeys(deps: Deps, url: string): Promise<JWK[]> {
  try {
    const request = { method: "GET", headers: { Accept: "application/json" } };
    const answer = await guardedFetch(deps, MAX_BYTES)(url, request);
    const read = answer.status === 200 ? document.safeParse(jsonOf(await answer.text())).data : undefined;
    if (!read) throw new SignOnRefused("id_token", "discovery_failed", { why: "its keys cannot be read" });
    return read.keys;
  } catch (error) {
    if (error instanceof EndpointRefused) {
      throw new SignOnRefused("id_token", "endpoint_refused", { endpoint: "keys", why: error.message });
    }
    if (error instanceof ProviderUnreachable) {
      throw new SignOnRefused("id_token", "discovery_failed", { why: `its keys cannot be read: ${error.message}` });
    }
    throw error;
  }
}

function fitting(keys: readonly JWK[], { kid, alg }: Wanted): JWK[] {
  const [kty, crv] = KIND[alg] ?? [];
  return keys.filter(
    (key) =>
      key.kty === kty &&
      (crv === undefined || key.crv === crv) &&
      (key.alg === undefined || key.alg === alg) &&
      (key.use === undefined || key.use === "sig") &&
      (kid === undefined || key.kid === kid),
  );
}

/** The public parts of the keys, without those that cannot be read. */
async function imported(keys: readonly JWK[], { alg }: Wanted): Promise<CryptoKey[]> {
  const read = await Promise.allSettled(
    keys.map(({ kty, crv, n, e, x, y }) => importJWK(defined({ kty, crv, n, e, x, y }), alg)),
  );
  return read.flatMap((one) => (one.status === "fulfilled" && !(one.value instanceof Uint8Array) ? [one.value] : []));
}

const defined = (members: Record<string, unknown>): JWK =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JWK;
