/**
 * Challenges. The client keeps each one, encrypted: asking for options costs no row, and only the use of a challenge is
 * stored.
 */
import { base64url } from "jose";
import { randomBytes } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { decryptState, encryptState } from "../../../base/short-lived";
import { MINUTE_MS } from "../../../base/time";
import { ensure, Refusal } from "./refusal";

export const CHALLENGE_LIFETIME_MS = 5 * MINUTE_MS;
const CHALLENGE_BYTES = 32;

/** What a challenge is for. A challenge for one purpose cannot be used for another. */
export type Purpose = "register" | "login" | "step-up" | "sign-up";

interface Challenge<Account> {
  /** Base64url. */
  challenge: string;
  /** Who has asked for it; null for a login or a sign-up, where nobody is signed in. */
  userId: string | null;
  /** The account that a sign-up will create. */
  account?: Account | undefined;
  /** Unix ms. */
  expiresAt: number;
}

const purposeOf = (purpose: Purpose) => `passkey:${purpose}`;

/** Returns a new challenge, and the `state` that the client sends back with its answer. */
export async function newChallenge<Account>(
  deps: Deps,
  purpose: Purpose,
  userId: string | null,
  account?: Account | undefined,
) {
  const challenge = base64url.encode(randomBytes(CHALLENGE_BYTES));
  const expiresAt = deps.now() + CHALLENGE_LIFETIME_MS;
  const sealed: Challenge<Account> = { challenge, userId, account, expiresAt };
  return { challenge, expiresAt, state: await encryptState(deps, purposeOf(purpose), sealed) };
}

/**
 * Returns the challenge of a `state`, the account of a sign-up, and the id under which its use is stored. Throws a
 * Refusal when it has expired, or was not made by us for this purpose and this user.
 */
export async function openChallenge<Account>(deps: Deps, purpose: Purpose, userId: string | null, state: string) {
  const opened = await decryptState<Challenge<Account>>(deps, purposeOf(purpose), state);
  if (!opened) throw new Refusal("a foreign challenge");
  ensure(opened.expiresAt > deps.now(), "an expired challenge");
  ensure(opened.userId === userId, "another user's challenge");
  // The id begins with the expiry, by which the hourly clean-up finds expired ids.
  const stateId = `${opened.expiresAt}:${opened.challenge}`;
  return { challenge: opened.challenge, account: opened.account, stateId };
}
