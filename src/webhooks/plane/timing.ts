/**
 * Every delay, timeout, lease and window of time in the delivery of events. How they add up is tested in
 * timing.test.ts. Counts and sizes are beside what they bound.
 */
import { jittered } from "../../base/jitter";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/time";

/** The sends of one run at once. The runtime opens six connections an invocation; D1, queues and objects need one. */
export const MAX_SENDS_OF_RUN = 5;
/** The expected latency of a subscription that is new to an isolate. */
export const ASSUMED_LATENCY_MS = 50;
/** The expected duration of all sends that are claimed and have not started: with five at once, about 0.1 s. */
export const CLAIM_WORK_MS = MAX_SENDS_OF_RUN * 100;
/** The expected duration of all sends that may wait in one run together: with five at once, about 2 s. */
export const MAX_WORK_MS = MAX_SENDS_OF_RUN * 2_000;
/**
 * When no send of a run has ended for this long, it passes on what has not started. When no send of a subscription has,
 * its other deliveries wait in its lane.
 */
export const PATIENCE_MS = 100;
/** A run looks at its sends at least this often. */
export const WATCH_EVERY_MS = 100;
/** A longer time between two looks shows that the isolate was blocked. */
export const BLOCKED_AFTER_MS = 300;

/** How long a claim may take. After that it counts as failed, and the sweep ends what it may have claimed. */
export const CLAIM_TIMEOUT_MS = 5_000;
/** A claim that takes this long makes the next ones of its run smaller. */
export const LATE_CLAIM_MS = 1_000;
/** A send that could not start this long after its claim was asked for is handed back. */
export const START_WITHIN_MS = 1_500;
/** If the claim was answered late, a send has this long from the answer, but no longer than that from the claim. */
export const START_AFTER_CLAIM_MS = 500;
export const LATE_START_WITHIN_MS = 2_500;
/**
 * The timeout of a send: connecting, headers, and the part of the body that is read (specification, Outbound delivery).
 */
export const SEND_TIMEOUT_MS = 10_000;
/** The time for recording a result, over all tries, and the wait between two tries. */
export const RECORD_WITHIN_MS = 2_250;
export const RETRY_RECORD_MS = 250;
/**
 * How long a claim is valid. Longer than starting, sending and recording together, by more than the clocks of two
 * isolates differ; a test checks the sums.
 */
export const CLAIM_LEASE_MS = 15_000;

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
export const SLOW_FOR_MS = 10 * MINUTE_MS;
/** How long a subscription that hangs stays in the slow queue. */
export const MARKED_SLOW_FOR_MS = MINUTE_MS;
/** For this long, an isolate does not mark a subscription as slow again. */
export const MARK_SLOW_AGAIN_MS = 30_000;

/** How long a throttle may take to answer, and how long deliveries wait before they ask again if it does not answer. */
export const THROTTLE_TIMEOUT_MS = 2_000;
export const THROTTLE_RETRY_MS = 5_000;
/** A permit of a dead run is free after this time. Longer than a claim, so that no request is in progress by then. */
export const PERMIT_LEASE_MS = 20_000;
/** A delivery that waits longer for its start gets no message: the sweep finds it. */
export const LONGEST_THROTTLE_MESSAGE_DELAY_MS = 15 * MINUTE_MS;
/**
 * A subscription is throttled if deliveries wait longer than this for their starts. An operational event reports it.
 */
export const THROTTLED_AFTER_MS = HOUR_MS;

/** A new delivery behind a line that ends later than this is put off without being claimed: no run could start it. */
export const FAR_START_MS = LATE_START_WITHIN_MS;
/** A throttled delivery that has come back waits for a start at most this long, instead of behind all others. */
export const RETURNS_WITHIN_MS = 15_000;

/** Held deliveries are released in steps a minute apart, with some tolerance because crons are not exact. */
export const RELEASE_STEP_MS = MINUTE_MS - 5_000;
/** Counting what a subscription holds reads every row of it, so each run counts a part of the subscriptions. */
export const HELD_COUNTED_EVERY_MINUTES = 10;
/**
 * A subscription without a new delivery for this long holds no more than when it was last counted. Long, because runs
 * can be skipped.
 */
export const HELD_GROWING_MS = 3 * HELD_COUNTED_EVERY_MINUTES * MINUTE_MS;

/** The limits of a cooldown, for which a subscription that asked for a pause is sent nothing. */
export const SHORTEST_COOLDOWN_MS = 1_000;
export const LONGEST_COOLDOWN_MS = HOUR_MS;

