/** The upkeep of one delivery database: jobs in turns, in runs that are small enough for one invocation. */

import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";

export type Period = "minute" | "hour";

export interface Job {
  every: Period;
  /** It begins in one of so many hours only: it reads much of which little can be due. */
  everyHours?: number;
  /** Whether it only works on the control plane, which is in database 0. */
  isForControlPlane?: boolean;
  run: PagedMaintenance;
}

/** The jobs by their names, in the order in which a period begins them. */
export type Jobs = Readonly<Record<string, Job>>;

/** A job that is not finished, and where it continues. */
export interface OpenJob {
  name: string;
  cursor: string;
}

/**
 * The calls to D1 in one run, besides those of a page that has begun. The platform refuses those of an invocation after
 * the first 1,000, and it is not known whether it counts the statements of a batch.
 */
const RUN_CALLS = 300;
/** Below the 10 s of CPU time that `cpu_ms` allows: whatever a run does, it ends by itself. */
export const RUN_MS = 8_000;
/** What a job may use before it is the next one's turn. */
const TURN_CALLS = 50;
/** The most calls of any job between two questions whether its turn is over: the budget of what it does at a time. */
export const PAGE_CALLS = 25;
const TURN_MS = 4_000;

/**
 * Adds the jobs of a period to those that are open. Those of a minute come first, because they have little to do. Logs
 * the jobs of an hour that have not ended since the hour before. `hour` counts from 1970; databases differ in the hour
 * in which a seldom job begins, and by default all begin.
 */
export function begin(
  jobs: Jobs,
  open: readonly OpenJob[],
  period: Period,
  shard: number,
  hour: number = shard,
): OpenJob[] {
  const isOpen = (name: string) => open.some((one) => one.name === name);
  const wanted = Object.entries(jobs).flatMap(([name, { every, everyHours = 1, isForControlPlane = false }]) => {
    const isDue = every === period && (hour - shard) % everyHours === 0;
    return isDue && (shard === 0 || !isForControlPlane) ? [name] : [];
  });
  if (period === "hour") {
    for (const job of wanted.filter(isOpen)) log("warn", "upkeep does not keep up", { shard, job });
  }
  const begun = wanted.filter((name) => !isOpen(name)).map((name) => ({ name, cursor: "" }));
  return period === "minute" ? [...begun, ...open] : [...open, ...begun];
}

/**
 * Works on the open jobs in turns, until none is left or the run has used up its calls or its time. Returns those that
 * are left. A job that fails is logged and waits; `mayContinue` says whether others are left.
 */
export async function runJobs(
  deps: Deps,
  jobs: Jobs,
  open: readonly OpenJob[],
  shard: number,
): Promise<{ open: OpenJob[]; mayContinue: boolean }> {
  const isRunOver = budget(deps, RUN_CALLS, RUN_MS);
  const waiting: OpenJob[] = [];
  const next = [...open];
  while (!isRunOver()) {
    const job = next.shift();
    if (job === undefined) break;
    const isTurnOver = budget(deps, TURN_CALLS, TURN_MS);
    try {
      const cursor = await jobs[job.name]?.run(deps, shard, job.cursor, () => isTurnOver() || isRunOver());
      if (typeof cursor === "string") next.push({ ...job, cursor });
    } catch (error) {
      log("error", "upkeep failed", { shard, job: job.name, ...describeError(error) });
      waiting.push(job);
    }
  }
  return { open: [...next, ...waiting], mayContinue: next.length > 0 };
}

/** The statements of a call to D1 on average. The platform may count each of them. */
const STATEMENTS_PER_CALL = 2;

/** Says when so many calls to D1, twice as many statements, or so much time, have been used. */
export function budget({ trips, now }: Pick<Deps, "trips" | "now">, calls: number, ms: number): () => boolean {
  const [lastTrip, endMs] = [trips.trips + calls, now() + ms];
  const sent = () => trips.statements ?? 0;
  const lastStatement = sent() + STATEMENTS_PER_CALL * calls;
  return () => trips.trips >= lastTrip || sent() >= lastStatement || now() >= endMs;
}
