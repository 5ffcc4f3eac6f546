/**
 * Subscriptions that have just asked this isolate to wait. It bridges the moment until the hold is recorded and every claim sees it in
 * `subscriptions.held_until`.
 */
import { RECORD_WITHIN_MS } from "./timing";

/** Bounds the memory. */
const MAX_HOLDS = 10_000;
const heldUntilMs = new Map<string, number>();

/** Remembers a hold until `untilMs` (Unix ms), or until it must have been recorded. */
export function holdHere(subscriptionId: string, untilMs: number, nowMs: number): void {
  if (heldUntilMs.size >= MAX_HOLDS) heldUntilMs.clear();
  heldUntilMs.set(subscriptionId, Math.min(untilMs, nowMs + RECORD_WITHIN_MS));
}

/** Whether a subscription has just asked this isolate to wait. */
export const isHeldHere = (subscriptionId: string, nowMs: number): boolean =>
  nowMs < (heldUntilMs.get(subscriptionId) ?? 0);
