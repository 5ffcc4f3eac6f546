/** Removes accounts whose address was never verified and that nobody uses any more. */
import type { Deps } from "../../platform/deps";
import { log } from "../../platform/log";
import { DAY_MS } from "../../platform/time";
import { deleteAbandonedAccount, findAbandonedAccounts } from "./abandoned-store";

const UNUSED_FOR_MS = 30 * DAY_MS;
/** Bounds one run; the next one continues. */
const MAX_ACCOUNTS = 50;

/** Ends abandoned accounts. The purge of each removes what it leaves behind. */
export async function removeAbandoned(deps: Deps): Promise<void> {
  // Where verification is optional, an unverified account is as good as any other.
  if (deps.config.emailVerification !== "required") return;
  const nowMs = deps.now();
  const sinceMs = nowMs - UNUSED_FOR_MS;
  const userIds = await findAbandonedAccounts(deps, sinceMs, MAX_ACCOUNTS, nowMs);
  let removed = 0;
  for (const userId of userIds) if (await deleteAbandonedAccount(deps, userId, sinceMs, nowMs)) removed += 1;
  if (removed > 0) log("info", "unverified accounts removed", { count: removed });
}
