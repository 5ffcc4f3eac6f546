/** Removes accounts whose address was never verified and that nobody uses any more. */

import { log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { deleteAbandonedAccount, readAbandonedAccounts } from "./abandoned-store";

const UNUSED_FOR_MS = 30 * DAY_MS;
const PAGE_ACCOUNTS = 50;

/** Ends abandoned accounts. The purge of each removes what it leaves behind. */
export const removeAbandoned: PagedMaintenance = async (deps, _shard, _cursor, isOver) => {
  // Where verification is optional, an unverified account is as good as any other.
  if (deps.config.emailVerification !== "required") return null;
  const nowMs = deps.now();
  const sinceMs = nowMs - UNUSED_FOR_MS;
  const userIds = await readAbandonedAccounts(deps, sinceMs, PAGE_ACCOUNTS, nowMs);
  let [examined, removed] = [0, 0];
  for (const userId of userIds) {
    if (isOver()) break;
    if (await deleteAbandonedAccount(deps, userId, sinceMs, nowMs)) removed += 1;
    examined += 1;
  }
  if (removed > 0) log("info", "unverified accounts removed", { count: removed });
  return examined < PAGE_ACCOUNTS && examined === userIds.length ? null : "";
};
