/** What an isolate knows of the signers: D1 is read at the first request, and then beside one of each minute. */
import type { Config } from "../config/config";
import type { KeyRing } from "../crypto/keys";
import type { SigningKey, TokenAlgorithm } from "../crypto/signing-keys";
import type { Db } from "../db/client";
import { MINUTE_MS } from "../time";
import { isSameSigner, type KnownKeys, newestKey, type SignerId, signingKeyOf } from "./choose";
import { hasRsaKey, knownKeys, newRsaKey, type OpenedKeys } from "./rsa-keys";
import { readSigners, registerSigner, type StoredSigner, storeRsaKey } from "./store";

const SECOND_MS = 1000;
const KEPT_MS = MINUTE_MS;
/** A new reading that failed is tried again after this time. */
const RETRIED_MS = 5 * SECOND_MS;
/** What is unknown is looked for again, but not more often than this. */
const ASKED_AGAIN_MS = SECOND_MS;

/** What D1 knew, with the keys that it has. */
export interface SignerReading {
  rows: readonly StoredSigner[];
  keys: KnownKeys;
  /** When the reading began, Unix ms. */
  at: number;
}

/** What an isolate keeps while its settings stay the same. */
export interface SignerCache {
  /** The key of `TOKEN_RSA_KEY`. */
  imported: SigningKey | null;
  opened: OpenedKeys;
  /** Undefined before the first one. */
  read?: SignerReading;
  /** When a new reading began beside a request; Unix ms. */
  renewedAt?: number;
}

export const emptySignerCache = (imported: SigningKey | null): SignerCache => ({ imported, opened: new Map() });

export interface ReadingIngredients {
  /** Not counted as round trips of the request: most requests find what they need in the cache. */
  db: Db;
  config: Pick<Config, "tokenAlgorithm" | "tokenIssuer" | "formerTokenIssuer">;
  keys: KeyRing;
  cache: SignerCache;
  background: (what: string, work: Promise<unknown>) => void;
  now: () => number;
}

export interface Readings {
  /** Reads D1, and writes down the newest signer of sessions and those of `others`. */
  load(others?: readonly TokenAlgorithm[]): Promise<SignerReading>;
  /** After the first time, a request does not wait for a new reading. */
  latest(): Promise<SignerReading>;
  /** The latest one if it has signers of all these algorithms, else a new one. */
  withAlgorithms(algorithms: readonly TokenAlgorithm[]): Promise<SignerReading>;
  /** A new one, for what the latest did not know; undefined if that is not a second old. */
  again(): Promise<SignerReading | undefined>;
  /** The newest signer of an algorithm; undefined before its RSA key was made. */
  newestOf(reading: SignerReading, alg: TokenAlgorithm): SignerId | undefined;
}

export function createReadings({ db, config, keys, cache, background, now }: ReadingIngredients): Readings {
  const { tokenAlgorithm, tokenIssuer: issuer } = config;
  const former = {
    formerKids: keys.map(({ signing }) => signing.EdDSA.kid),
    formerIssuer: config.formerTokenIssuer,
  };
  const known = (rows: readonly StoredSigner[]) => knownKeys(rows, keys, cache.imported, cache.opened);
  const newestOf: Readings["newestOf"] = (reading, alg) => {
    const key = newestKey(reading.keys, alg);
    return key && { kid: key.kid, alg, issuer };
  };
  const withKey = async (reading: SignerReading, alg: TokenAlgorithm): Promise<SignerReading> => {
    // A stored key that does not open would take the place of each new one.
    if (newestKey(reading.keys, alg) || hasRsaKey(reading.rows, keys)) return reading;
    const rows = await storeRsaKey(db, await newRsaKey(keys), issuer, former, reading.at);
    return { ...reading, rows, keys: await known(rows) };
  };
  const withNewest = async (reading: SignerReading, alg: TokenAlgorithm): Promise<SignerReading> => {
    const newest = newestOf(reading, alg);
    if (!newest || reading.rows.some((row) => row.retiredAt === null && isSameSigner(row, newest))) return reading;
    return { ...reading, rows: await registerSigner(db, newest, former, reading.at) };
  };
  const load: Readings["load"] = async (others = []) => {
    const at = now();
    const rows = await readSigners(db);
    let reading: SignerReading = { rows, keys: await known(rows), at };
    // The signer of sessions first, so that it waits for no other.
    for (const alg of new Set([tokenAlgorithm, ...others])) {
      reading = await withNewest(await withKey(reading, alg), alg);
    }
    cache.read = reading;
    return reading;
  };
  const isPast = (at: number | undefined, ageMs: number) => at === undefined || Math.abs(now() - at) >= ageMs;
  const latest = async (): Promise<SignerReading> => {
    if (!cache.read) return load();
    if (isPast(cache.read.at, KEPT_MS) && isPast(cache.renewedAt, RETRIED_MS)) {
      cache.renewedAt = now();
      background("read signers", load());
    }
    return cache.read;
  };
  const isSigned = ({ rows, keys: all }: SignerReading, alg: TokenAlgorithm): boolean =>
    rows.some((row) => row.alg === alg && row.issuer === issuer && signingKeyOf(all, row));
  return {
    load,
    latest,
    newestOf,
    async withAlgorithms(algorithms) {
      const reading = await latest();
      return algorithms.every((alg) => isSigned(reading, alg)) ? reading : load(algorithms);
    },
    again: async () => (isPast(cache.read?.at, ASKED_AGAIN_MS) ? load() : undefined),
  };
}
