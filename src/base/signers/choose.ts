/**
 * Which signer signs, which tokens are accepted and which keys are published. Another service may keep a copy of the
 * published keys, so a new signer waits before it signs.
 */
import type { JWK } from "jose";
import type { SigningKey, TokenAlgorithm } from "../crypto/signing-keys";
import { DAY_MS, HOUR_MS } from "../time";

/** Tokens are accepted for as long after their signer as the console's cookie lives. */
export const ACCEPTED_MS = 90 * DAY_MS;
const PUBLISHED_MS = HOUR_MS;

/** What identifies a signer. */
export interface SignerId {
  kid: string;
  alg: TokenAlgorithm;
  issuer: string;
}

/** A signer; times are Unix ms. */
export interface SignerRow extends SignerId {
  seenAt: number;
  retiredAt: number | null;
}

/** The keys of each entry of `SECRET_KEYS`, newest first. */
export type KnownKeys = readonly (readonly SigningKey[])[];

/** When it is, and how long a new signer waits. */
export interface SignerTimes {
  nowMs: number;
  delayMs: number;
}

export const isSameSigner = (one: SignerId, other: SignerId): boolean =>
  one.kid === other.kid && one.alg === other.alg && one.issuer === other.issuer;

/** The key of this name and algorithm; undefined if we do not have it. */
export const signingKeyOf = (keys: KnownKeys, { kid, alg }: Pick<SignerId, "kid" | "alg">): SigningKey | undefined =>
  keys.flat().find((key) => key.kid === kid && key.alg === alg);

/** The key with which the newest entry signs by this algorithm; undefined for an RSA key that was not made yet. */
export const newestKey = ([newest = []]: KnownKeys, alg: TokenAlgorithm): SigningKey | undefined =>
  newest.find((key) => key.alg === alg);

/**
 * The signer of new tokens of sessions: the configured one once it has been published for `delayMs`, until then the
 * newest former one that has, preferably of the same algorithm. Without a former one whose key is left, the configured
 * one signs at once.
 */
export function chooseSigner(
  rows: readonly SignerRow[],
  configured: SignerId,
  keys: KnownKeys,
  { nowMs, delayMs }: SignerTimes,
): SignerId {
  const isReady = ({ seenAt }: SignerRow) => seenAt + delayMs <= nowMs;
  const own = rows.find((row) => isSameSigner(row, configured));
  if (!own || isReady(own)) return configured;
  const isOther = ({ alg }: SignerRow) => Number(alg !== configured.alg);
  const former = rows
    .filter((row) => row.seenAt < own.seenAt && signingKeyOf(keys, row))
    .sort((one, other) => isOther(one) - isOther(other) || other.seenAt - one.seenAt);
  return former.find(isReady) ?? former.at(-1) ?? configured;
}

/**
 * The key of an algorithm that signs: the newest that has been published for `delayMs`, else the one that has been for
 * longest. The first one of its algorithm waits for nothing. Undefined for an RSA key that was not made yet.
 */
export function chooseKey(
  rows: readonly SignerRow[],
  alg: TokenAlgorithm,
  keys: KnownKeys,
  { nowMs, delayMs }: SignerTimes,
): SigningKey | undefined {
  const seen = keys
    .flat()
    .filter((key) => key.alg === alg)
    .map((key) => ({ key, at: Math.min(...rows.filter((row) => row.kid === key.kid).map(({ seenAt }) => seenAt)) }))
    .filter(({ at }) => at < Infinity);
  const longest = seen.toSorted((one, other) => one.at - other.at)[0];
  return (seen.find(({ at }) => at + delayMs <= nowMs) ?? longest)?.key ?? newestKey(keys, alg);
}

/** Whether tokens of a signer are accepted, provided that we have its key. */
export const isAccepted = (rows: readonly SignerRow[], signer: SignerId, nowMs: number): boolean =>
  rows.some((row) => isSameSigner(row, signer) && (row.retiredAt === null || row.retiredAt > nowMs - ACCEPTED_MS));

/**
 * The public keys of tokens of sessions, newest first: those of the configured algorithm, and after them those of the
 * others whose signer still signs or has until an hour ago.
 */
export function publishedKeys(rows: readonly SignerRow[], alg: TokenAlgorithm, keys: KnownKeys, nowMs: number): JWK[] {
  const isRecent = ({ retiredAt }: SignerRow) => retiredAt === null || retiredAt > nowMs - PUBLISHED_MS;
  const others = rows.filter((row) => row.alg !== alg && isRecent(row)).map(({ kid }) => kid);
  const all = keys.flat();
  return [...all.filter((key) => key.alg === alg), ...all.filter((key) => others.includes(key.kid))].map(
    ({ publicJwk }) => publicJwk,
  );
}

/** The public keys of every algorithm: of each entry, newest first, that of the configured algorithm and the others. */
export const allPublishedKeys = (alg: TokenAlgorithm, keys: KnownKeys): JWK[] =>
  keys
    .flatMap((entry) => [...entry.filter((key) => key.alg === alg), ...entry.filter((key) => key.alg !== alg)])
    .map(({ publicJwk }) => publicJwk);
