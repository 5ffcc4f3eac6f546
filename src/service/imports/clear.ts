/** What is removed of imports every hour. */

import { thenPause } from "../../base/db/paged-maintenance";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { clearPage, removeOldImport, removeUnusedSettings, stopOldImports } from "./clear-store";

/** The people in an import are kept for so long at most. */
const KEEP_PEOPLE_MS = 7 * DAY_MS;
const KEEP_REPORTS_MS = 90 * DAY_MS;

/** Stops imports that take too long, and removes people that were sent, old reports and settings of no use. */
export const clearImports: PagedMaintenance = async (deps, _shard, _cursor, isOver) => {
  await stopOldImports(deps, deps.now() - KEEP_PEOPLE_MS, deps.now());
  await removeUnusedSettings(deps);
  while (!isOver()) {
    const isCleared = !(await thenPause(deps, () => clearPage(deps)));
    const isRemoved = !(await thenPause(deps, () => removeOldImport(deps, deps.now() - KEEP_REPORTS_MS)));
    if (isCleared && isRemoved) return null;
  }
  return "";
};
