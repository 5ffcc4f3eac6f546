/** Telling the polls of feeds that there are new events. A wake that is lost only lets a poll wait until its end. */
import { BoundedMap } from "../../base/bounded-map";
import type { Deps } from "../../base/deps";

/** An isolate wakes the polls of a tenant so often at most. */
const WAKE_EVERY_MS = 200;

/** When the polls of a tenant were last woken, or will be, in Unix ms. */
const wokenAtMs = new BoundedMap<number>(500);

/** Wakes the open polls of a tenant. Call it after the commit of its events. */
export async function wakePolls({ feedPolls, now, wait }: Deps, tenantId: string): Promise<void> {
  const nowMs = now();
  const lastMs = wokenAtMs.get(tenantId) ?? 0;
  // A wake that has not been sent yet covers this event too.
  if (lastMs > nowMs && lastMs <= nowMs + WAKE_EVERY_MS) return;
  const atMs = lastMs <= nowMs ? Math.max(nowMs, lastMs + WAKE_EVERY_MS) : nowMs;
  wokenAtMs.set(tenantId, atMs);
  if (atMs > nowMs) await wait(atMs - nowMs);
  await feedPolls.getByName(tenantId).wake();
}
