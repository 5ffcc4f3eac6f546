/** Releasing held deliveries step by step. The backlog of a subscription is in the order of publication. */
import { type SQL, sql } from "drizzle-orm";

/**
 * When the last delivery of the next step is due, as SQL: the `count`-th delivery in the backlog of a subscription that
 * is due after
 * `afterMs` (Unix ms). NULL if there are fewer, so that all of them are released.
 */
export const lastOfStep = (subscriptionId: SQL, count: SQL | number, afterMs: SQL | number = -1): SQL =>
  sql`(SELECT due_at FROM outbox WHERE queue = ${subscriptionId} AND due_at > ${afterMs} ORDER BY due_at, id
    LIMIT 1 OFFSET ${count} - 1)`;

/** Whether a subscription that the service disables holds its deliveries, as SQL. */
const HOLDS = sql.raw("coalesce(options ->> '$.onDisable' = 'hold' OR options ->> '$.retry.schedule' IS NOT NULL, 0)");

/** Assignments for an UPDATE that disables subscriptions: they begin to hold deliveries if the options say so. */
export const HOLD_WHEN_DISABLED = sql`released_to = iif(${HOLDS}, 0, NULL), has_backlog = max(has_backlog, ${HOLDS})`;

/** How many held deliveries the first step releases. */
export const FIRST_RELEASED = 200;

/**
 * Assignments for an UPDATE of subscriptions: they begin to release the held deliveries of the subscription with this
 * id (SQL).
 */
export const releaseFrom = (subscriptionId: SQL, nowMs: number): SQL =>
  sql`released_to = ${lastOfStep(subscriptionId, FIRST_RELEASED)}, release_rate = ${FIRST_RELEASED}, released_at =
    ${nowMs}`;
