/**
 * How many calls to D1 a scheduled job may make. D1 refuses the calls of an invocation after the first 1,000, and the
 * jobs of a cron trigger share one, so a job without a budget could stop all those after it. The budgets of a trigger
 * add up to less than 1,000, which leaves some for short jobs. Re-encryption has no budget, because it must see every
 * secret to know which keys are missing; so it is last.
 */

import type { TripCount } from "./client";
import type { Shards } from "./shards";

interface Counted {
  trips: TripCount;
}

/** Returns whether `calls` more calls have been made, as a function. */
export function callBudget({ trips }: Counted, calls: number): () => boolean {
  const end = trips.trips + calls;
  return () => trips.trips >= end;
}

/** Goes through the shards and divides `calls` among them. What a shard leaves over is divided among those after it. */
export function* shardsWithBudgets(
  deps: Counted & { shards: Shards },
  calls: number,
): Generator<{ shard: number; isSpent: () => boolean }> {
  const { numbers } = deps.shards;
  const end = deps.trips.trips + calls;
  for (const [index, shard] of numbers.entries()) {
    yield { shard, isSpent: callBudget(deps, Math.floor((end - deps.trips.trips) / (numbers.length - index))) };
  }
}
