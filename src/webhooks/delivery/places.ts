/**
 * The places of this isolate: who may have how many deliveries in progress, from claim to answer. Every bound is
 * a number of deliveries, and none is a time: what a receiver takes counts against its own subscription and tenant,
 * never against others.
 */

import { PLACE_KEPT_FOR_MS } from "../plane/timing";
import { memory } from "./isolate-memory";
import { widthOf } from "./lanes/width";
import { countUntilEnd } from "./send-load";

/**
 * The most deliveries in progress of one tenant. As many again are its reserve: when its share is taken, each of its
 * subscriptions that is idle has one place there. So whoever is seldom busy does not wait for those that always are.
 */
export const MOST_OF_TENANT = 160;
/**
 * A subscription is idle when nothing of it is in progress, and it has rested so many times as long as its last
 * delivery took. So those that always have something to send take a place of the reserve a quarter of the time,
 * whatever their receivers take: the 250 of a tenant about 63 of its 160.
 */
const RESTS = 3;
/**
 * All tenants together have at most `MOST_PLACES` (congestion.ts decides how many), and as many in their reserves,
 * except that each may always have a few.
 */
const ALWAYS = 5;

/** Whose delivery it is. Those of messages of the former release name no tenant. */
export interface Owned {
  subscriptionId: string;
  tenantId?: string | undefined;
}

/** Notes how long a delivery had its place, from the claim (Unix ms) on. */
export function noteRest(subscriptionId: string, claimedMs: number, endedMs: number): void {
  memory.restedFromMs.set(subscriptionId, endedMs + RESTS * (endedMs - claimedMs));
}

/** When a subscription counts as idle (Unix ms), unless something of it is in progress. */
export const restedFromMs = (subscriptionId: string): number => memory.restedFromMs.get(subscriptionId) ?? 0;

/** Counts what is planned beside what is in progress at a time (Unix ms). */
export class Places {
  readonly #nowMs: number;
  readonly #ofSubscriptions = new Map<string, number>();
  readonly #ofTenants = new Map<string, number>();
  readonly #inReserves = new Map<string, number>();
  #inAll = 0;
  #inAllReserves = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Whether one more may be in progress. */
  hasFree(owned: Owned): boolean {
    return this.ofWidth(owned) > 0 && (this.ofShare(owned) > 0 || this.#hasReserve(owned));
  }

  /** Returns how many more the subscription itself may have, whatever its tenant and the others do. */
  ofWidth({ subscriptionId: id }: Owned): number {
    return widthOf(id) - countOf(memory.places.ofSubscriptions, id) - countOf(this.#ofSubscriptions, id);
  }

  /** Returns how many more the tenant may have outside its reserve. */
  ofShare({ tenantId: id = "" }: Pick<Owned, "tenantId">): number {
    const taken = countOf(memory.places.ofTenants, id) + countOf(this.#ofTenants, id);
    return free(taken, memory.places.inAll + this.#inAll);
  }

  #hasReserve({ subscriptionId, tenantId: id = "" }: Owned): boolean {
    const { ofSubscriptions, inReserves, inAllReserves } = memory.places;
    const isIdle =
      countOf(ofSubscriptions, subscriptionId) + countOf(this.#ofSubscriptions, subscriptionId) === 0 &&
      this.#nowMs >= restedFromMs(subscriptionId);
    const taken = countOf(inReserves, id) + countOf(this.#inReserves, id);
    return isIdle && free(taken, inAllReserves + this.#inAllReserves) > 0;
  }

  /** Plans one more. Returns false if there is no place for it. */
  plan(owned: Owned): boolean {
    if (!this.hasFree(owned)) return false;
    const isShare = this.ofShare(owned) > 0;
    add(this.#ofSubscriptions, owned.subscriptionId, 1);
    add(isShare ? this.#ofTenants : this.#inReserves, owned.tenantId ?? "", 1);
    if (isShare) this.#inAll += 1;
    else this.#inAllReserves += 1;
    return true;
  }
}

/** Returns how many more a tenant may have that has `taken`, while all have `inAll`. */
const free = (taken: number, inAll: number): number =>
  Math.max(0, ALWAYS - taken, Math.min(MOST_OF_TENANT - taken, memory.mostInAll - inAll));

/** Whether one more may be in progress at a time (Unix ms). */
export const hasPlace = (owned: Owned, nowMs: number): boolean => new Places(nowMs).hasFree(owned);

/** Whether the subscription itself has a place, whatever its tenant and the others do. */
export const isWithinWidth = (owned: Owned, nowMs: number): boolean => new Places(nowMs).ofWidth(owned) > 0;

/** How many deliveries of a tenant are in progress, without those in its reserve. */
export const placesOfTenant = (tenantId = ""): number => countOf(memory.places.ofTenants, tenantId);

/**
 * Takes a place, of the reserve if the share is taken. Call the returned function when the delivery is not in progress
 * any more.
 */
export function takePlace(owned: Owned, nowMs: number): () => void {
  const { places } = memory;
  const { subscriptionId, tenantId = "" } = owned;
  const isShare = new Places(nowMs).ofShare(owned) > 0;
  const count = (difference: number) => {
    add(places.ofSubscriptions, subscriptionId, difference);
    add(isShare ? places.ofTenants : places.inReserves, tenantId, difference);
    if (isShare) places.inAll += difference;
    else places.inAllReserves += difference;
  };
  count(1);
  return countUntilEnd(nowMs, () => count(-1));
}

/**
 * Keeps a place for a delivery that waits in a queue, so that nothing else is queued for it. Not for long, because
 * another isolate may get the message.
 */
export function keepPlace(id: string, owned: Owned, nowMs: number): void {
  giveUpPlace(id);
  memory.keptPlaces.set(id, { untilMs: nowMs + PLACE_KEPT_FOR_MS, end: takePlace(owned, nowMs) });
}

/** Whether a place is kept for a delivery. */
export const hasKeptPlace = (id: string): boolean => memory.keptPlaces.has(id);

/** Ends the keeping of a delivery's place, because it is about to take one or needs none. */
export function giveUpPlace(id: string): void {
  memory.keptPlaces.get(id)?.end();
  memory.keptPlaces.delete(id);
}

/** Gives up the places that were kept for too long. */
export function giveUpOldPlaces(nowMs: number): void {
  for (const [id, { untilMs }] of memory.keptPlaces) {
    if (untilMs > nowMs) return;
    giveUpPlace(id);
  }
}

const countOf = (counts: ReadonlyMap<string, number>, id: string): number => counts.get(id) ?? 0;

function add(counts: Map<string, number>, id: string, difference: number): void {
  const count = countOf(counts, id) + difference;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}
