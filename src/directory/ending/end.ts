/** Every minute: deletes what directories have left whose connection was deleted, page by page. */
import type { PagedMaintenance } from "../../base/maintenance";
import { deleteRecords, endEnding, findEnding } from "./ending-store";

const PAGE = 500;

/** Needs no cursor: what is done is gone. */
export const endDirectories: PagedMaintenance = async (deps, _shard, _cursor, isOver) => {
  while (!isOver()) {
    const connectionId = await findEnding(deps, deps.now());
    if (connectionId === undefined) return null;
    if ((await deleteRecords(deps, connectionId, PAGE)) === 0) await endEnding(deps, connectionId);
  }
  return "";
};