/** Queues delay messages by whole seconds, so the message of a retry may arrive this much too early. */
export const MAX_EARLY_MS = 1_500;
/**
 * An attempt that is due later than this gets no message: the alarm of the sweep is its timer. A message that is
 * delayed for long would make the age of the oldest message say nothing about the others.
 */
export const LONGEST_MESSAGE_DELAY_MS = 15_000;
/**
 * The sweep takes a delivery that has been due for this long without being claimed, and a retry that may have no
 * message as soon as it is due.
 */
export const QUEUE_GRACE_MS = 5_000;
/**
 * A message counts as lost after this time even if the queue has an older one. The older one may be of a delivery of
 * another database, or of one that is gone. With the interval of sweeps, this stays below the two minutes
 * that decisions.md promises. In a longer backlog, deliveries that only wait are queued twice, and the second message
 * finds nothing to claim.
 */
export const LONGEST_QUEUE_WAIT_MS = 90_000;
/**
 * A swept delivery is not swept again for this long, because its new message may wait in a long queue. If the queues
 * report that they have no message so old, `QUEUE_GRACE_MS` is enough.
 */
export const RESWEEP_AFTER_MS = 60_000;
/**
 * For the next few deliveries of a backlog this time is shorter: if their subscription hung when their message came,
 * nothing else queues them again.
 */
export const RESWEEP_BACKLOG_AFTER_MS = 10_000;
/** For how long a place is kept for a delivery of a lane that has been queued. */
export const PLACE_KEPT_FOR_MS = 500;
/** If an invocation that feeds the lanes of a database, or writes a page of a fan-out, is killed, others do it then. */
export const FEED_LEASE_MS = 5_000;
/** The sweep runs when the next delivery is due, within these bounds. */
export const MAX_SWEEP_INTERVAL_MS = 15_000;
export const MIN_SWEEP_INTERVAL_MS = 5_000;
/** An isolate claims nothing of an overloaded database for so long on average, and twice as long each time, */
export const FIRST_OVERLOAD_REST_MS = 1_000;
/** up to this. */
export const LONGEST_OVERLOAD_REST_MS = 8_000;
/** A message that could not be handled because D1 was down comes again after this time on average, */
const REQUEUE_AFTER_FAULT_SECONDS = 5;
/** and after twice as long each time until this one. */
const LONGEST_REQUEUE_SECONDS = 20;

/** After how many whole seconds a message comes again that a database could not handle at try `tries`, from 1. */
export const requeueAfterFaultSeconds = (tries: number): number =>
  Math.ceil(jittered(Math.min(REQUEUE_AFTER_FAULT_SECONDS * 2 ** (tries - 1), LONGEST_REQUEUE_SECONDS)));
/**
 * The wait after a fault of the service, such as a secret that cannot be decrypted until an operator restores its key.
 */
export const RETRY_AFTER_OUR_FAULT_MS = 5 * MINUTE_MS;
/** The wait after a fault of the runtime, which passes by itself. */
export const RETRY_AFTER_RUNTIME_FAULT_MS = 30_000;

/**
 * Deployments and crashes interrupt any delivery, so the first interruptions do not delay it. The wait doubles with
 * each further one, so that a delivery that kills its consumer does so ever less often.
 */
export const INTERRUPTIONS_WITHOUT_WAIT = 4;
export const FIRST_INTERRUPTION_WAIT_MS = 2_000;
export const LONGEST_INTERRUPTION_WAIT_MS = HOUR_MS;

/**
 * The clocks of isolates differ, and an event's id is made before the event is stored: the time in an id may be this
 * much earlier than the time in its row.
 */
export const ID_BEFORE_MS = 5_000;
/** The time in the id of an attempt may be this much later than its start, because clocks differ. */
export const ID_AHEAD_MS = 3_000;
/** An attempt may start this much later than the time in its id, because a later claim gives it a new one. */
export const OUT_OF_ORDER_MS = LATE_AFTER_MS + LATE_START_WITHIN_MS + ID_AHEAD_MS;
/** A fan-out through the queue has ended by then. A pause during it may have taken effect before some deliveries. */
export const FAN_OUT_TAKES_MS = MINUTE_MS;
/** Retention looks for old attempts this often: for that it looks at every subscription. */
export const ATTEMPTS_REMOVED_EVERY_HOURS = 6;
/**
 * Events are kept this much longer than attempts, because the log shows their payloads and attempts can start later
 * than the event.
 */
export const EVENT_MARGIN_MS = (ATTEMPTS_REMOVED_EVERY_HOURS + 1) * HOUR_MS;

/** For how long the same Idempotency-Key means the same call. */
export const IDEMPOTENCY_WINDOW_MS = DAY_MS;

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
