/** The upkeep of every database, run by the test instead of by the objects, until nothing is left. */

import type { Deps } from "../../src/base/deps";
import type { PagedMaintenance } from "../../src/base/maintenance";
import { begin, type OpenJob, type Period, runJobs } from "../../src/service/upkeep/run-jobs";
import { JOBS } from "../../src/upkeep";

/** Leaves out the pauses between pages. They are for others, who are not there in a test. */
export const unpaused = (deps: Deps): Deps => ({ ...deps, wait: async () => undefined });

/** Counts the statements from here on: the objects make each run in an invocation of its own. */
const beginRun = ({ trips }: Deps): void => {
  trips.statements = 0;
};

/** Runs one piece of work in every database to its end, without pauses. */
export async function maintain(paused: Deps, work: PagedMaintenance): Promise<void> {
  const deps = unpaused(paused);
  for (const shard of deps.shards.numbers) {
    for (let cursor: string | null = ""; cursor !== null; ) {
      cursor = await work(deps, shard, cursor, () => {
        beginRun(deps);
        return false;
      });
    }
  }
}

/** Runs the jobs of a period, without pauses. Returns how many runs the upkeep objects would have made. */
export async function runUpkeep(paused: Deps, period: Period): Promise<number> {
  const deps = unpaused(paused);
  let runs = 0;
  for (const shard of deps.shards.numbers) {
    let open: OpenJob[] = begin(JOBS, [], period, shard);
    for (let mayContinue = true; mayContinue; runs += 1) {
      beginRun(deps);
      ({ open, mayContinue } = await runJobs(deps, JOBS, open, shard));
    }
  }
  return runs;
}
