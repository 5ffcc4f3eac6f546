/** Removes expired sessions, mailed tokens and invitations. */
import type { Deps } from "../deps";
import { log } from "../log";
import { DAY_MS } from "../time";
import { deleteExpiredOfAllTenants } from "./store";

/** For this time an expired token is answered as expired, afterwards as unknown. */
const KEEP_EXPIRED_MS = 30 * DAY_MS;
const PAGE_ROWS = 500;
/** Bounds one run; the next one continues. */
const MAX_PAGES = 50;

/** Deletes expired rows page by page. */
export async function sweepExpired(deps: Deps): Promise<void> {
  const expiredBefore = deps.now() - KEEP_EXPIRED_MS;
  let removed = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const deleted = await deleteExpiredOfAllTenants(deps, expiredBefore, PAGE_ROWS);
    removed += deleted;
    if (deleted < PAGE_ROWS) break;
  }
  if (removed > 0) log("info", "expired rows removed", { count: removed });
}
