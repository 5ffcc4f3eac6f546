/** What this isolate is sending, over all its invocations: how many sends each subscription has under way, and how long they take. */
import { HANGS_AFTER_MS, LEASE_MS } from "./timing";

/** A slow subscription may have no more, so that it leaves places to the others. */
export const MAX_SENDS_OF_SLOW = 3;
/** Sends beyond which an invocation waits before it ends, which holds the queue back. */
const MAX_SENDS = 300;
/** Claimed payload bytes beyond which no more are claimed: an isolate has 128 MB, and a payload counts about three times. */
const MAX_CLAIMED_BYTES = 16 * 1024 * 1024;
/** Bounds the memory for latencies. */
const MAX_KNOWN_LATENCIES = 10_000;
/** Taken for a subscription that is new to this isolate. */
const ASSUMED_LATENCY_MS = 50;

interface Load {
  active: number;
  /** The end of the last send, or the start of the first one under way; Unix ms. */
  silentSinceMs: number;
}

const loads = new Map<string, Load>();
const latenciesMs = new Map<string, number>();
let sends = 0;
let claimedBytes = 0;

/** The sends of a subscription that are under way. */
export const sendsOf = (subscriptionId: string): number => loads.get(subscriptionId)?.active ?? 0;

/** Whether all sends of the subscription that are under way have been silent for too long. A busy subscription does not hang. */
export function hangs(subscriptionId: string, nowMs: number): boolean {
  const load = loads.get(subscriptionId);
  return load !== undefined && nowMs - load.silentSinceMs >= HANGS_AFTER_MS;
}

/** How long the next send of a subscription will probably take. */
export const expectedMs = (subscriptionId: string): number => latenciesMs.get(subscriptionId) ?? ASSUMED_LATENCY_MS;

/** Whether the isolate has as many sends under way as it should. */
export const isBusy = (): boolean => sends >= MAX_SENDS;

/** Whether `bytes` more of payloads may be claimed now; one alone always may. */
export const hasRoomFor = (bytes: number): boolean => claimedBytes === 0 || claimedBytes + bytes <= MAX_CLAIMED_BYTES;

/** Counts the bytes of a claimed payload; call what it returns when the payload is no longer held. They count for one lease at most. */
export function holdBytes(bytes: number): () => void {
  claimedBytes += bytes;
  const release = once(() => {
    clearTimeout(timer);
    claimedBytes -= bytes;
  });
  const timer = setTimeout(release, LEASE_MS);
  return release;
}

/** Counts one send; call what it returns when it has ended. An invocation that the runtime kills never does, so a send counts for one lease at most. */
export function startSend(subscriptionId: string, now: () => number): () => void {
  const startedMs = now();
  const load = loads.get(subscriptionId) ?? { active: 0, silentSinceMs: startedMs };
  load.active += 1;
  sends += 1;
  loads.set(subscriptionId, load);
  const end = once(() => {
    clearTimeout(timer);
    load.active -= 1;
    sends -= 1;
    load.silentSinceMs = now();
    if (load.active === 0) loads.delete(subscriptionId);
    noteLatency(subscriptionId, now() - startedMs);
  });
  const timer = setTimeout(end, LEASE_MS);
  return end;
}

/** Half the new figure and half the old one. */
function noteLatency(subscriptionId: string, latencyMs: number): void {
  if (latenciesMs.size >= MAX_KNOWN_LATENCIES) latenciesMs.clear();
  latenciesMs.set(subscriptionId, (expectedMs(subscriptionId) + latencyMs) / 2);
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
