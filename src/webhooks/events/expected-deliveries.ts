/**
 * Estimates how many deliveries events will have, from the last events of the same types that this isolate has seen.
 */
import { BoundedMap } from "../../base/bounded-map";

/** Bounds the memory. */
const MAX_KNOWN = 10_000;
/** The highest estimate: as much of the budget as an isolate leases at once. */
const MAX_EXPECTED = 500;

const lastCounts = new BoundedMap<number>(MAX_KNOWN);

const keyOf = (tenantId: string, type: string) => `${tenantId} ${type}`;

/**
 * Returns the estimate for all of the events together. `unknown` is the estimate for a type that is new to this
 * isolate.
 */
export function expectedDeliveries(
  tenantId: string,
  events: readonly { type: string }[],
  unknown = MAX_EXPECTED,
): number {
  const expected = events.reduce((sum, { type }) => sum + (lastCounts.get(keyOf(tenantId, type)) ?? unknown), 0);
  return Math.min(expected, MAX_EXPECTED);
}

/** Remembers how many deliveries events had. */
export function noteDeliveries(tenantId: string, events: readonly { type: string; deliveries: number }[]): void {
  for (const { type, deliveries } of events) lastCounts.set(keyOf(tenantId, type), deliveries);
}
