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
  type CountedTo,
  noteCountedTo,
  readCounted,
  readCountedTo,
  readEvents,
  type Usage,
} from "./store";

/** Later events are left for the next run: fan-outs still count their deliveries, and clocks differ. */
const SETTLED_AFTER_MS = HOUR_MS / 2;

/**
 * The most events whose sums are written together: each tenant among them costs a row, so that of many tenants that
 * publish seldom, few events would cost as many rows. They are held in memory: about 10 MB.
 */
export const EVENTS_COUNTED_AT_ONCE = 40_000;
/** The most sums in one statement, whose list may have 2 MB. */
const SUMS_AT_ONCE = 5_000;

/** Goes on behind the last event that it has counted in this database. */
export const countUsage: PagedMaintenance = async (deps, shard, _cursor, isOver) => {
  const until = deps.now() - SETTLED_AFTER_MS;
  let after = (await readCountedTo(deps, shard)) ?? "";
  while (!isOver()) {
    const { events, isLast } = await readMany(deps, shard, { after, until, isOver });
    after = events.at(-1)?.id ?? after;
    if (events.length > 0) await countAll(deps, events, { shard, eventId: after });
    if (isLast) {
      await noteCountedTo(deps, { shard, eventId: firstIdAt(until) });
      return null;
    }
  }
  return "";
};

async function readMany(
  deps: Deps,
  shard: number,
  { after, until, isOver }: { after: string; until: number; isOver: () => boolean },
): Promise<{ events: CountedEvent[]; isLast: boolean }> {
  const pages = new MaintenancePages(deps);
  const events: CountedEvent[] = [];
  let isLast = false;
  do {
    const from = events.at(-1)?.id ?? after;
    const { page, isEnd } = await pages.next(async (limit) => {
      const read = await readEvents(deps.shards.db(shard), { after: from, until, limit });
      return { page: read, isEnd: read.length < limit };
    });
    events.push(...page);
    isLast = isEnd;
  } while (!isLast && events.length < EVENTS_COUNTED_AT_ONCE && !isOver());
  return { events, isLast };
}

/** Counts events. Repeating it changes nothing. */
async function countAll(deps: Deps, events: readonly CountedEvent[], to: CountedTo): Promise<void> {
  // Operational events are about subscriptions. They come from us, so nobody is charged for them.
  const charged = events.filter(({ type }) => !type.startsWith(OPERATIONAL_PREFIX)).map(placed);
  const counted = await readCounted(deps, to.shard, [...new Set(charged.map(({ pair }) => pair))]);
  const usages = usageOf(charged, counted);
  for (let from = 0; from < usages.length; from += SUMS_AT_ONCE) {
    await addUsage(deps, usages.slice(from, from + SUMS_AT_ONCE));
  }
  await noteCountedTo(deps, to);
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
