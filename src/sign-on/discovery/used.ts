/** Whether anybody signs on: while nobody does, the pages for signing in ask for nothing more. */
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import { hasActiveConnection } from "./store";

const REMEMBERED_MS = MINUTE_MS;

let known = { isUsed: false, readAt: Number.NEGATIVE_INFINITY };

/** Read at most once a minute in an isolate. */
export async function isSignOnUsed(deps: Deps): Promise<boolean> {
  const nowMs = deps.now();
  if (nowMs - known.readAt >= REMEMBERED_MS) known = { isUsed: await hasActiveConnection(deps), readAt: nowMs };
  return known.isUsed;
}
