/**
 * How many deliveries of backlogs may begin at once: those of lanes, and those of wide events. Each takes time of the
 * isolate and of the database, which others need too, whatever its receiver takes. Those that come with their events
 * are not held back.
 */
import { memory } from "./isolate-memory";
import { countUntilEnd } from "./send-load";

/** More would be hardly quicker: they would wait for each other. */
const MOST_BEGINNING = 16;

/** Counts deliveries that are being claimed. Call the returned function when they are. */
export function countClaiming(deliveries: number, nowMs: number): () => void {
  memory.claiming += deliveries;
  return countUntilEnd(nowMs, () => {
    memory.claiming -= deliveries;
  });
}

/** How many more deliveries of backlogs may begin now: be queued, and then claimed. */
export const roomForBacklogs = (): number => Math.max(0, MOST_BEGINNING - memory.keptPlaces.size - memory.claiming);
