/**
 * Which signer signs, which tokens are accepted and which keys are published. Another service may keep a copy of the
 * published keys, so a new signer waits before it signs.
 */
import type { JWK } from "jose";
import type { KeyRing } from "../crypto/keys";
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

/** A signer as it is stored; times are Unix ms. */
export interface SignerRow extends SignerId {
  seenAt: number;
  retiredAt: number | null;
}

export const isSameSigner = (one: SignerId, other: SignerId): boolean =>
  one.kid === other.kid && one.alg === other.alg && one.issuer === other.issuer;

/** The key of this name and algorithm; undefined if it is not derived from `SECRET_KEYS`. */
export const signingKeyOf = (keys: KeyRing, { kid, alg }: Pick<SignerId, "kid" | "alg">): SigningKey | undefined =>
  keys.map(({ signing }) => signing[alg]).find((key) => key.kid === kid);

/**
 * The signer of new tokens: the configured one once it has been published for `delayMs`, until then the newest former
 * one that has. Without a former one whose key is left, the configured one signs at once.
 */
export function chooseSigner(
  rows: readonly SignerRow[],
  configured: SignerId,
  keys: KeyRing,
  { nowMs, delayMs }: { nowMs: number; delayMs: number },
): SignerId {
  const isReady = ({ seenAt }: SignerRow) => seenAt + delayMs <= nowMs;
  const own = rows.find((row) => isSameSigner(row, configured));
  if (!own || isReady(own)) return configured;
  const former = rows
    .filter((row) => row.seenAt < own.seenAt && signingKeyOf(keys, row))
    .sort((one, other) => other.seenAt - one.seenAt);
  return former.find(isReady) ?? former.at(-1) ?? configured;
}

/** Whether tokens of a signer are accepted, provided that its key is in `SECRET_KEYS`. */
export const isAccepted = (rows: readonly SignerRow[], signer: SignerId, nowMs: number): boolean =>
  rows.some((row) => isSameSigner(row, signer) && (row.retiredAt === null || row.retiredAt > nowMs - ACCEPTED_MS));

/**
 * The public keys, newest first: those of the configured algorithm, and after them those of the other algorithm whose
 * signer still signs or has until an hour ago.
 */
export function publishedKeys(rows: readonly SignerRow[], alg: TokenAlgorithm, keys: KeyRing, nowMs: number): JWK[] {
  const isRecent = ({ retiredAt }: SignerRow) => retiredAt === null || retiredAt > nowMs - PUBLISHED_MS;
  const others = rows.filter((row) => row.alg !== alg && isRecent(row)).map(({ kid }) => kid);
  const otherKeys = keys.flatMap(({ signing }) => Object.values(signing).filter((key) => key.alg !== alg));
  return [...keys.map(({ signing }) => signing[alg]), ...otherKeys.filter(({ kid }) => others.includes(kid))].map(
    ({ publicJwk }) => publicJwk,
  );
}
