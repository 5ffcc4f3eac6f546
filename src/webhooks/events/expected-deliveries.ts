/**
 * Estimates how many deliveries events will have, from the last events of the same types that this isolate has seen,
 * and from the filters that let them through.
 */
import { BoundedMap } from "../../base/bounded-map";

/** Bounds the memory. */
const MAX_KNOWN = 10_000;
/** The highest estimate: as much of the budget as an isolate leases at once. */
const MAX_EXPECTED = 500;

/** The estimate for a type that is new to the isolate: within what it may use without asking the limiter. */
const UNKNOWN_EXPECTED = 50;

const lastCounts = new BoundedMap<number>(MAX_KNOWN);

const keyOf = (tenantId: string, type: string) => `${tenantId} ${type}`;

/** An event whose filters were evaluated, if there are any. */
interface Checked {
  type: string;
  fitting?: { included: readonly string[] } | null;
}

const includedOf = ({ fitting }: Checked): number => fitting?.included.length ?? 0;

/**
 * Returns the estimate for all of the events together. `unknown` is the estimate for a type that is new to this
 * isolate.
 */
export function expectedDeliveries(tenantId: string, events: readonly Checked[], unknown = UNKNOWN_EXPECTED): number {
  const expected = events.reduce(
    (sum, event) => sum + (lastCounts.get(keyOf(tenantId, event.type)) ?? unknown) + includedOf(event),
    0,
  );
  return Math.min(expected, MAX_EXPECTED);
}

/** Whether it is a single event, and this isolate knows that the last one of its type had at most `most` deliveries. */
export const hadAtMost = (tenantId: string, [event, ...others]: readonly Checked[], most: number): boolean =>
  event !== undefined &&
  others.length === 0 &&
  (lastCounts.get(keyOf(tenantId, event.type)) ?? Number.POSITIVE_INFINITY) <= most;

/** Remembers how many deliveries an event had. */
export function noteDeliveries(tenantId: string, event: Checked, deliveries: number): void {
  lastCounts.set(keyOf(tenantId, event.type), Math.max(0, deliveries - includedOf(event)));
}
