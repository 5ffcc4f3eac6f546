/**
 * How many places all tenants have together. Backlogs give way as background transports do (LEDBAT, RFC 6817): what a
 * claim waits for others, not what it takes, decides whether they may have more in progress.
 */
import { MINUTE_MS } from "../../base/time";
import { NARROW_EVERY_MS, TARGET_DELAY_MS } from "../plane/timing";
import { MOST_PLACES, memory } from "./isolate-memory";

const FEWEST_IN_ALL = 4;

/**
 * Notes how long a claim took, and how many deliveries it got. If it waited longer than the target, there are half as
 * many places (RFC 6817, section 2.4.2); otherwise as many more as it got, if at least half of them are taken.
 */
export function noteDelay(delayMs: number, claimed: number, nowMs: number): void {
  const waitedMs = delayMs - shortestDelayMs(delayMs, nowMs);
  if (waitedMs > TARGET_DELAY_MS) narrow(nowMs);
  else if (2 * (memory.places.inAll + memory.places.inAllReserves) >= memory.mostInAll) {
    memory.mostInAll = Math.min(MOST_PLACES, memory.mostInAll + claimed);
  }
}

/** What a claim takes while it waits for nothing: the shortest delay of this minute and the last (section 4.2). */
function shortestDelayMs(delayMs: number, nowMs: number): number {
  const { delays } = memory;
  if (nowMs - delays.sinceMs >= MINUTE_MS) {
    const isRecent = nowMs - delays.sinceMs < 2 * MINUTE_MS;
    memory.delays = { sinceMs: nowMs, formerMs: isRecent ? delays.shortestMs : delayMs, shortestMs: delayMs };
  }
  memory.delays.shortestMs = Math.min(memory.delays.shortestMs, delayMs);
  return Math.min(memory.delays.shortestMs, memory.delays.formerMs);
}

/** The answers that come soon after were under way already, so they say nothing new. */
function narrow(nowMs: number): void {
  if (nowMs - memory.narrowedMs < NARROW_EVERY_MS) return;
  memory.mostInAll = Math.max(FEWEST_IN_ALL, memory.mostInAll >> 1);
  memory.narrowedMs = nowMs;
}
