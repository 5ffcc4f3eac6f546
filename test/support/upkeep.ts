/** The upkeep of every database, run by the test instead of by the objects, until nothing is left. */

import type { Deps } from "../../src/base/deps";
import type { PagedMaintenance } from "../../src/base/maintenance";
import { begin, type OpenJob, type Period, runJobs } from "../../src/service/upkeep/run-jobs";
import { JOBS } from "../../src/upkeep";

/** Runs one piece of work in every database to its end. */
export async function maintain(deps: Deps, work: PagedMaintenance): Promise<void> {
  for (const shard of deps.shards.numbers) {
    for (let cursor: string | null = ""; cursor !== null; ) cursor = await work(deps, shard, cursor, () => false);
  }
}

/** Runs the jobs of a period. Returns how many runs the upkeep objects would have made. */
export async function runUpkeep(deps: Deps, period: Period): Promise<number> {
  let runs = 0;
  for (const shard of deps.shards.numbers) {
    let open: OpenJob[] = begin(JOBS, [], period, shard);
    for (let mayContinue = true; mayContinue; runs += 1)
      ({ open, mayContinue } = await runJobs(deps, JOBS, open, shard));
  }
  return runs;
}
