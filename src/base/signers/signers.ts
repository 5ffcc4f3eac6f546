/** Who signs tokens. What D1 knows of it is kept by each isolate for a minute. */
import type { JWK } from "jose";
import type { Config } from "../config/config";
import { type SigningKey, TOKEN_ALGORITHMS, type TokenAlgorithm } from "../crypto/signing-keys";
import {
  allPublishedKeys,
  chooseKey,
  chooseSigner,
  isAccepted,
  isSameSigner,
  newestKey,
  publishedKeys,
  type SignerId,
  type SignerRow,
  signingKeyOf,
} from "./choose";
import { createReadings, type ReadingIngredients, type SignerReading } from "./readings";
import { retireSigners } from "./store";

const SECOND_MS = 1000;

/** A key, and the issuer that its tokens name. */
interface Signer {
  key: SigningKey;
  issuer: string;
}

export interface Signers {
  /** The signer of new tokens of sessions. */
  current(): Promise<Signer>;
  /** The signer of other new tokens, by their algorithm. They name the issuer that is set, as discovery does. */
  ofAlgorithm(alg: TokenAlgorithm): Promise<Signer>;
  /** The key that verifies tokens of this header; undefined if there is none. */
  keyOf(header: { kid?: string | undefined; alg?: string | undefined }): Promise<SigningKey | undefined>;
  /** Whether tokens of a signer are accepted. Ask only after `keyOf`: an unknown one costs a round trip. */
  accepts(signer: SignerId): Promise<boolean>;
  /** The public keys (JWKs), newest first. */
  published(): Promise<JWK[]>;
  /** Writes down what has changed in the settings, and who no longer signs. */
  keep(): Promise<void>;
}

interface Ingredients extends ReadingIngredients {
  config: Pick<Config, "tokenAlgorithm" | "tokenIssuer" | "formerTokenIssuer" | "tokenKeyDelaySeconds">;
  /** Whether there are other tokens than those of sessions, by the algorithms that their readers want. */
  signsAll: boolean;
}

export function createSigners({ signsAll, ...ingredients }: Ingredients): Signers {
  const { db, config, keys, now } = ingredients;
  const { tokenAlgorithm, tokenIssuer } = config;
  const algorithms = signsAll ? TOKEN_ALGORITHMS : [tokenAlgorithm];
  const readings = createReadings(ingredients);
  const times = () => ({ nowMs: now(), delayMs: config.tokenKeyDelaySeconds * SECOND_MS });
  const ofSessions = (reading: SignerReading): SignerId | undefined => {
    const newest = readings.newestOf(reading, tokenAlgorithm);
    return newest && chooseSigner(reading.rows, newest, reading.keys, times());
  };
  const chosen = ({ rows, keys: all }: SignerReading, alg: TokenAlgorithm) => chooseKey(rows, alg, all, times());
  const derived = keys.flatMap(({ signing }) => Object.values<SigningKey>(signing));

  return {
    async current() {
      const reading = await readings.latest();
      const signer = ofSessions(reading);
      const key = signer && (signingKeyOf(reading.keys, signer) ?? newestKey(reading.keys, tokenAlgorithm));
      if (!signer || !key) throw new Error("no key signs tokens");
      return { key, issuer: signer.issuer };
    },
    async ofAlgorithm(alg) {
      const key = chosen(await readings.withAlgorithms([alg]), alg);
      if (!key) throw new Error(`no key signs by ${alg}`);
      return { key, issuer: tokenIssuer };
    },
    async keyOf({ kid, alg }) {
      const own = derived.find((key) => key.kid === kid);
      if (own) return own.alg === alg ? own : undefined;
      if (kid === undefined || alg !== "RS256") return undefined;
      const found = signingKeyOf((await readings.latest()).keys, { kid, alg });
      if (found || !algorithms.includes(alg)) return found;
      const reading = await readings.again();
      return reading && signingKeyOf(reading.keys, { kid, alg });
    },
    async accepts(signer) {
      if (isAccepted((await readings.latest()).rows, signer, now())) return true;
      const reading = await readings.again();
      return reading !== undefined && isAccepted(reading.rows, signer, now());
    },
    async published() {
      if (signsAll) return allPublishedKeys(tokenAlgorithm, (await readings.withAlgorithms(algorithms)).keys);
      const { rows, keys: all } = await readings.latest();
      return publishedKeys(rows, tokenAlgorithm, all, now());
    },
    async keep() {
      const reading = await readings.load(algorithms);
      const signing = [ofSessions(reading), ...algorithms.map((alg) => readings.newestOf(reading, alg))];
      const others = signsAll ? algorithms.map((alg) => chosen(reading, alg)?.kid) : [];
      const isOver = (row: SignerRow) =>
        row.retiredAt === null &&
        !signing.some((id) => id && isSameSigner(row, id)) &&
        !(row.issuer === tokenIssuer && others.includes(row.kid));
      const over = reading.rows.filter(isOver);
      if (over.length > 0) await retireSigners(db, over, now());
    },
  };
}
