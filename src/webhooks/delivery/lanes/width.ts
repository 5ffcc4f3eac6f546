/**
 * How many deliveries of a slow subscription may be in progress at once. This isolate learns it from the results: a
 * subscriber that is slow but answers gets more, one that does not answer gets few.
 */
import { isInMain } from "../../plane/outbox-store";
import { SLOW_FOR_MS } from "../../plane/timing";
import { memory, type Width } from "../isolate-memory";
import type { AttemptResult } from "../record-store";

/** Also the width of a lane of which this isolate knows nothing. So few that they leave connections to the others. */
export const LEAST_WIDTH = 3;
const MOST_WIDTH = 50;

const NARROW: Width = { width: LEAST_WIDTH, narrowUntil: 0 };

/** Returns how many deliveries of a subscription that is slow or has a lane may be in progress at once. */
export const widthOf = (subscriptionId: string): number => (memory.widths.get(subscriptionId) ?? NARROW).width;

/** What a result says about the width of a lane. Its `queue` is "" if the delivery was not in a lane. */
export type LaneResult = Pick<
  AttemptResult,
  "queue" | "subscriptionId" | "status" | "isSlow" | "cooldownUntil" | "completedAt"
>;

/**
 * Widens a lane by one for each success, and halves it for each timeout. Only results in a lane widen it. A pause for
 * which the receiver asked keeps it narrow for as long as its subscription counts as slow.
 */
export function noteResult(result: LaneResult): void {
  const { subscriptionId, cooldownUntil } = result;
  const known = memory.widths.get(subscriptionId);
  if (isInMain(result) && known === undefined && cooldownUntil === null) return;
  memory.widths.set(subscriptionId, next(known ?? NARROW, result));
}

function next(before: Width, { status, isSlow, cooldownUntil, completedAt }: LaneResult): Width {
  if (cooldownUntil !== null) return { ...NARROW, narrowUntil: cooldownUntil + SLOW_FOR_MS };
  if (completedAt < before.narrowUntil) return before;
  if (status === "success") return { ...before, width: Math.min(before.width + 1, MOST_WIDTH) };
  return isSlow ? { ...before, width: Math.max(LEAST_WIDTH, Math.floor(before.width / 2)) } : before;
}
