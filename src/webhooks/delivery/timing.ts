/** Every delay, timeout and lease of a delivery. */

/** After this time, a run passes deliveries that would wait long for a connection on to other invocations. */
export const PASS_ON_AFTER_MS = 100;
/** A send that could not start this long after its claim is handed back. */
export const START_WITHIN_MS = 1_500;
/**
 * The timeout of a send: connecting, headers, and the part of the body that is read (specification, Outbound delivery).
 */
export const SEND_TIMEOUT_MS = 10_000;
/** The time for recording a result, over all tries. */
export const RECORD_WITHIN_MS = 3_000;
/** How long a claim is valid. Longer than starting, sending and recording together; a test checks the sum. */
export const LEASE_MS = 15_000;

/** URL, secret and pause are read at the claim, and read again for a send that starts more than this much later. */
export const TARGET_FRESH_FOR_MS = 1_000;
/**
 * The id of an attempt is planned for the time at which it is due. If the claim is later than this, the attempt gets a
 * new id, so that ids stay close to the order of the log.
 */
export const LATE_AFTER_MS = 10_000;

/** A subscription hangs when it has sends in progress and none has ended for this long. */
export const HANGS_AFTER_MS = 1_000 as const;
/** A send that takes this long moves its subscription to the slow queue. */
export const SLOW_SEND_MS = 5_000;
/** How long a subscription stays in the slow queue after a slow send. */
export const SLOW_FOR_MS = 10 * 60_000;
/** How long a subscription that hangs stays in the slow queue. */
export const MARKED_SLOW_FOR_MS = 60_000;
/** When no send of a run has started or ended for this long, the rest of the run is handed back. */
export const STALLED_AFTER_MS = HANGS_AFTER_MS + 100;

/** A limited delivery is claimed this long before its start, together with those that start a little later. */
export const CLAIM_BEFORE_START_MS = 300;
export const CLAIM_WITH_FIRST_MS = 700;
/**
 * A start is asked for this long in advance, because gates grant starts only shortly before. Starts that come a little
 * later are asked for in the same call, and calls keep an interval.
 */
export const ASK_BEFORE_START_MS = 150;
export const ASK_WITH_FIRST_MS = 250;
export const ASK_INTERVAL_MS = 50;
/** A delivery is taken for sending this long before its start. */
export const TAKE_BEFORE_START_MS = 30;
/**
 * How long a run keeps deliveries that wait for their starts. Limited, because the runtime ends an invocation after 30
 * s.
 */
export const STAYS_FOR_MS = 15_000;
/**
 * The shortest time from a gate's answer to the start: for a delivery that must still be claimed, and for a claimed
 * one.
 */
export const LEAD_MS = 150;
export const LEAD_OF_CLAIMED_MS = 30;
/** The message of a delivery with a slot arrives this long before the slot, because queues can be late. */
export const SLOT_MESSAGE_LEAD_MS = 2_000;
/** A delivery whose slot is further away gets no message: the sweep finds it. */
export const LONGEST_SLOT_MESSAGE_DELAY_MS = 15 * 60_000;
/** Such a delivery is due this long before its slot, so that the sweep finds it in time. */
export const DUE_BEFORE_SWEPT_SLOT_MS = 12_000;
/**
 * A slot that is further away than this is far. A subscription with a far slot is throttled, and an operational event
 * reports it.
 */
export const THROTTLED_AFTER_MS = 3_600_000;
/** How long a gate may take to answer, and how long deliveries wait before they ask again if it does not answer. */
export const GATE_TIMEOUT_MS = 2_000;
export const GATE_RETRY_MS = 5_000;

/** Queues delay messages by whole seconds, so the message of a retry may arrive this much too early. */
export const MAX_EARLY_MS = 1_500;
/**
 * An attempt that is due later than this gets no message, because a queue delays a message for at most 24 hours. The
 * sweep finds it.
 */
export const LONGEST_MESSAGE_DELAY_MS = 12 * 3_600_000;
/** The sweep takes a delivery that has been due for this long without being claimed. */
export const QUEUE_GRACE_MS = 5_000;
/**
 * A message counts as lost after this time even if the queue has an older one. The older one may be delayed by hours,
 * for a delivery of another database or one that is gone. With the interval of sweeps, this stays below the two minutes
 * that decisions.md promises. In a longer backlog, deliveries that only wait are queued twice, and the second message
 * finds nothing to claim.
 */
export const LONGEST_QUEUE_WAIT_MS = 90_000;
/** A swept delivery is not swept again for this long, because its new message may wait in a long queue. */
export const RESWEEP_AFTER_MS = 60_000;
/**
 * For the next few deliveries of a backlog this time is shorter: if their subscription hung when their message came,
 * nothing else queues them again.
 */
export const RESWEEP_BACKLOG_AFTER_MS = 10_000;
/** The sweep runs when the next delivery is due, within these bounds. */
export const MAX_SWEEP_INTERVAL_MS = 15_000;
export const MIN_SWEEP_INTERVAL_MS = 5_000;
/** A message that could not be handled because D1 was down comes again after this time. */
export const REQUEUE_AFTER_FAULT_SECONDS = 5;
/**
 * The wait after a fault of the service, such as a secret that cannot be decrypted until an operator restores its key.
 */
export const RETRY_AFTER_OUR_FAULT_MS = 5 * 60_000;
/** The wait after a fault of the runtime, which passes by itself. */
export const RETRY_AFTER_RUNTIME_FAULT_MS = 30_000;

/** The waits of a subscription without a schedule of its own, in seconds (specification, Outbound delivery). */
export const DEFAULT_SCHEDULE: readonly number[] = [5, 10];
/** Jitter spreads the retries after an outage. It only lengthens waits, so that no retry is early. */
const MAX_JITTER = 0.04;
const MAX_JITTER_OF_LONG_WAITS = 0.2;
const LONG_WAIT_SECONDS = 60;

/**
 * Returns the wait in ms after `attempts` attempts: the entry of `schedule` (in seconds) plus jitter; null after the
 * last attempt.
 * `random` is in [0, 1).
 */
export function retryWaitMs(attempts: number, schedule: readonly number[], random: number): number | null {
  const seconds = schedule[attempts - 1];
  if (seconds === undefined) return null;
  const jitter = seconds < LONG_WAIT_SECONDS ? MAX_JITTER : MAX_JITTER_OF_LONG_WAITS;
  return Math.round(seconds * 1000 * (1 + jitter * random));
}
