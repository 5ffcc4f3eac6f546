/** When to try again: 3 attempts, 5 s then 10 s apart (specification, Outbound delivery). */

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 5_000;
/** Spreads the retries of one outage; upward only, so that none comes early. */
const MAX_JITTER = 0.04;

/**
 * The wait before the next attempt in ms; null when `attempts` have used up all.
 * `random` is in [0, 1).
 */
export function retryWaitMs(attempts: number, random: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return Math.round(FIRST_WAIT_MS * 2 ** (attempts - 1) * (1 + MAX_JITTER * random));
}
