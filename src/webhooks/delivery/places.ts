/**
 * The places of this isolate: who may have how many deliveries in progress, from claim to answer. Every bound is
 * a number of deliveries, and none is a time: what a receiver takes counts against its own subscription and tenant,
 * never against others.
 */

import { NARROW_EVERY_MS, TARGET_DELAY_MS } from "../plane/timing";
import { MOST_PLACES, memory } from "./isolate-memory";
import { widthOf } from "./lanes/width";
import { countUntilEnd } from "./send-load";

/** The most deliveries in progress of one tenant. */
export const MOST_OF_TENANT = 160;
/**
 * All tenants together have `MOST_PLACES`, except that each may always have a few. While claims are answered late,
 * there are fewer: what many have in progress takes the time of the isolate and of the database, which others need too.
 */
const FEWEST_IN_ALL = 16;
const ALWAYS = 5;

/**
 * Notes how long a claim took, of which nearly all is waiting for others. Backlogs give way as background transports do
 * (RFC 6817): fewer places after a delay above the target, one more after each other answer.
 */
export function noteDelay(delayMs: number, nowMs: number): void {
  if (delayMs <= TARGET_DELAY_MS) memory.mostInAll = Math.min(MOST_PLACES, memory.mostInAll + 1);
  else if (nowMs - memory.narrowedMs >= NARROW_EVERY_MS) {
    memory.mostInAll = Math.max(FEWEST_IN_ALL, Math.floor(memory.mostInAll * 0.8));
    memory.narrowedMs = nowMs;
  }
}

/** Whose delivery it is. Those of messages of the former release name no tenant. */
export interface Owned {
  subscriptionId: string;
  tenantId?: string | undefined;
}

/** Counts what is planned beside what is in progress. */
export class Places {
  readonly #ofSubscriptions = new Map<string, number>();
  readonly #ofTenants = new Map<string, number>();
  #inAll = 0;

  /** Returns how many more may be in progress. */
  free(owned: Owned): number {
    return Math.min(this.ofWidth(owned), this.#ofShare(owned));
  }

  /** Returns how many more the subscription itself may have, whatever its tenant and the others do. */
  ofWidth({ subscriptionId: id }: Owned): number {
    return widthOf(id) - countOf(memory.places.ofSubscriptions, id) - countOf(this.#ofSubscriptions, id);
  }

  #ofShare({ tenantId: id = "" }: Owned): number {
    const taken = countOf(memory.places.ofTenants, id) + countOf(this.#ofTenants, id);
    return Math.max(
      ALWAYS - taken,
      Math.min(MOST_OF_TENANT - taken, memory.mostInAll - memory.places.inAll - this.#inAll),
    );
  }

  /** Plans one more. Returns false if there is no place for it. */
  plan(owned: Owned): boolean {
    if (this.free(owned) <= 0) return false;
    add(this.#ofSubscriptions, owned.subscriptionId, 1);
    add(this.#ofTenants, owned.tenantId ?? "", 1);
    this.#inAll += 1;
    return true;
  }
}

/** Whether one more may be in progress. */
export const hasPlace = (owned: Owned): boolean => new Places().free(owned) > 0;

/** Whether the subscription itself has a place, whatever its tenant and the others do. */
export const isWithinWidth = (owned: Owned): boolean => new Places().ofWidth(owned) > 0;

/** How many deliveries of a tenant are in progress. */
export const placesOfTenant = (tenantId = ""): number => countOf(memory.places.ofTenants, tenantId);

/** Takes a place. Call the returned function when the delivery is not in progress any more. */
export function takePlace({ subscriptionId, tenantId = "" }: Owned, nowMs: number): () => void {
  const { places } = memory;
  const count = (difference: number) => {
    add(places.ofSubscriptions, subscriptionId, difference);
    add(places.ofTenants, tenantId, difference);
    places.inAll += difference;
  };
  count(1);
  return countUntilEnd(nowMs, () => count(-1));
}

const countOf = (counts: ReadonlyMap<string, number>, id: string): number => counts.get(id) ?? 0;

function add(counts: Map<string, number>, id: string, difference: number): void {
  const count = countOf(counts, id) + difference;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}
