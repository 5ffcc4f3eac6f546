/**
 * Removes the rows of clients that were deleted or whose grants were ended: later, when their tokens have expired, so
 * that no row of a grant has to revoke its own.
 */
import { thenPause } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { REVOCABLE_SECONDS } from "../../identity/tokens/revocations-store";
import { type Ending, readEndings, removeConsents, removeEndings, removeGrants } from "./endings-store";

/** So many that the cursor, which names them, stays small. */
const ENDINGS_PER_RUN = 20;

/** Which clients a run is about, and where it is. */
interface Progress {
  endings: Ending[];
  table: "grants" | "consents";
  cursor: string;
}

const STEPS = { grants: removeGrants, consents: removeConsents };

/** Goes through both tables once for all clients that wait. Reads one row where none does. */
export const removeEndedGrants: PagedMaintenance = async (deps, _shard, cursor, isOver) => {
  let at = cursor === "" ? await start(deps) : (JSON.parse(cursor) as Progress);
  while (at && !isOver()) {
    const { table, endings, cursor: from } = at;
    const next = await thenPause(deps, () => STEPS[table](deps, endings, from));
    if (next !== null) at = { ...at, cursor: next };
    else if (at.table === "grants") at = { ...at, table: "consents", cursor: "" };
    else {
      await removeEndings(deps, at.endings);
      at = await start(deps);
    }
  }
  return at && JSON.stringify(at);
};

async function start(deps: Deps): Promise<Progress | null> {
  const endings = await readEndings(deps, deps.now() - REVOCABLE_SECONDS * 1000, ENDINGS_PER_RUN);
  return endings.length === 0 ? null : { endings, table: "grants", cursor: "" };
}
