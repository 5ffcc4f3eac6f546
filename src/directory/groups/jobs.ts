/** Every minute: gives the roles that the rules of a directory say, to all of its people, page by page. */
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { SYSTEM } from "../../base/schemas/actor";
import { tellOfLeavers } from "../users/tell";
import { findDueJob, giveRolesOfPage } from "./job-store";

const PAGE = 500;

export const continueRoles: PagedMaintenance = async (deps, _shard, _cursor, isOver) => {
  while (!isOver()) {
    if (!(await giveNext(deps))) return null;
  }
  return "";
};

/** Works on one page. Returns whether there was one. */
async function giveNext(deps: Deps): Promise<boolean> {
  const nowMs = deps.now();
  const job = await findDueJob(deps, PAGE, nowMs);
  if (!job) return false;
  const { connectionId, tenantId, name, settings } = job;
  const actor = { ...SYSTEM, kind: "connection", id: connectionId, name } as const;
  const directory = { connectionId, tenantId, roles: settings.roles, actor };
  await giveRolesOfPage(deps, job, directory, nowMs);
  tellOfLeavers(deps, directory);
  return true;
}
