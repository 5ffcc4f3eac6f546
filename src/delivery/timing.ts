/** Every delay in the life of a delivery, in one place. */

/** No send starts later than this after its claim. */
export const START_WITHIN_MS = 1_500;
/** Connecting, headers and the part of the body that is read, together (specification, Outbound delivery). */
export const SEND_TIMEOUT_MS = 10_000;
/** All tries to record a result, together. */
export const RECORD_WITHIN_MS = 3_000;
/** How long a claim holds. Longer than start, send and record together: a test adds them up. */
export const LEASE_MS = 15_000;

/** What was read at the claim (URL, secret, pause) is read again for a send that starts later than this. */
export const FRESH_FOR_MS = 1_000;
/** A claim that comes later than this after its attempt was due gives the attempt a new id, so that ids stay close to the log's order. */
export const LATE_AFTER_MS = 10_000;

/** A subscription whose sends under way have all been silent for so long hangs. */
export const HANGS_AFTER_MS = 1_000;
/** A send that takes longer puts its subscription into the slow queue. */
export const SLOW_SEND_MS = 5_000;
/** How long a slow send keeps it there. */
export const SLOW_FOR_MS = 10 * 60_000;
/** How long a send that is still silent keeps it there. */
export const MARKED_SLOW_FOR_MS = 60_000;
/** When no send of a batch has started or ended for this long, the rest of the batch does not wait any longer. */
export const STALL_MS = HANGS_AFTER_MS + 100;

/** The queue delays by whole seconds, so the message of a retry may come this much too soon. */
export const MAX_EARLY_MS = 1_500;
/** An attempt that is due later than this gets no message: the sweep finds it. A queue keeps a message for at most 24 hours. */
export const LONGEST_MESSAGE_DELAY_MS = 12 * 3_600_000;
/** A delivery that is due and whose message has not arrived after this time is swept. */
export const QUEUE_GRACE_MS = 5_000;
/** A swept delivery is left alone for this long, because its message may wait in a long queue. */
export const RESWEEP_AFTER_MS = 60_000;
/** The sweep runs at the next due moment, within these bounds. */
export const SWEEP_AT_LEAST_EVERY_MS = 15_000;
export const SWEEP_AT_MOST_EVERY_MS = 5_000;
/** A message that failed because of a fault of ours comes again after this time. */
export const RETRY_AFTER_FAULT_SECONDS = 5;
/** A signing secret that cannot be decrypted needs an operator who puts a key back: no hurry, and no attempt is used up. */
export const UNPREPARED_AGAIN_MS = 5 * 60_000;

/** The waits of a subscription without a schedule of its own, in seconds (specification, Outbound delivery). */
export const CONTRACT_SCHEDULE: readonly number[] = [5, 10];
/** Spreads the retries of one outage; upward only, so that none comes early. */
const MAX_JITTER = 0.04;
const MAX_JITTER_OF_LONG_WAITS = 0.2;
const LONG_WAIT_SECONDS = 60;

/**
 * The wait in ms after `attempts` attempts, by a schedule of waits in seconds; null when it allows no more. A wait is at least what the
 * schedule says. `random` is in [0, 1).
 */
export function retryWaitMs(attempts: number, schedule: readonly number[], random: number): number | null {
  const seconds = schedule[attempts - 1];
  if (seconds === undefined) return null;
  const jitter = seconds < LONG_WAIT_SECONDS ? MAX_JITTER : MAX_JITTER_OF_LONG_WAITS;
  return Math.round(seconds * 1000 * (1 + jitter * random));
}
