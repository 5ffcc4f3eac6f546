/** Counts every six hours what each tenant has published, by months, so that a product can charge for it. */

import { firstIdAt, timeOfId } from "../../base/db/ids";
import { MaintenancePages } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { OPERATIONAL_PREFIX } from "../../base/schemas/event-type";
import { HOUR_MS } from "../../base/time";
import {
  addUsage,
  type CountedEvent,
  noteCountedTo,
  readCounted,
  readCountedTo,
  readEvents,
  type Usage,
} from "./store";

/** Later events are left for the next run: fan-outs still count their deliveries, and clocks differ. */
const SETTLED_AFTER_MS = HOUR_MS / 2;

/** Goes on behind the last event that it has counted in this database. */
export const countUsage: PagedMaintenance = async (deps, shard, _cursor, isOver) => {
  const pages = new MaintenancePages(deps);
  const until = deps.now() - SETTLED_AFTER_MS;
  let after = (await readCountedTo(deps, shard)) ?? "";
  while (!isOver()) {
    const from = after;
    const page = await pages.next((limit) => countPage(deps, shard, { from, until, limit }));
    if (page.isLast) {
      await noteCountedTo(deps, { shard, eventId: firstIdAt(until) });
      return null;
    }
    after = page.last;
  }
  return "";
};

/** Counts a page of events. Repeating it changes nothing. */
async function countPage(
  deps: Deps,
  shard: number,
  { from, until, limit }: { from: string; until: number; limit: number },
): Promise<{ last: string; isLast: boolean }> {
  const events = await readEvents(deps.shards.db(shard), { after: from, until, limit });
  const last = events.at(-1)?.id ?? from;
  if (last !== from) {
    // Operational events are about subscriptions. They come from us, so nobody is charged for them.
    const charged = events.filter(({ type }) => !type.startsWith(OPERATIONAL_PREFIX)).map(placed);
    const counted = await readCounted(deps, shard, [...new Set(charged.map(({ pair }) => pair))]);
    await addUsage(deps, usageOf(charged, counted), { shard, eventId: last });
  }
  return { last, isLast: events.length < limit };
}

type Placed = CountedEvent & { month: string; pair: string };

/** `pair` names the tenant and the month, as JSON. */
function placed(event: CountedEvent): Placed {
  const month = new Date(timeOfId(event.id)).toISOString().slice(0, 7);
  return { ...event, month, pair: JSON.stringify([event.tenantId, month]) };
}

/** By tenant and month, of the events that were not counted before. */
function usageOf(events: readonly Placed[], counted: ReadonlyMap<string, string>): Usage[] {
  const usages = new Map<string, Usage>();
  for (const { id, tenantId, month, pair, deliveries, bytes } of events) {
    const after = counted.get(pair);
    if (after === undefined || id <= after) continue;
    const sum = usages.get(pair) ?? { tenantId, month, events: 0, deliveries: 0, bytes: 0, after, last: id };
    usages.set(pair, {
      ...sum,
      events: sum.events + 1,
      deliveries: sum.deliveries + deliveries,
      bytes: sum.bytes + bytes,
      last: id,
    });
  }
  return [...usages.values()];
}
