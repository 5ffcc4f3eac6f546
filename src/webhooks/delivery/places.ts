/**
 * The places of this isolate: who may have how many deliveries in progress, from claim to answer. What a receiver takes
 * counts against its own subscription and tenant, never against others.
 */

import { PATIENCE_MS, PLACE_KEPT_FOR_MS } from "../plane/timing";
import { memory, newPools, type Pool, type PoolName } from "./isolate-memory";
import { widthOf } from "./lanes/width";
import { countUntilEnd, isQuick } from "./send-load";

/**
 * The most deliveries in progress of one tenant, in each of its three pools:
 * - its share, for everything;
 * - quick, for subscriptions whose receivers answer at once, so that they never wait for slow ones. What has not been
 *   answered after `PATIENCE_MS` moves to the share, even if that has more then than it should;
 * - its reserve, for subscriptions that are idle while the share is taken, one place for each. So whoever is seldom
 *   busy does not wait for those that always are.
 */
export const MOST_OF_TENANT = 160;
/** The most of all tenants together, in each pool, except that each may always have a few. */
const MOST_IN_ALL = 320;
const ALWAYS = 5;
/**
 * A subscription is idle when nothing of it is in progress, and it has rested so many times as long as its last
 * delivery took. So those that always have something to send take a place of the reserve a quarter of the time,
 * whatever their receivers take: the 250 of a tenant about 63 of its 160.
 */
const RESTS = 3;

/** Whose delivery it is. Those of messages of the former release name no tenant. */
export interface Owned {
  subscriptionId: string;
  tenantId?: string | undefined;
}

/** Notes how long a delivery had its place, from the claim (Unix ms) on. */
export function noteRest(subscriptionId: string, claimedMs: number, endedMs: number): void {
  memory.restedFromMs.set(subscriptionId, endedMs + RESTS * (endedMs - claimedMs));
}

/** When a subscription counts as idle, Unix ms; Infinity while something of it is in progress. */
export const restedFromMs = (subscriptionId: string): number =>
  memory.places.ofSubscriptions.has(subscriptionId) ? Infinity : (memory.restedFromMs.get(subscriptionId) ?? 0);

/** Counts what is planned beside what is in progress at a time (Unix ms). */
export class Places {
  readonly #nowMs: number;
  readonly #ofSubscriptions = new Map<string, number>();
  readonly #planned = newPools();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Whether one more may be in progress. */
  hasFree(owned: Owned): boolean {
    return this.ofWidth(owned) > 0 && this.poolFor(owned) !== null;
  }

  /** Returns how many more the subscription itself may have, whatever its tenant and the others do. */
  ofWidth({ subscriptionId: id }: Owned): number {
    return widthOf(id) - countOf(memory.places.ofSubscriptions, id) - countOf(this.#ofSubscriptions, id);
  }

  /** Returns how many more the tenant may have in a pool. */
  of(name: PoolName, { tenantId: id = "" }: Pick<Owned, "tenantId">): number {
    const [pool, planned] = [memory.places[name], this.#planned[name]];
    const taken = countOf(pool.ofTenants, id) + countOf(planned.ofTenants, id);
    return Math.max(0, ALWAYS - taken, Math.min(MOST_OF_TENANT - taken, MOST_IN_ALL - pool.inAll - planned.inAll));
  }

  /** Returns the pool that the next delivery of a subscription takes a place of, whatever its width; null for none. */
  poolFor(owned: Owned): PoolName | null {
    if (isQuick(owned.subscriptionId, this.#nowMs) && this.of("quick", owned) > 0) return "quick";
    if (this.of("share", owned) > 0) return "share";
    return this.#isIdle(owned) && this.of("reserve", owned) > 0 ? "reserve" : null;
  }

  #isIdle({ subscriptionId: id }: Owned): boolean {
    return !this.#ofSubscriptions.has(id) && this.#nowMs >= restedFromMs(id);
  }

  /** Plans one more. Returns false if there is no place for it. */
  plan(owned: Owned): boolean {
    const name = this.ofWidth(owned) > 0 ? this.poolFor(owned) : null;
    if (name === null) return false;
    add(this.#ofSubscriptions, owned.subscriptionId, 1);
    addTo(this.#planned[name], owned.tenantId, 1);
    return true;
  }
}

/** Whether one more may be in progress at a time (Unix ms). */
export const hasPlace = (owned: Owned, nowMs: number): boolean => new Places(nowMs).hasFree(owned);

/** Whether the subscription itself has a place, whatever its tenant and the others do. */
export const isWithinWidth = (owned: Owned, nowMs: number): boolean => new Places(nowMs).ofWidth(owned) > 0;

/** How many deliveries of a tenant are in progress, without those in its reserve. */
export const placesOfTenant = (tenantId = ""): number =>
  countOf(memory.places.share.ofTenants, tenantId) + countOf(memory.places.quick.ofTenants, tenantId);

/** Takes a place. Call the returned function when the delivery is not in progress any more. */
export function takePlace(owned: Owned, nowMs: number): () => void {
  const place = newPlace(owned, nowMs);
  const young = { untilMs: nowMs + PATIENCE_MS, end: place.toShare };
  memory.young.add(young);
  return countUntilEnd(nowMs, () => {
    memory.young.delete(young);
    place.end();
  });
}

/**
 * Keeps a place for a delivery that waits in a queue, so that nothing else is queued for it. Not for long, because
 * another isolate may get the message.
 */
export function keepPlace(id: string, owned: Owned, nowMs: number): void {
  giveUpPlace(id);
  // Its end is counted too, because a place that is dropped for newer ones would be taken for ever.
  const end = countUntilEnd(nowMs, newPlace(owned, nowMs).end);
  memory.keptPlaces.set(id, { untilMs: nowMs + PLACE_KEPT_FOR_MS, end });
}

function newPlace(owned: Owned, nowMs: number) {
  const { places } = memory;
  let name = new Places(nowMs).poolFor(owned) ?? "reserve";
  add(places.ofSubscriptions, owned.subscriptionId, 1);
  addTo(places[name], owned.tenantId, 1);
  const end = () => {
    add(places.ofSubscriptions, owned.subscriptionId, -1);
    addTo(places[name], owned.tenantId, -1);
  };
  const toShare = () => {
    if (name !== "quick") return;
    addTo(places.quick, owned.tenantId, -1);
    addTo(places.share, owned.tenantId, 1);
    name = "share";
  };
  return { end, toShare };
}

/** Whether a place is kept for a delivery. */
export const hasKeptPlace = (id: string): boolean => memory.keptPlaces.has(id);

/** Ends the keeping of a delivery's place, because it is about to take one or needs none. */
export function giveUpPlace(id: string): void {
  memory.keptPlaces.get(id)?.end();
  memory.keptPlaces.delete(id);
}

/** Gives up the places that were kept for too long, and moves those of receivers that were not quick. */
export function giveUpOldPlaces(nowMs: number): void {
  for (const [id, { untilMs }] of memory.keptPlaces) {
    if (untilMs > nowMs) break;
    giveUpPlace(id);
  }
  for (const young of memory.young) {
    if (young.untilMs > nowMs) break;
    young.end();
    memory.young.delete(young);
  }
}

const countOf = (counts: ReadonlyMap<string, number>, id: string): number => counts.get(id) ?? 0;

function add(counts: Map<string, number>, id: string, difference: number): void {
  const count = countOf(counts, id) + difference;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}

function addTo(pool: Pool, tenantId: string | undefined, difference: number): void {
  add(pool.ofTenants, tenantId ?? "", difference);
  pool.inAll += difference;
}
