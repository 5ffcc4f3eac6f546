/**
 * What this isolate remembers about deliveries, across its invocations. It is bounded and may be lost at any time:
 * correctness never depends on it.
 */
import { BoundedMap } from "../../base/bounded-map";
import type { FanOut } from "../../base/messages";
import { ASSUMED_LATENCY_MS, RECORD_WITHIN_MS } from "../plane/timing";
import { HungryLanes } from "./lanes/hungry";
import type { Limits } from "./throttling/limits";

/** The most entries of one kind. */
const MAX_ENTRIES = 10_000;
/** Those of others count for one lease, so more would be kept for that long. */
const MAX_KEPT_PLACES = 200;
/** Whoever is left out counts as idle. */
const MAX_RESTS = 2_000;
/** The sweep goes on with those that are left out, and so it does with fan-outs. */
const MAX_HUNGRY = 6_000;
const MAX_FAN_OUTS = 200;

/** The places that are taken of one kind. */
export interface Pool {
  ofTenants: Map<string, number>;
  inAll: number;
}

/** See places.ts. */
export type PoolName = "share" | "quick" | "reserve";

const newPool = (): Pool => ({ ofTenants: new Map(), inAll: 0 });

/** Three pools with no place taken. */
export const newPools = (): Record<PoolName, Pool> => ({ share: newPool(), quick: newPool(), reserve: newPool() });

/** The sends in progress of one subscription. */
export interface Load {
  active: number;
  /** The end of the last send, or the start of the first one if none has ended; Unix ms. */
  silentSinceMs: number;
}

/** How many deliveries of a subscription may be in progress. */
export interface Width {
  width: number;
  /** It stays narrow until then (Unix ms), because the receiver has asked for a pause. */
  narrowUntil: number;
}

/** The deliveries of a limited subscription that wait for their starts. */
export interface Line {
  limits: Limits;
  /** When these limits were read, Unix ms. */
  readMs: number;
  /** When the last one of them comes back, Unix ms. A new delivery waits behind it. */
  endMs: number;
}

/** Something that counts until it ends. */
export interface Counted {
  /** Unix ms. */
  untilMs: number;
  end: () => void;
}

export const memory = {
  /** By subscription; only those with sends in progress. */
  loads: new Map<string, Load>(),
  /** The places that are taken: by deliveries that are being claimed, are claimed, or are being sent. */
  places: { ofSubscriptions: new Map<string, number>(), ...newPools() },
  /** The places that are kept for queued deliveries, by id, oldest first. They are taken too. */
  keptPlaces: new BoundedMap<Counted>(MAX_KEPT_PLACES),
  /** The places that were taken less than `PATIENCE_MS` ago, oldest first. */
  young: new Set<Counted>(),
  /** How many deliveries are being claimed. */
  claiming: 0,
  /** When a subscription has rested long enough since its last delivery to count as idle, Unix ms. */
  restedFromMs: new BoundedMap<number>(MAX_RESTS),
  /** The bytes of claimed payloads. */
  claimedBytes: 0,
  /** What is counted at present, oldest first. */
  counted: new Set<Counted>(),
  /** When a run last looked at the sends in progress, Unix ms. */
  watchedMs: 0,
  /** How long a send takes, by subscription, and lately on average. */
  latenciesMs: new BoundedMap<number>(MAX_ENTRIES),
  usualMs: ASSUMED_LATENCY_MS,
  /** Until when a subscription has just asked for a pause, in Unix ms. */
  cooldownUntilMs: new BoundedMap<number>(MAX_ENTRIES),
  /** Until when this isolate does not mark a subscription as slow again, in Unix ms. */
  markedSlowUntilMs: new BoundedMap<number>(MAX_ENTRIES),
  /** By subscription. */
  widths: new BoundedMap<Width>(MAX_ENTRIES),
  /** By subscription. */
  lines: new BoundedMap<Line>(MAX_ENTRIES),
  /** When a delivery of a lane was last queued, by its id, in Unix ms. */
  fedAtMs: new BoundedMap<number>(MAX_ENTRIES),
  hungry: new HungryLanes(MAX_HUNGRY),
  /** The fan-outs that wait for places, by event, and the shards of their events. */
  fanOuts: new BoundedMap<FanOut & { shard: number }>(MAX_FAN_OUTS),
  /** Until when (Unix ms) an invocation writes a page of fan-outs, unless it is killed; by tenant. */
  fanningOutUntilMs: new BoundedMap<number>(MAX_FAN_OUTS),
  /** How many deliveries have ended since the lane of their subscription was last fed; only of known lanes. */
  endedSinceFed: new BoundedMap<number>(MAX_ENTRIES),
  /** Until when (Unix ms) an invocation feeds the lanes of a shard, unless it is killed. */
  feedingUntilMs: new Map<number, number>(),
  /** Until when a database rests that was overloaded (Unix ms), and for how long that is on average, by its number. */
  overloads: new Map<number, { untilMs: number; restMs: number }>(),

  /** Forgets everything, so that test files can share an isolate. */
  clear(): void {
    const known = [
      this.restedFromMs,
      this.keptPlaces,
      this.latenciesMs,
      this.cooldownUntilMs,
      this.markedSlowUntilMs,
      this.widths,
      this.lines,
      this.fedAtMs,
      this.hungry,
      this.fanOuts,
      this.fanningOutUntilMs,
      this.endedSinceFed,
    ];
    for (const part of [this.loads, this.counted, this.young, this.feedingUntilMs, this.overloads, ...known])
      part.clear();
    Object.assign(this.places, { ofSubscriptions: new Map(), ...newPools() });
    this.usualMs = ASSUMED_LATENCY_MS;
    this.claimedBytes = 0;
    this.claiming = 0;
    this.watchedMs = 0;
  },
};

/**
 * Remembers until when (Unix ms) a receiver wants a pause. Bridges the time until that is recorded in the database,
 * where every claim sees it, so it lasts no longer than recording can take.
 */
export function coolDownHere(subscriptionId: string, untilMs: number, nowMs: number): void {
  memory.cooldownUntilMs.set(subscriptionId, Math.min(untilMs, nowMs + RECORD_WITHIN_MS));
}

/** Whether a receiver has just asked this isolate for a pause. */
export const isCoolingHere = (subscriptionId: string, nowMs: number): boolean =>
  nowMs < (memory.cooldownUntilMs.get(subscriptionId) ?? 0);
