/**
 * How many calls to D1 a job may make. D1 refuses the calls of an invocation after the first 1,000, and the jobs of an
 * upkeep object share one.
 */
import type { TripCount } from "./client";

/** Returns whether `calls` more calls have been made, as a function. */
export function callBudget({ trips }: { trips: TripCount }, calls: number): () => boolean {
  const end = trips.trips + calls;
  return () => trips.trips >= end;
}
