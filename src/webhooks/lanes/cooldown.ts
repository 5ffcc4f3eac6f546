/**
 * The subscriptions whose receivers have just asked this isolate for a pause. This memory bridges the time until the
 * cooldown is recorded in `subscriptions.held_until`, where every claim sees it.
 */
import { memory } from "../delivery/isolate-memory";
import { RECORD_WITHIN_MS } from "../delivery/timing";
import { isHeldBack } from "./lane";

/** Remembers a cooldown until `untilMs` (Unix ms), but no longer than recording it can take. */
export function coolDownHere(subscriptionId: string, untilMs: number, nowMs: number): void {
  memory.heldUntilMs.set(subscriptionId, Math.min(untilMs, nowMs + RECORD_WITHIN_MS));
}

/** Whether a delivery waits for the end of a pause. Manual retries and tests do not. */
export const isForPauses = ({ kind }: { kind: string }): boolean => kind === "event" || kind === "replay";

/** Whether a delivery is held because its subscription is paused or disabled, or has not been released since. */
export const isUnreleased = (delivery: { kind: string; dueAt: number; releasedTo: number | null }): boolean =>
  isForPauses(delivery) && isHeldBack(delivery.dueAt, delivery);

/** Whether a subscription has just asked this isolate for a pause. */
export const isCoolingHere = (subscriptionId: string, nowMs: number): boolean =>
  nowMs < (memory.heldUntilMs.get(subscriptionId) ?? 0);
