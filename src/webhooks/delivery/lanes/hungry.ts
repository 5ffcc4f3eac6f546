/**
 * The lanes that wait for places, in the order in which they get them. No step looks through all of them, however many
 * wait.
 */
import { Heap, type Placed } from "./heap";

/** A lane that may have something to send. */
export interface HungryLane {
  shard: number;
  subscriptionId: string;
  tenantId: string;
  /** How many of its deliveries have been seen to wait since it was last fed. */
  waiting: number;
}

/** What decides when a lane comes. */
interface Order {
  /** Whether its receiver answers at once. */
  isQuick: boolean;
  /** When its subscription has rested, Unix ms; Infinity while something of it is in progress. */
  restedMs: number;
}

interface Entry extends Order, Placed {
  lane: HungryLane;
  /** Rises with each lane. */
  since: number;
  turn: Turn;
}

/** In so many or more, the lanes of a turn come in the order of their rests alone. */
const MANY_WAITING = 8;

const isBefore = (one: Entry, other: Entry): boolean =>
  one.restedMs === other.restedMs ? one.since < other.since : one.restedMs < other.restedMs;

/** The lanes that take a turn together: of a tenant, those of receivers that answer at once, or the others. */
class Turn {
  size = 0;
  /** By how many deliveries wait in a lane. */
  readonly #heaps: (Heap<Entry> | undefined)[] = [];

  /**
   * Returns the first lane for which `look` returns true. If `look` returns false, it goes on with the lanes in which
   * more wait; if it returns undefined, it has changed the first lane, so that there can be another one.
   */
  find(look: (lane: HungryLane) => boolean | undefined): HungryLane | undefined {
    for (const heap of this.#heaps) {
      let isFound: boolean | undefined;
      let lane = heap?.first?.lane;
      while (lane && isFound === undefined) {
        isFound = look(lane);
        if (isFound) return lane;
        lane = heap?.first?.lane;
      }
    }
    return undefined;
  }

  add(entry: Entry): void {
    const which = Math.min(entry.lane.waiting, MANY_WAITING);
    const heap = this.#heaps[which] ?? new Heap<Entry>(isBefore);
    this.#heaps[which] = heap;
    heap.add(entry);
    this.size += 1;
  }

  remove(entry: Entry): void {
    this.#heaps[Math.min(entry.lane.waiting, MANY_WAITING)]?.remove(entry);
    this.size -= 1;
  }
}

/**
 * At most `most` lanes. Tenants take turns, so that the many lanes of one do not hold up those of another; so do, of a
 * tenant, those of receivers that answer at once and the others. In a turn, those lanes come first in which the fewest
 * deliveries wait, and of these, those that have rested longest.
 */
export class HungryLanes {
  /** By subscription, those that were noted longest ago first. */
  readonly #entries = new Map<string, Entry>();
  readonly #turns = new Map<string, Turn>();
  /** The next turn first. */
  readonly #turnsOfShards = new Map<number, Set<Turn>>();
  readonly #countsOfTenants = new Map<string, number>();
  #noted = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.#entries.size;
  }

  has(subscriptionId: string): boolean {
    return this.#entries.has(subscriptionId);
  }

  /** Whether a lane of the tenant waits. */
  hasOf(tenantId: string): boolean {
    return this.#countsOfTenants.has(tenantId);
  }

  /** One more delivery of the lane waits. If there are too many lanes, forgets the one that was noted longest ago. */
  note(of: Omit<HungryLane, "waiting">, order: Order): void {
    const known = this.#entries.get(of.subscriptionId);
    this.delete(of.subscriptionId);
    const [oldest] = this.size >= this.most ? this.#entries.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    this.#noted += 1;
    const lane = { ...of, waiting: (known?.lane.waiting ?? 0) + 1 };
    this.#add({ lane, since: known?.since ?? this.#noted, place: 0, turn: this.#turnOf(of, order.isQuick), ...order });
  }

  /** Puts a lane where it belongs by its rest (Unix ms). Returns false if it is there. */
  reorder(subscriptionId: string, restedMs: number): boolean {
    const entry = this.#entries.get(subscriptionId);
    if (!entry || entry.restedMs === restedMs) return false;
    entry.turn.remove(entry);
    entry.restedMs = restedMs;
    entry.turn.add(entry);
    return true;
  }

  /** The turns of a shard, the next one first. One that `take` puts at the end comes again. */
  turnsOf(shard: number): Iterable<Turn> {
    return this.#turnsOfShards.get(shard) ?? [];
  }

  /** Forgets a lane that gets places. Those that take a turn with it come again after all others. */
  take({ shard, subscriptionId }: HungryLane): void {
    const turn = this.#entries.get(subscriptionId)?.turn;
    this.delete(subscriptionId);
    if (!turn || turn.size === 0) return;
    const turns = this.#turnsOfShards.get(shard);
    turns?.delete(turn);
    turns?.add(turn);
  }

  delete(subscriptionId: string): void {
    const entry = this.#entries.get(subscriptionId);
    if (!entry) return;
    const { lane, turn, isQuick } = entry;
    this.#entries.delete(subscriptionId);
    this.#count(lane.tenantId, -1);
    turn.remove(entry);
    if (turn.size > 0) return;
    this.#turns.delete(nameOf(lane, isQuick));
    this.#turnsOfShards.get(lane.shard)?.delete(turn);
  }

  clear(): void {
    for (const part of [this.#entries, this.#turns, this.#turnsOfShards, this.#countsOfTenants]) part.clear();
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.lane.subscriptionId, entry);
    this.#count(entry.lane.tenantId, 1);
    entry.turn.add(entry);
  }

  #turnOf(lane: Omit<HungryLane, "waiting">, isQuick: boolean): Turn {
    const name = nameOf(lane, isQuick);
    const turn = this.#turns.get(name) ?? new Turn();
    this.#turns.set(name, turn);
    const turns = this.#turnsOfShards.get(lane.shard) ?? new Set();
    this.#turnsOfShards.set(lane.shard, turns.add(turn));
    return turn;
  }

  #count(tenantId: string, difference: number): void {
    const count = (this.#countsOfTenants.get(tenantId) ?? 0) + difference;
    if (count > 0) this.#countsOfTenants.set(tenantId, count);
    else this.#countsOfTenants.delete(tenantId);
  }
}

const nameOf = ({ shard, tenantId }: Pick<HungryLane, "shard" | "tenantId">, isQuick: boolean) =>
  `${shard} ${isQuick} ${tenantId}`;
