/**
 * How many places all tenants have together. While claims are answered late, there are fewer: what many have in
 * progress takes the time of the isolate and of the database, which others need too.
 */
import { NARROW_EVERY_MS, TARGET_DELAY_MS } from "../plane/timing";
import { MOST_PLACES, memory } from "./isolate-memory";

const FEWEST_IN_ALL = 16;

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
