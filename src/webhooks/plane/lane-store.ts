/**
 * Every transition of a lane, as SQL. No other file writes the columns `enabled`, `disabled_*`, `has_backlog`,
 * `held_until`, `slow_until`, `released_*`, `release_rate` and `dropped_to` of a subscription. `lane.ts` has a picture.
 */

import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query } from "../../base/db/client";
import type { OutboxKey } from "../../base/messages";
import { withFormerState } from "./former-states-store";
import { isInMain, MAIN, PLANNED_ID_OF_WRITTEN, UNHELD } from "./outbox-store";
import { HOLDS_WHEN_OFF, IS_PROBED } from "./predicates-store";
import { MARKED_SLOW_FOR_MS, SLOW_FOR_MS } from "./timing";

/** Values by column, for an UPDATE of `subscriptions AS s`. */
export type Columns = Readonly<Record<string, SQL>>;

export const assign = (columns: Columns): SQL =>
  sql.join(
    Object.entries(columns).map(([column, value]) => sql`${sql.identifier(column)} = ${value}`),
    sql`, `,
  );

/** How many held deliveries the first step releases. */
const FIRST_RELEASED = 200;

/**
 * When the last delivery of the next step is due, as SQL: the `count`-th one in the lane of a subscription that is due
 * after `afterMs` (Unix ms). NULL if there are fewer, so that all of them are released.
 */
const lastOfStep = (count: number, afterMs: SQL | number = -1): SQL =>
  sql`(SELECT due_at FROM outbox WHERE queue = s.id AND due_at > ${afterMs} ORDER BY due_at, id
    LIMIT 1 OFFSET ${count - 1})`;

/** The columns of a new subscription: held if it begins paused and holds its deliveries, and otherwise open. */
export const initialLane = (isHolding: boolean) => ({
  hasBacklog: Number(isHolding),
  releasedTo: isHolding ? 0 : null,
});

/** Whether a subscription holds its deliveries while the service has disabled it, as SQL. */
export const HOLDS_IF_DISABLED = sql.raw(
  "coalesce(s.options ->> '$.onDisable' = 'hold' OR s.options ->> '$.retry.schedule' IS NOT NULL, 0)",
);

interface Disabling {
  /** Null if its users pause it. */
  reason: "failing" | "gone" | null;
  atMs: SQL | number;
  /** Whether it holds its deliveries, as SQL. Otherwise those that come due fail. */
  holds: SQL;
}

/** Any state → held, or paused without a hold. Changes nothing in a subscription that is not enabled. */
export const disable = ({ reason, atMs, holds }: Disabling): Columns => ({
  enabled: sql`0`,
  released_to: sql`CASE WHEN s.enabled = 0 THEN s.released_to WHEN ${holds} THEN 0 END`,
  has_backlog: sql`CASE WHEN s.enabled = 1 AND ${holds} THEN 1 ELSE s.has_backlog END`,
  ...(reason === null ? {} : { disabled_reason: sql`${reason}`, disabled_at: sql`${atMs}` }),
});

/** Disables the subscriptions that are enabled and meet `condition`; `from` joins tables that it names. */
export const disableWhere = (disabling: Disabling, condition: SQL, from: SQL = sql``): SQL =>
  sql`UPDATE subscriptions AS s SET ${assign({ ...disable(disabling), ...changed(disabling.atMs) })} ${from}
    WHERE s.enabled = 1 AND ${condition}`;

/** What changes beside `enabled` when a subscription is disabled or enabled without a request of its users. */
const changed = (atMs: SQL | number): Columns => ({
  former_states: withFormerState(atMs, { enabled: sql.raw("s.enabled") }),
  ...newVersion(atMs),
});

const newVersion = (atMs: SQL | number): Columns => ({ version: sql`version + 1`, updated_at: sql`${atMs}` });

/**
 * Held or probing → releasing, or dropping what it holds; paused without a hold → as it was. It forgets why the service
 * has disabled it. In one that is enabled, nothing is released or dropped.
 */
export const enable = (held: "send" | "drop", nowMs: number): Columns => {
  const ifHeld = (value: SQL | number, column: string) =>
    sql`CASE WHEN ${HOLDS_WHEN_OFF} THEN ${value} ELSE ${sql.raw(`s.${column}`)} END`;
  const release: Columns =
    held === "drop"
      ? { dropped_to: ifHeld(nowMs, "dropped_to") }
      : {
          released_to: ifHeld(lastOfStep(FIRST_RELEASED), "released_to"),
          release_rate: ifHeld(FIRST_RELEASED, "release_rate"),
          released_at: ifHeld(nowMs, "released_at"),
        };
  const forgotten = { disabled_reason: sql`NULL`, disabled_at: sql`NULL`, gone_since: sql`NULL` };
  return { enabled: sql`1`, ...forgotten, ...release };
};

/** Probing → releasing: the probes of these subscriptions (SQL) have succeeded. */
export const enableAfterProbe = (ids: SQL, nowMs: number): SQL =>
  sql`UPDATE subscriptions AS s SET ${assign({ ...enable("send", nowMs), ...changed(nowMs) })} WHERE s.id IN (${ids})`;

/** Held → probing: the oldest delivery may be sent, and the sweep sends it. */
export const beginProbe = (ids: SQL): SQL =>
  sql`UPDATE subscriptions AS s SET released_to = coalesce((SELECT min(due_at) FROM outbox WHERE queue = s.id), 0)
    WHERE s.id IN (${ids})`;

