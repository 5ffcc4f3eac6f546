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
 * - open: new deliveries go to the main outbox queue.
 * - backlog: new deliveries wait behind the earlier ones, and as many as the width of the lane are sent at once.
 * - cooling: nothing is sent until a time for which the receiver asked.
 * - held: nothing is sent, because the subscription is paused or disabled and holds its deliveries.
 * - probing: it is disabled, and its oldest delivery is sent to see whether the receiver works again.
 * - releasing: it is enabled again, and what was held is sent step by step.
 * - dropping: it is enabled again, and what was held ends without being sent.
 *
 * A subscription that is paused or disabled without holding deliveries keeps its lane as it is: whatever is due fails
 * with the reason "paused". An operator's freeze is no state of a lane, because it belongs to the tenant.
 *
 * The state is stored in columns of the subscription, which only this file and `predicates-store.ts` interpret. One
 * column with the name of the state would not be understood by the former release, which runs beside the new one during
 * a deployment, and the columns of a state are its parameters anyway.
 */

/** What tells whether a lane holds its deliveries. */
interface Hold {
  enabled: boolean | 0 | 1;
  /** Deliveries that are due after this time may not be sent, Unix ms; 0: none may; null: all may. */
  releasedTo: number | null;
}

/** Whether a subscription that is off holds its deliveries instead of failing them. */
export const holdsWhenOff = ({ enabled, releasedTo }: Hold): boolean => !enabled && releasedTo !== null;

/** Whether a delivery waits for the end of a pause. Manual retries and tests do not. */
export const isForPauses = ({ kind }: { kind: string }): boolean => kind === "event" || kind === "replay";

/** Whether a delivery is held because its subscription is paused or disabled, or has not been released since. */
export const isUnreleased = (delivery: Pick<Hold, "releasedTo"> & { kind: string; dueAt: number }): boolean =>
  isForPauses(delivery) && delivery.releasedTo !== null && delivery.dueAt > delivery.releasedTo;
