/**
 * Databases that have said that they have too much to do: this isolate claims nothing of them for a while, so that they
 * are asked less the longer it lasts, however many messages wait.
 */
import { isOverload } from "../../base/db/faults";
import { jittered } from "../../base/jitter";
import { FIRST_OVERLOAD_REST_MS, LONGEST_OVERLOAD_REST_MS } from "../plane/timing";
import { memory } from "./isolate-memory";

/** Thrown instead of a call to a database that rests. */
export class Resting extends Error {}

/** Throws Resting while a database rests. */
export function refuseWhileResting(shard: number, nowMs: number): void {
  if (nowMs < (memory.overloads.get(shard)?.untilMs ?? 0)) throw new Resting("the database was overloaded lately");
}

/** Lets a database rest if that is what a call has failed for: longer each time, until it has been well for a while. */
export function noteFault(shard: number, error: unknown, nowMs: number): void {
  if (!isOverload(error)) return;
  const { untilMs = 0, restMs = 0 } = memory.overloads.get(shard) ?? {};
  // It was asked before the rest began.
  if (nowMs < untilMs) return;
  const isNew = nowMs - untilMs > LONGEST_OVERLOAD_REST_MS;
  const nextMs = isNew ? FIRST_OVERLOAD_REST_MS : Math.min(restMs * 2, LONGEST_OVERLOAD_REST_MS);
  memory.overloads.set(shard, { untilMs: nowMs + jittered(nextMs), restMs: nextMs });
}