/** Probing → held: the probes of these subscriptions (SQL) have failed or were interrupted. */
export const endProbe = (ids: SQL): SQL =>
  sql`UPDATE subscriptions AS s SET released_to = 0 WHERE ${IS_PROBED} AND s.id IN (${ids})`;

/** Releasing → releasing the next step, or backlog if it is the last; if `condition` holds. */
export const releaseNext = (subscriptionId: string, count: number, condition: SQL, nowMs: number): SQL =>
  sql`UPDATE subscriptions AS s SET released_at = ${nowMs}, release_rate = ${count},
    released_to = ${lastOfStep(count, sql`s.released_to`)} WHERE s.id = ${subscriptionId} AND ${condition}`;

/** Dropping → backlog; one that was disabled meanwhile holds on. `droppedTo` is the end of what was to be dropped. */
export const stopDropping = (subscriptionId: string, droppedTo: number): SQL =>
  sql`UPDATE subscriptions AS s SET dropped_to = NULL, released_to = iif(s.enabled, NULL, s.released_to)
    WHERE s.id = ${subscriptionId} AND s.dropped_to = ${droppedTo}
      AND NOT EXISTS (SELECT 1 FROM outbox WHERE queue = s.id AND due_at <= s.dropped_to)`;

/**
 * Open or backlog → cooling: `pauses` selects subscription_id and until (Unix ms). The subscription stays slow after
 * the pause, so that its waiting deliveries are not all sent at once.
 */
export const coolDown = (pauses: SQL): SQL =>
  sql`UPDATE subscriptions AS s SET held_until = t.until, has_backlog = 1, slow_until = t.until + ${SLOW_FOR_MS}
    FROM (${pauses}) t WHERE s.id = t.subscription_id AND s.held_until < t.until`;

/**
 * The new `held_until` for cooling → backlog: a pause belongs to the URL and the options that were answered with it.
 */
export const END_COOLDOWN = sql.raw("0");

/** Sends the deliveries of these subscriptions (SQL) through the slow queue from now on. Writes at most every 5 min. */
export const slowDown = (ids: SQL, nowMs: number): SQL =>
  sql`UPDATE subscriptions SET slow_until = ${nowMs + SLOW_FOR_MS}
    WHERE slow_until < ${nowMs + SLOW_FOR_MS / 2} AND id IN (${ids})`;

/**
 * Sends a subscription's deliveries through the slow queue for a while. Needs no tenant, because the caller has claimed
 * one of them.
 */
export async function markSlow(db: Db, subscriptionId: string, nowMs: number): Promise<void> {
  const untilMs = nowMs + MARKED_SLOW_FOR_MS;
  await query(db)`UPDATE subscriptions SET slow_until = ${untilMs} WHERE id = ${subscriptionId}
    AND slow_until < ${untilMs}`;
}

/** Open → backlog: moves deliveries into the lanes of their subscriptions, except those in progress. */
export async function moveToLanes(db: Db, deliveries: readonly OutboxKey[]): Promise<void> {
  const keys = deliveries.filter(isInMain);
  if (keys.length === 0) return;
  const list = jsonList(keys.map(({ dueAt, id, subscriptionId }) => ({ dueAt, id, subscriptionId })));
  await atomically(db, {
    flagged: sql`UPDATE subscriptions SET has_backlog = 1 WHERE has_backlog = 0
      AND id IN (SELECT value ->> 'subscriptionId' FROM json_each(${list}))`,
    moved: sql`UPDATE outbox SET queue = subscription_id, slot_at = iif(kind IN ('retry', 'test'), ${UNHELD}, slot_at)
      WHERE queue = ${MAIN} AND (due_at, id) IN (SELECT value ->> 'dueAt', value ->> 'id' FROM json_each(${list}))
      AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = outbox.subscription_id
        AND a.id = ${PLANNED_ID_OF_WRITTEN})`,
  });
}

/** Backlog → open, if `condition` holds: new deliveries go to the main outbox queue. */
export const open = (ids: SQL, condition = sql`1`): SQL =>
  sql`UPDATE subscriptions AS s SET has_backlog = 0, held_until = 0, released_to = NULL, dropped_to = NULL
    WHERE s.id IN (${ids}) AND s.has_backlog = 1 AND ${condition}`;

/** Releasing, dropping or backlog → open: nothing is in the lane any more. */
export const openEmpty = (ids: SQL, nowMs: number): SQL =>
  open(
    ids,
    sql`s.held_until <= ${nowMs} AND NOT ${HOLDS_WHEN_OFF} AND NOT EXISTS (SELECT 1 FROM outbox WHERE queue = s.id)`,
  );

/** Held → backlog: a listener has a socket. All that it holds may be sent. */
export const attach = (nowMs: number): Columns => ({
  enabled: sql`1`,
  released_to: sql`NULL`,
  ...newVersion(nowMs),
});

/** Any state → held: a listener has no socket any more. */
export const detach = (nowMs: number): Columns => ({
  enabled: sql`0`,
  released_to: sql`0`,
  has_backlog: sql`1`,
  ...newVersion(nowMs),
});

/** Any state → nothing is held: its deliveries end, because the subscription is deleted. */
export const END_LANE: Columns = { released_to: sql`NULL`, dropped_to: sql`NULL` };
