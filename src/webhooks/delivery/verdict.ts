/**
 * Decides what follows from an attempt: when the delivery is tried again, and whether its subscription is slow, held or
 * gone.
 */
import type { RetryOptions } from "../options/retry-options";
import { ABORTED, GONE, TIMED_OUT } from "../plane/reasons";
import {
  DEFAULT_SCHEDULE,
  LONGEST_COOLDOWN_MS,
  retryWaitMs,
  SHORTEST_COOLDOWN_MS,
  SLOW_SEND_MS,
} from "../plane/timing";
import { retryAfterMs } from "./retry-after";
import type { SendOutcome } from "./send";

/** The statuses of an overloaded subscriber, or of its proxy. */
const OVERLOADED: readonly (number | null)[] = [502, 503, 504];
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
const GONE_STATUS = 410;

/** `delivery.retry` with its defaults. */
export interface RetryPolicy {
  /** The waits between attempts, in seconds. */
  schedule: readonly number[];
  respectRetryAfter: boolean;
  onGone: "disable" | "retry";
  abortHeader: boolean;
}

/**
 * Returns the options with their defaults. The defaults are the specified behaviour, except for a subscription with its
 * own schedule.
 */
export function retryPolicy(retry: RetryOptions | undefined): RetryPolicy {
  const hasSchedule = retry?.schedule !== undefined;
  return {
    schedule: retry?.schedule ?? DEFAULT_SCHEDULE,
    respectRetryAfter: retry?.respectRetryAfter ?? hasSchedule,
    onGone: retry?.onGone ?? (hasSchedule ? "disable" : "retry"),
    abortHeader: retry?.abortHeader ?? false,
  };
}

export interface Verdict {
  /** When the next attempt is due, Unix ms; null when the delivery has ended. */
  nextDueAt: number | null;
  error: string | null;
  /** Whether the subscription moves to the slow queue. */
  isSlow: boolean;
  /** Whether the subscriber answered 410, and this may disable the subscription. */
  isGone: boolean;
  /** The end of the cooldown that the subscriber asked for, Unix ms; null without one. */
  cooldownUntil: number | null;
}

/** Returns what follows from the outcome of attempt number `attemptCount`. `random` is in [0, 1). */
export function verdictOf(
  policy: RetryPolicy,
  attemptCount: number,
  outcome: SendOutcome,
  { startedAt, completedAt }: { startedAt: number; completedAt: number },
  random: number,
): Verdict {
  const { status, responseCode, error } = outcome;
  const isThrottled = policy.respectRetryAfter && responseCode === TOO_MANY_REQUESTS;
  const isOverloaded = error === TIMED_OUT || isThrottled || OVERLOADED.includes(responseCode);
  const isSlow = isOverloaded || completedAt - startedAt >= SLOW_SEND_MS;
  const askedMs = policy.respectRetryAfter ? retryAfterMs(outcome.retryAfter, completedAt) : null;
  const asksForPause = askedMs !== null && (responseCode === TOO_MANY_REQUESTS || responseCode === UNAVAILABLE);
  const cooldownUntil = asksForPause
    ? completedAt + Math.min(Math.max(askedMs, SHORTEST_COOLDOWN_MS), LONGEST_COOLDOWN_MS)
    : null;
  const ended = { nextDueAt: null, isSlow, isGone: false, cooldownUntil };
  if (status === "success") return { ...ended, error: null };
  if (responseCode === GONE_STATUS && policy.onGone === "disable") return { ...ended, error: GONE, isGone: true };
  if (outcome.asksToAbort && policy.abortHeader) return { ...ended, error: ABORTED };
  const waitMs = retryWaitMs(attemptCount, policy.schedule, random);
  if (waitMs === null) return { ...ended, error };
  return { ...ended, error, nextDueAt: completedAt + Math.max(waitMs, askedMs ?? 0) };
}
