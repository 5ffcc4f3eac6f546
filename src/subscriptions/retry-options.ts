/** `delivery.retry`: when a failed delivery is tried again. */
import { z } from "zod";
import type { ErrorDetail } from "../errors";
import { DAY_MS } from "../time";

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
      "The waits before the second, third, ... attempt, in seconds, together at most 604,800 and one day less than deliveries are kept. " +
      '`"standard"` makes 10 attempts within 75 hours. By default: `[5, 10]`.',
    examples: [[60, 600, 3600]],
  });

export const retryChange = z.strictObject({ schedule: schedule.nullable() }).partial().meta({ id: "RetryChange" });

export const retryOptions = z
  .object({ schedule: waits.meta({ examples: [[60, 600, 3600]] }) })
  .partial()
  .meta({ id: "RetryOptions" });

export type RetryChange = z.infer<typeof retryChange>;
export type RetryOptions = z.infer<typeof retryOptions>;

/** The change as it is stored: a named schedule as its waits. */
export const retryPatch = (change: RetryChange) => ({
  ...change,
  ...(change.schedule === "standard" ? { schedule: STANDARD_SCHEDULE } : {}),
});

/** What a deployment that keeps deliveries for `retentionDays` can't promise: the last attempt must come a day before the event goes. */
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
