/**
 * The subscriptions whose receivers have just asked this isolate for a pause. This memory bridges the time until the
 * cooldown is recorded in `subscriptions.held_until`, where every claim sees it.
 */
import { memory } from "../delivery/isolate-memory";
import { RECORD_WITHIN_MS } from "../delivery/timing";

/** Remembers a cooldown until `untilMs` (Unix ms), but no longer than recording it can take. */
export function coolDownHere(subscriptionId: string, untilMs: number, nowMs: number): void {
  memory.heldUntilMs.set(subscriptionId, Math.min(untilMs, nowMs + RECORD_WITHIN_MS));
}

/** Whether a subscription has just asked this isolate for a pause. */
export const isCoolingHere = (subscriptionId: string, nowMs: number): boolean =>
  nowMs < (memory.heldUntilMs.get(subscriptionId) ?? 0);
