/**
 * The pace of wide events: a fan-out goes on when its tenant has places for more deliveries. What is not created yet
 * takes no message, no claim and no lane, so however many wide events a tenant has, others wait for one page of them.
 */
import type { Deps } from "../../base/deps";
import { type FanOut, MAX_FAN_OUTS_PER_MESSAGE } from "../../base/messages";
import { enqueue } from "../plane/enqueue";
import { enqueueFanOut } from "../plane/fan-out";
import { FAN_OUT_PAGE, writeFanOutPages } from "../plane/fan-out-store";
import { FEED_LEASE_MS } from "../plane/timing";
import { roomForBacklogs } from "./backlog-room";
import { memory } from "./isolate-memory";
import { keepPlace, Places, placesOfTenant } from "./places";

/** A smaller page would cost more trips than it saves. */
const LEAST_PAGE = 10;

/**
 * Creates the next deliveries of these fan-outs, as many as their tenants have places for, and keeps the places for
 * them. Those of a tenant that has no place, or whose page is being written, wait here until some of its deliveries
 * have ended; if this isolate ends before, the sweep goes on with them. Throws when D1 or the queue is down.
 */
export async function paceFanOuts(deps: Deps, shard: number, fanOuts: readonly FanOut[]): Promise<void> {
  const byTenant = Map.groupBy(fanOuts, ({ tenantId }) => tenantId);
  await Promise.all(Array.from(byTenant, ([tenantId, ofTenant]) => writePage(deps, shard, tenantId, ofTenant)));
}

async function writePage(deps: Deps, shard: number, tenantId: string | undefined, fanOuts: readonly FanOut[]) {
  const room = roomOf(tenantId, deps.now());
  if (room === 0) {
    for (const fanOut of fanOuts) memory.fanOuts.set(fanOut.eventId, { ...fanOut, shard });
    return;
  }
  if (tenantId !== undefined) memory.fanningOutUntilMs.set(tenantId, deps.now() + FEED_LEASE_MS);
  try {
    const { due, next } = await writeFanOutPages(deps.shards.db(shard), fanOuts, room, deps.now());
    for (const key of due) keepPlace(key.id, key, deps.now());
    await enqueue(deps, "slow", shard, due);
    await enqueueFanOut(deps, shard, next);
  } finally {
    if (tenantId !== undefined) memory.fanningOutUntilMs.delete(tenantId);
  }
}

/**
 * Queues the fan-outs that wait here and may go on now: of each tenant, those of one page. Throws when the queue is
 * down.
 */
export async function resumeFanOuts(deps: Deps): Promise<void> {
  for (const [tenantId, ofTenant] of Map.groupBy(memory.fanOuts.values(), (fanOut) => fanOut.tenantId)) {
    if (roomOf(tenantId, deps.now()) === 0) continue;
    const next = ofTenant.slice(0, MAX_FAN_OUTS_PER_MESSAGE);
    for (const { eventId } of next) memory.fanOuts.delete(eventId);
    for (const [shard, ofShard] of Map.groupBy(next, (fanOut) => fanOut.shard)) {
      await enqueueFanOut(
        deps,
        shard,
        ofShard.map(({ shard: _, ...fanOut }) => fanOut),
      );
    }
  }
}

/**
 * How many more deliveries of the tenant may be created; none while other deliveries of it wait or are created. What
 * has nothing in progress may always have a few.
 */
function roomOf(tenantId: string | undefined, nowMs: number): number {
  if (tenantId === undefined) return FAN_OUT_PAGE;
  if (nowMs < (memory.fanningOutUntilMs.get(tenantId) ?? 0)) return 0;
  if (memory.hungry.hasOf(tenantId)) return 0;
  if (placesOfTenant(tenantId) === 0) return Math.max(LEAST_PAGE, roomForBacklogs());
  const places = new Places(nowMs);
  const room = Math.min(
    roomForBacklogs(),
    Math.max(places.of("share", { tenantId }), places.of("quick", { tenantId })),
  );
  return room >= LEAST_PAGE ? room : 0;
}
