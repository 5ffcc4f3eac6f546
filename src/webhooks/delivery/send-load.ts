/**
 * The sends in progress in this isolate, across its invocations: how many each subscription has, how long they take,
 * and their memory.
 */

import { BLOCKED_AFTER_MS, CLAIM_LEASE_MS, HANGS_AFTER_MS, PATIENCE_MS } from "../plane/timing";
import { type Counted, memory } from "./isolate-memory";

/**
 * The most bytes of payloads to have claimed at once: an isolate has 128 MB, and holds about three copies of a payload.
 */
const MAX_CLAIMED_BYTES = 16 * 1024 * 1024;

/** The usual latency is that of about so many sends. */
const USUAL_OVER_SENDS = 50;

/** Returns how many sends of a subscription are in progress. */
export const sendsOf = (subscriptionId: string): number => memory.loads.get(subscriptionId)?.active ?? 0;

/**
 * Whether the subscription has sends in progress and none has ended for a second. A subscription that is only busy does
 * not hang.
 */
export function hangs(subscriptionId: string, nowMs: number): boolean {
  const load = memory.loads.get(subscriptionId);
  return load !== undefined && nowMs - load.silentSinceMs >= HANGS_AFTER_MS;
}

/**
 * Every run calls this every `WATCH_EVERY_MS`. While the isolate was blocked, it could read no answers, so that time
 * does not count as silence. Otherwise one long garbage collection would mark every subscription with a send in
 * progress as slow.
 */
export function watch(nowMs: number): void {
  const blockedMs = nowMs - memory.watchedMs;
  memory.watchedMs = nowMs;
  if (blockedMs < BLOCKED_AFTER_MS) return;
  for (const load of memory.loads.values()) load.silentSinceMs = Math.min(nowMs, load.silentSinceMs + blockedMs);
}

/**
 * Returns how long the next send of a subscription will probably take, in ms: about as long as the shortest of its last
 * ones, or as those of all subscriptions if this isolate does not know it.
 */
export const expectedMs = (subscriptionId: string): number => memory.latenciesMs.get(subscriptionId) ?? memory.usualMs;

/** Whether no send of a subscription has ended for `PATIENCE_MS`; null if none is in progress. */
export function isSilent(subscriptionId: string, nowMs: number): boolean | null {
  const load = memory.loads.get(subscriptionId);
  return load === undefined ? null : nowMs - load.silentSinceMs >= PATIENCE_MS;
}

/**
 * Whether the receiver of a subscription is known to answer within `PATIENCE_MS`, and does so now. A shorter silence
 * can be that of a blocked isolate.
 */
export function isQuick(subscriptionId: string, nowMs: number): boolean {
  const silentSinceMs = memory.loads.get(subscriptionId)?.silentSinceMs ?? nowMs;
  const latencyMs = memory.latenciesMs.get(subscriptionId) ?? PATIENCE_MS;
  return latencyMs < PATIENCE_MS && nowMs - silentSinceMs < BLOCKED_AFTER_MS;
}

/** Whether `bytes` more of payloads may be claimed now. A payload may always be claimed if no other is held. */
export const hasRoomFor = (bytes: number): boolean =>
  memory.claimedBytes === 0 || memory.claimedBytes + bytes <= MAX_CLAIMED_BYTES;

/**
 * Ends what has been counted for longer than a lease: its invocation was killed. A timer cannot do this, because the
 * runtime drops an invocation's timers when it kills the invocation.
 */
export function endAbandoned(nowMs: number): void {
  for (const { untilMs, end } of memory.counted) {
    if (untilMs > nowMs) return;
    end();
  }
}

/** Returns the function to call at the end; `onEnd` runs once, however often it is called. */
export function countUntilEnd(nowMs: number, onEnd: () => void): () => void {
  const entry: Counted = {
    untilMs: nowMs + CLAIM_LEASE_MS,
    end: () => {
      if (memory.counted.delete(entry)) onEnd();
    },
  };
  memory.counted.add(entry);
  return entry.end;
}

/** Counts the bytes of a claimed payload. Call the returned function when the payload is no longer held. */
export function holdBytes(bytes: number, nowMs: number): () => void {
  memory.claimedBytes += bytes;
  return countUntilEnd(nowMs, () => {
    memory.claimedBytes -= bytes;
  });
}

/** Counts one send. Call the returned function when it has ended. */
export function startSend(subscriptionId: string, now: () => number): () => void {
  const startedMs = now();
  const load = memory.loads.get(subscriptionId) ?? { active: 0, silentSinceMs: startedMs };
  load.active += 1;
  memory.loads.set(subscriptionId, load);
  return countUntilEnd(startedMs, () => {
    load.active -= 1;
    load.silentSinceMs = now();
    if (load.active === 0) memory.loads.delete(subscriptionId);
    noteLatency(subscriptionId, now() - startedMs);
  });
}

/**
 * Follows the shortest of the last sends: down at once, and up by an eighth of the difference. A busy isolate reads
 * answers late, and an average would take a receiver that answers at once for a slow one: its deliveries would be
 * handed back, and that would make the isolate busier still.
 */
function noteLatency(subscriptionId: string, latencyMs: number): void {
  const beforeMs = memory.latenciesMs.get(subscriptionId) ?? latencyMs;
  memory.latenciesMs.set(subscriptionId, Math.min(latencyMs, beforeMs + (latencyMs - beforeMs) / 8));
  memory.usualMs += (latencyMs - memory.usualMs) / USUAL_OVER_SENDS;
}
