/** Who signs tokens. What D1 knows of it is kept by each isolate for a minute. */
import type { JWK } from "jose";
import type { Config } from "../config/config";
import type { KeyRing } from "../crypto/keys";
import type { SigningKey, TokenAlgorithm } from "../crypto/signing-keys";
import type { Db } from "../db/client";
import { MINUTE_MS } from "../time";
import {
  chooseSigner,
  isAccepted,
  isSameSigner,
  publishedKeys,
  type SignerId,
  type SignerRow,
  signingKeyOf,
} from "./choose";
import { readSigners, registerSigner, retireSigners } from "./store";

const SECOND_MS = 1000;
const KEPT_MS = MINUTE_MS;
/** A token of an unknown signer asks D1 again, but not more often than this. */
const ASKED_AGAIN_MS = SECOND_MS;
/** A new reading that failed is tried again after this time. */
const RETRIED_MS = 5 * SECOND_MS;

/** What an isolate keeps while its settings stay the same. */
export interface SignerCache {
  /** With the time at which the reading began, Unix ms; undefined before the first one. */
  read?: { rows: readonly SignerRow[]; at: number };
  /** When a new reading began beside a request; Unix ms. */
  renewedAt?: number;
}

/** A key, and the issuer that its tokens name. */
interface Signer {
  key: SigningKey;
  issuer: string;
}

export interface Signers {
  /** The signer of new tokens. */
  current(): Promise<Signer>;
  /** The key that verifies tokens of this header; undefined if there is none. */
  keyOf(header: { kid?: string | undefined; alg?: string | undefined }): SigningKey | undefined;
  /** Whether tokens of a signer are accepted. Ask only after `keyOf`: an unknown one costs a round trip. */
  accepts(signer: SignerId): Promise<boolean>;
  /** The public keys (JWKs), newest first. */
  published(): Promise<JWK[]>;
  /** Writes down what has changed in the settings, and who no longer signs. */
  keep(): Promise<void>;
}

interface Ingredients {
  /** Not counted as round trips of the request: most requests find what they need in the cache. */
  db: Db;
  config: Pick<Config, "tokenAlgorithm" | "tokenIssuer" | "formerTokenIssuer" | "tokenKeyDelaySeconds">;
  keys: KeyRing;
  cache: SignerCache;
  background: (what: string, work: Promise<unknown>) => void;
  now: () => number;
}

export function createSigners({ db, config, keys, cache, background, now }: Ingredients): Signers {
  const [newest] = keys;
  const alg = config.tokenAlgorithm;
  const configured = { kid: newest.signing[alg].kid, alg, issuer: config.tokenIssuer };
  const former = {
    formerKids: keys.map(({ signing }) => signing.EdDSA.kid),
    formerIssuer: config.formerTokenIssuer,
  };

  const load = async (): Promise<readonly SignerRow[]> => {
    const at = now();
    const stored = await readSigners(db);
    const isKnown = stored.some((row) => row.retiredAt === null && isSameSigner(row, configured));
    const rows = isKnown ? stored : await registerSigner(db, configured, former, at);
    cache.read = { rows, at };
    return rows;
  };
  const isPast = (at: number | undefined, ageMs: number) => at === undefined || Math.abs(now() - at) >= ageMs;
  /** After the first time, a request does not wait for a new reading. */
  const rowsNow = async (): Promise<readonly SignerRow[]> => {
    if (!cache.read) return load();
    const { rows, at } = cache.read;
    if (isPast(at, KEPT_MS) && isPast(cache.renewedAt, RETRIED_MS)) {
      cache.renewedAt = now();
      background("read signers", load());
    }
    return rows;
  };
  const choose = (rows: readonly SignerRow[]) =>
    chooseSigner(rows, configured, keys, { nowMs: now(), delayMs: config.tokenKeyDelaySeconds * SECOND_MS });

  return {
    async current() {
      const { issuer, ...id } = choose(await rowsNow());
      return { key: signingKeyOf(keys, id) ?? newest.signing[alg], issuer };
    },
    keyOf: ({ kid, alg: named }) =>
      kid === undefined || !isAlgorithm(named) ? undefined : signingKeyOf(keys, { kid, alg: named }),
    async accepts(signer) {
      if (isAccepted(await rowsNow(), signer, now())) return true;
      return isPast(cache.read?.at, ASKED_AGAIN_MS) && isAccepted(await load(), signer, now());
    },
    published: async () => publishedKeys(await rowsNow(), alg, keys, now()),
    async keep() {
      const rows = await load();
      const signs = choose(rows);
      const isOver = (row: SignerRow) =>
        row.retiredAt === null && !isSameSigner(row, signs) && !isSameSigner(row, configured);
      const over = rows.filter(isOver);
      if (over.length > 0) await retireSigners(db, over, now());
    },
  };
}

const isAlgorithm = (alg: string | undefined): alg is TokenAlgorithm => alg === "EdDSA" || alg === "ES256";
