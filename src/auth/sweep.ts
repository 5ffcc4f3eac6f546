/** Removes what has expired: sessions, mailed tokens, invitations. */
import type { Deps } from "../deps";
import { log } from "../log";
import { DAY_MS } from "../time";
import { deleteExpiredOfAllTenants } from "./store";

/** Expired rows answer "has expired" for so long; after that they are unknown. */
const KEEP_EXPIRED_MS = 30 * DAY_MS;
const PAGE_ROWS = 500;
/** Bounds one run; the next one takes the rest. */
const MAX_PAGES = 50;

/** Deletes expired rows page by page. */
export async function sweepExpired(deps: Deps): Promise<void> {
  const expiredBefore = deps.now() - KEEP_EXPIRED_MS;
  let removed = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const gone = await deleteExpiredOfAllTenants(deps, expiredBefore, PAGE_ROWS);
    removed += gone;
    if (gone < PAGE_ROWS) break;
  }
  if (removed > 0) log("info", "expired rows removed", { count: removed });
}
