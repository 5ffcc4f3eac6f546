/**
 * How much later than granted this isolate starts deliveries. On a busy machine timers and answers come late. The
 * leeway grows with each missed start, so that few are missed, and shrinks again, because a start with more leeway
 * counts for longer.
 */
const FIRST_MS = 10;
const LONGEST_MS = 500;
const GROWTH = 1.5;
const DECAY = 0.97;
let leewayMs = 0;

/** Returns the leeway that a start needs now, in ms. */
export const neededLeewayMs = (): number => Math.ceil(leewayMs);

export function noteMissed(): void {
  leewayMs = Math.min(LONGEST_MS, Math.max(FIRST_MS, leewayMs * GROWTH));
}

export function noteMade(): void {
  leewayMs *= DECAY;
}
