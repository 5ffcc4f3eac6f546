/** Removes accounts that a tenant's own sign-on has made, and that have had no tenant for 30 days. */
import { jsonOf } from "../../base/json";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { deleteLeftAccount, type IdentityPlace, readLeftAccounts } from "./left-accounts-store";

const KEPT_FOR_MS = 30 * DAY_MS;
const PAGE_IDENTITIES = 500;
const BEGINNING: IdentityPlace = ["", 0, ""];

/** Goes through the identities of all connections. The purge of each account removes what it leaves behind. */
export const removeLeftAccounts: PagedMaintenance = async (deps, _shard, cursor) => {
  const nowMs = deps.now();
  const sinceMs = nowMs - KEPT_FOR_MS;
  const place = cursor === "" ? BEGINNING : (jsonOf(cursor) as IdentityPlace);
  const { userIds, next } = await readLeftAccounts(deps, place, PAGE_IDENTITIES, sinceMs);
  for (const userId of userIds) await deleteLeftAccount(deps, userId, sinceMs, nowMs);
  return next && JSON.stringify(next);
};
