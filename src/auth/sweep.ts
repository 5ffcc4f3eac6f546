/** Removes what has ended: sessions, mailed tokens, invitations, API keys, devices that were not seen again, and accounts that were never verified. */
import { forgetUser } from "../audit/forget";
import type { Deps } from "../deps";
import { log } from "../log";
import { KNOWN_DEVICE_MS } from "../sessions/known-devices-store";
import { deleteSubscriptionsOfTenant } from "../subscriptions/tenant-store";
import { DAY_MS } from "../time";
import { deleteAbandonedAccount, deleteEnded, findAbandonedAccounts } from "./sweep-store";

/** For this time an expired token is answered as expired, afterwards as unknown. */
const KEEP_ENDED_MS = 30 * DAY_MS;
const PAGE_ROWS = 500;
const PAGE_ACCOUNTS = 50;
/** Bounds one run; the next one continues. */
const MAX_PAGES = 50;

/** Deletes ended rows page by page, then abandoned accounts. */
export async function sweepExpired(deps: Deps): Promise<void> {
  const endedBefore = deps.now() - KEEP_ENDED_MS;
  const oldest = { endedAt: endedBefore, deviceSeenAt: deps.now() - KNOWN_DEVICE_MS };
  let removed = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const deleted = await deleteEnded(deps, oldest, PAGE_ROWS);
    removed += deleted;
    if (deleted < PAGE_ROWS) break;
  }
  if (removed > 0) log("info", "expired rows removed", { count: removed });
  // Without verification, an unverified account is as good as any other.
  if (deps.config.emailVerification === "required") await sweepAbandoned(deps, endedBefore);
}

async function sweepAbandoned(deps: Deps, expiredBefore: number): Promise<void> {
  const accounts = await findAbandonedAccounts(deps, expiredBefore, PAGE_ACCOUNTS, deps.now());
  let removed = 0;
  for (const account of accounts) {
    for (const tenant of account.tenants) await deleteSubscriptionsOfTenant(deps, tenant, deps.now());
    if (!(await deleteAbandonedAccount(deps, account, deps.now()))) continue;
    removed += 1;
    await forgetUser(deps, account.userId);
  }
  if (removed > 0) log("info", "unverified accounts removed", { count: removed });
}
