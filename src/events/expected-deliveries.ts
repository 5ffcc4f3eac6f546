/** How many deliveries the next events will make at most: as many as the last ones of their types, as far as this isolate knows. */

/** Bounds the memory. */
const MAX_KNOWN = 10_000;
/** A guess is never higher: it is what an isolate leases of the budget at once. */
const MOST = 500;

const lastCounts = new Map<string, number>();

const keyOf = (tenantId: string, type: string) => `${tenantId} ${type}`;

/** For all of the events together. A type that is new to this isolate counts as `unknown`. */
export function expectedDeliveries(tenantId: string, events: readonly { type: string }[], unknown = MOST): number {
  const expected = events.reduce((sum, { type }) => sum + (lastCounts.get(keyOf(tenantId, type)) ?? unknown), 0);
  return Math.min(expected, MOST);
}

/** Remembers how many deliveries events have made. */
export function noteDeliveries(tenantId: string, events: readonly { type: string; deliveries: number }[]): void {
  if (lastCounts.size >= MAX_KNOWN) lastCounts.clear();
  for (const { type, deliveries } of events) lastCounts.set(keyOf(tenantId, type), deliveries);
}
