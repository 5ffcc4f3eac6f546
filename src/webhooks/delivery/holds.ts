/**
 * The subscriptions that have just asked this isolate for a pause. This memory bridges the time until the hold is
 * recorded in
 * `subscriptions.held_until`, where every claim sees it.
 */
import { memory } from "./isolate-memory";
import { RECORD_WITHIN_MS } from "./timing";

/** Remembers a hold until `untilMs` (Unix ms), but no longer than recording it can take. */
export function holdHere(subscriptionId: string, untilMs: number, nowMs: number): void {
  memory.heldUntilMs.set(subscriptionId, Math.min(untilMs, nowMs + RECORD_WITHIN_MS));
}

/** Whether a delivery waits for the end of a pause. Manual retries and tests do not. */
export const isForPauses = ({ kind }: { kind: string }): boolean => kind === "event" || kind === "replay";

/** Whether a delivery is held because its subscription is paused or disabled, or has not been released since. */
export const isUnreleased = (delivery: { kind: string; dueAt: number; releasedTo: number | null }): boolean =>
  isForPauses(delivery) && delivery.releasedTo !== null && delivery.dueAt > delivery.releasedTo;

/** Whether a subscription has just asked this isolate for a pause. */
export const isHeldHere = (subscriptionId: string, nowMs: number): boolean =>
  nowMs < (memory.heldUntilMs.get(subscriptionId) ?? 0);
