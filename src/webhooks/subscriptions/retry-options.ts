/** `delivery.retry`: when a failed delivery is tried again. */
import { z } from "zod";
import type { ErrorDetail } from "../../platform/errors";
import { DAY_MS } from "../../platform/time";

const MAX_WAITS = 20;
const MAX_WAIT_SECONDS = 86_400;
const MAX_SCHEDULE_SECONDS = 604_800;

/** The waits between attempts in seconds: ten attempts within 75 hours. */
export const STANDARD_SCHEDULE: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

const sum = (waits: readonly number[]) => waits.reduce((total, wait) => total + wait, 0);

const waits = z.array(z.int().min(1).max(MAX_WAIT_SECONDS)).max(MAX_WAITS);

const schedule = z
  .union([
    z.literal("standard"),
    waits.refine((list) => sum(list) <= MAX_SCHEDULE_SECONDS, `Must add up to at most ${MAX_SCHEDULE_SECONDS} seconds`),
  ])
  .meta({
    description:
      "The waits before the second, third, ... attempt, in seconds: at most 604,800 in total, and at least a day " +
      "less than the retention. " +
      '`"standard"` makes 10 attempts within 75 hours. By default: `[5, 10]`.',
    examples: [[60, 600, 3600]],
  });

const respectRetryAfter = z.boolean().meta({
  description:
    "Whether `Retry-After` can make a wait longer, up to a day, and whether 429 or 503 with this header stops all " +
    "deliveries for up to an " +
    "hour. By default true if there is a schedule.",
  examples: [true],
});

const onGone = z.enum(["disable", "retry"]).meta({
  description:
    "What happens after 410. `disable` ends the delivery, and a second 410 at least a minute later, without a " +
    "success in between, disables " +
    "the subscription. By default `disable` if there is a schedule, otherwise `retry`.",
  examples: ["disable"],
});

const abortHeader = z.boolean().meta({
  description: "Whether the response header `webhook-delivery: abort` ends a delivery that failed. By default false.",
  examples: [true],
});

export const retryChange = z
  .strictObject({
    schedule: schedule.nullable(),
    respectRetryAfter: respectRetryAfter.nullable(),
    onGone: onGone.nullable(),
    abortHeader: abortHeader.nullable(),
  })
  .partial()
  .meta({
    id: "RetryChange",
    description: "How failed deliveries are tried again; null sets a member back to its default.",
  });

export const retryOptions = z
  .object({
    schedule: waits.meta({ description: "The waits between attempts, in seconds.", examples: [[60, 600, 3600]] }),
    respectRetryAfter,
    onGone,
    abortHeader,
  })
  .partial()
  .meta({ id: "RetryOptions", description: "The retry options that are set." });

export type RetryChange = z.infer<typeof retryChange>;
export type RetryOptions = z.infer<typeof retryOptions>;

/** Returns the change as it is stored, with the waits of a named schedule. */
export const retryPatch = (change: RetryChange) => ({
  ...change,
  ...(change.schedule === "standard" ? { schedule: STANDARD_SCHEDULE } : {}),
});

/**
 * Refuses a schedule that is too long for `retentionDays`, because the last attempt must be a day before the event is
 * removed.
 */
export function refuseRetry({ schedule: asked }: RetryChange, retentionDays: number): ErrorDetail[] {
  if (!asked) return [];
  const isStandard = asked === "standard";
  const seconds = sum(isStandard ? STANDARD_SCHEDULE : asked);
  const mostSeconds = ((retentionDays - 1) * DAY_MS) / 1000;
  if (seconds <= mostSeconds) return [];
  const neededDays = Math.ceil((seconds * 1000) / DAY_MS) + 1;
  const message = isStandard
    ? `"standard" needs RETENTION_DAYS of at least ${neededDays}, and it is ${retentionDays}`
    : `Must add up to at most ${mostSeconds} seconds, because deliveries are kept for ${retentionDays} days`;
  return [{ path: "delivery.retry.schedule", message }];
}
