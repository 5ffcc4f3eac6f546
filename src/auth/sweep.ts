/** Removes what has expired: sessions, mailed tokens, invitations. */
import type { Deps } from "../deps";
import { log } from "../log";
import { deleteExpiredOfAllTenants } from "./store";

const DAY_MS = 24 * 3_600_000;
/** Expired rows answer "has expired" for so long; after that they are unknown. */
const KEEP_EXPIRED_MS = 30 * DAY_MS;
const PAGE_ROWS = 500;

/** Deletes one page of each kind; the next run takes the rest. */
export async function sweepExpired(deps: Deps): Promise<void> {
  const removed = await deleteExpiredOfAllTenants(deps, deps.now() - KEEP_EXPIRED_MS, PAGE_ROWS);
  if (removed > 0) log("info", "expired rows removed", { removed });
}
