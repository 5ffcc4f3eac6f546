/**
 * The pace of wide events: a fan-out goes on when its tenant has places for more deliveries. What is not created yet
 * takes no message, no claim and no lane, so however wide an event is, others wait for one page of it.
 */
import type { Deps } from "../../base/deps";
import type { FanOut } from "../../base/messages";
import { continueFanOuts, enqueueFanOut } from "../plane/fan-out";
import { FAN_OUT_PAGE } from "../plane/fan-out-store";
import { memory } from "./isolate-memory";
import { Places } from "./places";

/** A smaller page would cost more trips than it saves. */
const LEAST_PAGE = 50;

/**
 * Creates the next deliveries of each fan-out, as many as their tenants have places for. A fan-out whose tenant has
 * none waits here until some of its deliveries have ended; if this isolate ends before, the sweep goes on with it.
 * Throws when D1 or the queue is down.
 */
export async function paceFanOuts(deps: Deps, shard: number, fanOuts: readonly FanOut[]): Promise<void> {
  const { waiting = [], ready = [] } = Object.groupBy(fanOuts, (fanOut) =>
    roomOf(fanOut, deps.now()) === 0 ? "waiting" : "ready",
  );
  for (const fanOut of waiting) memory.fanOuts.set(fanOut.eventId, { ...fanOut, shard });
  if (ready.length === 0) return;
  const rooms = ready.map((fanOut) => roomOf(fanOut, deps.now()));
  const most = Math.min(...rooms.map((room) => Math.max(LEAST_PAGE, room))) * ready.length;
  await continueFanOuts(deps, shard, ready, Math.min(most, FAN_OUT_PAGE));
}

/** Queues the fan-outs that wait here and may go on now. Throws when the queue is down. */
export async function resumeFanOuts(deps: Deps): Promise<void> {
  const ready = [...memory.fanOuts.values()].filter((fanOut) => roomOf(fanOut, deps.now()) > 0);
  for (const { eventId } of ready) memory.fanOuts.delete(eventId);
  for (const [shard, ofShard] of Map.groupBy(ready, (fanOut) => fanOut.shard)) {
    await enqueueFanOut(
      deps,
      shard,
      ofShard.map(({ shard: _, ...fanOut }) => fanOut),
    );
  }
}

/** For how many more deliveries the tenant has places; none while other deliveries of it wait for theirs. */
function roomOf({ tenantId }: FanOut, nowMs: number): number {
  if (tenantId === undefined) return FAN_OUT_PAGE;
  for (const lane of memory.hungry.values()) if (lane.tenantId === tenantId) return 0;
  return new Places(nowMs).ofShare({ tenantId });
}
