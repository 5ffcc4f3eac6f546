/** Every minute: records whom deleted connections have removed, and deletes what they have left, page by page. */
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { recordPage } from "../../sign-on/connections/removed-store";
import { deleteRecords, endEnding, findEnding, type LeftWork } from "./ending-store";

const PAGE = 500;

/** Needs no cursor: what is done is gone. */
export const endDirectories: PagedMaintenance = async (deps, _shard, _cursor, isOver) => {
  while (!isOver()) {
    const job = await findEnding(deps, deps.now());
    if (job === undefined) return null;
    await continueEnding(deps, job);
  }
  return "";
};

async function continueEnding(deps: Deps, job: LeftWork): Promise<void> {
  if ("actor" in job) return recordPage(deps, job, deps.now());
  if ((await deleteRecords(deps, job.connectionId, PAGE)) === 0) await endEnding(deps, job.connectionId);
}
