/**
 * How many deliveries of a subscription may be in progress at once. This isolate learns it from the results: a receiver
 * that answers gets more, however long it takes; one that does not answer, or says that it has too much, gets few.
 */
import { SLOW_FOR_MS } from "../../plane/timing";
import { memory, type Width } from "../isolate-memory";
import type { AttemptResult } from "../record-store";

/** The width of a subscription of which this isolate knows nothing. */
export const FIRST_WIDTH = 10;
export const LEAST_WIDTH = 3;
export const MOST_WIDTH = 128;

const TOO_MANY_REQUESTS = 429;
const UNKNOWN: Width = { width: FIRST_WIDTH, narrowUntil: 0 };

/** Returns how many deliveries of a subscription may be in progress at once. */
export const widthOf = (subscriptionId: string): number => (memory.widths.get(subscriptionId) ?? UNKNOWN).width;

/** What a result says about the width of its subscription. */
export type WidthResult = Pick<
  AttemptResult,
  "subscriptionId" | "status" | "responseCode" | "isSlow" | "cooldownUntil" | "completedAt"
>;

/**
 * Widens a subscription by one for each success, and halves it for each answer that says that the receiver has too
 * much. A pause for which it asked keeps it narrow for as long as it counts as slow.
 */
export function noteResult(result: WidthResult): void {
  const before = memory.widths.get(result.subscriptionId) ?? UNKNOWN;
  memory.widths.set(result.subscriptionId, next(before, result));
}

/** Whether the receiver has too much: it did not answer in time, or said so. */
export const isOverloaded = ({ status, responseCode, isSlow }: Omit<WidthResult, "subscriptionId">): boolean =>
  status === "failed" && (isSlow || responseCode === TOO_MANY_REQUESTS);

function next(before: Width, result: WidthResult): Width {
  const { status, cooldownUntil, completedAt } = result;
  if (cooldownUntil !== null) return { width: LEAST_WIDTH, narrowUntil: cooldownUntil + SLOW_FOR_MS };
  if (completedAt < before.narrowUntil) return before;
  if (status === "success") return { ...before, width: Math.min(before.width + 1, MOST_WIDTH) };
  return isOverloaded(result) ? { ...before, width: Math.max(LEAST_WIDTH, Math.floor(before.width / 2)) } : before;
}
