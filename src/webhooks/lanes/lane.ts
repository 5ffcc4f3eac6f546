/**
 * The lane of a subscription: where its new deliveries go, and what may be sent. `lane-store.ts` has every transition.
 *
 *             a receiver hangs, asks for a pause,               cooling
 *             or an operator freezes its sends          ┌──►  (Retry-After)
 *     open ───────────────────────────────────► backlog ┘         │
 *      ▲                                          │ ▲  ◄──────────┘ the pause has passed
 *      └────────── it has caught up ──────────────┘ │
 *                                                   │ every step is released
 *     any of these ── paused or disabled ──► held ──┼──► releasing   enabled again: step by step
 *                                            ▲   │  │
 *                           the probe failed │   │  └──► dropping    enabled again without what was held
 *                                            │   ▼
 *                                           probing ───► releasing   the probe succeeded, which enables it
 *
 * A subscription that is paused or disabled without holding deliveries keeps its lane as it is: whatever is due fails
 * with the reason "paused". An operator's freeze is no state of a lane, because it belongs to the tenant.
 *
 * The state is stored in columns of the subscription, which only this file and the predicates of `lane-store.ts`
 * interpret. One column with the name of the state would not be understood by the former release, which runs beside
 * the new one during a deployment, and the columns of a state are its parameters anyway.
 */

export type LaneState =
  /** New deliveries go to the main outbox queue. */
  | "open"
  /** New deliveries wait behind the earlier ones, and as many as the width of the lane are sent at once. */
  | "backlog"
  /** Nothing is sent until a time for which the receiver asked. */
  | "cooling"
  /** Nothing is sent, because the subscription is paused or disabled and holds its deliveries. */
  | "held"
  /** It is disabled, and its oldest delivery is sent to see whether the receiver works again. */
  | "probing"
  /** It is enabled again, and what was held is sent step by step. */
  | "releasing"
  /** It is enabled again, and what was held ends without being sent. */
  | "dropping";

/** What is stored about a lane. Times are Unix ms. */
export interface LaneColumns {
  enabled: boolean | 0 | 1;
  hasBacklog: boolean | 0 | 1;
  heldUntil: number;
  /** Deliveries that are due after this time may not be sent; 0: none may; null: all may. */
  releasedTo: number | null;
  /** Deliveries that were due until this time are dropped; null: none is. */
  droppedTo: number | null;
}

/** Returns the state of a lane. */
export function laneOf(
  { enabled, hasBacklog, heldUntil, releasedTo, droppedTo }: LaneColumns,
  nowMs: number,
): LaneState {
  if (releasedTo !== null && !enabled) return isProbed({ enabled, releasedTo }) ? "probing" : "held";
  if (releasedTo !== null) return droppedTo === null ? "releasing" : "dropping";
  if (heldUntil > nowMs) return "cooling";
  return hasBacklog ? "backlog" : "open";
}

type Release = Pick<LaneColumns, "enabled" | "releasedTo">;

/** Whether a subscription that is off holds its deliveries instead of failing them. */
export const holdsWhenOff = ({ enabled, releasedTo }: Release): boolean => !enabled && releasedTo !== null;

/** Whether a disabled subscription has a delivery that may be sent as a probe. */
export const isProbed = ({ enabled, releasedTo }: Release): boolean =>
  !enabled && releasedTo !== null && releasedTo > 0;

/** Whether a delivery that is due at `dueAt` may not be sent yet. Manual retries and tests are never held. */
export const isHeldBack = (dueAt: number, { releasedTo }: Pick<LaneColumns, "releasedTo">): boolean =>
  releasedTo !== null && dueAt > releasedTo;
