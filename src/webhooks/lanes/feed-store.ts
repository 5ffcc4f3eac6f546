/** What feeding the lanes of one delivery database reads and writes, across its tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { IS_UNCLAIMED } from "../../platform/db/outbox";
import { type Ends, endsOf } from "../../platform/db/paging";
import { areSendsHeld } from "../../platform/db/predicates";
import type { DueDelivery } from "../delivery/enqueue";
import { OVERDUE_COLUMNS, type OverdueDelivery, PLANNED_ATTEMPT } from "../delivery/overdue-store";
import { MARK } from "./lane-store";

/** The most rows that one call moves out of the lanes that have caught up. A later call moves the rest. */
const MAX_MOVED = 500;

/** Which lanes to read: that of one subscription, or a page of those that have rows, after the id of a lane. */
export type Lanes = { subscriptionId: string } | { after: string; limit: number };

/** What a call found in some lanes. */
export interface LaneHeads {
  /** The oldest due deliveries of each lane, those in progress included. */
  heads: OverdueDelivery[];
  /** The lanes that have caught up, or that new deliveries have left already. */
  caughtUp: string[];
  /** How many lanes the page has, and the id of the last one. */
  count: number;
  last: string;
}

/**
 * The lanes as a CTE `lanes(id)`. It steps from lane to lane in the key of the outbox, so that it also finds the rows
 * that remain in the lane of a subscription whose new deliveries have left it.
 */
const lanesOf = (lanes: Lanes): SQL =>
  "subscriptionId" in lanes
    ? sql`WITH lanes(id) AS (SELECT ${lanes.subscriptionId})`
    : sql`WITH RECURSIVE lanes(id) AS (SELECT min(queue) FROM outbox WHERE queue > ${lanes.after}
      UNION ALL SELECT (SELECT min(queue) FROM outbox WHERE queue > lanes.id) FROM lanes WHERE lanes.id IS NOT NULL
      LIMIT ${lanes.limit})`;

/**
 * Whether the lane of the subscription `s` has caught up, as SQL: nothing stops it, and fewer than `width` of its
 * deliveries are due.
 */
const hasCaughtUp = (width: number, nowMs: number): SQL => sql`s.held_until <= ${nowMs} AND s.released_to IS NULL
  AND NOT ${areSendsHeld(sql.raw("s.tenant_id"))}
  AND (SELECT count(*) FROM (SELECT 1 FROM outbox WHERE queue = s.id AND due_at <= ${nowMs} LIMIT ${width})) < ${width}`;

/**
 * Returns the oldest due deliveries of each lane: at most `width`, and one while the subscription is probed. Held
 * deliveries are left out; those in progress are included. Manual retries and tests are included too, because no pause
 * holds them.
 */
export async function readLaneHeads(db: Db, lanes: Lanes, width: number, nowMs: number): Promise<LaneHeads> {
  const headsOf = (
    isWanted: SQL,
    limit: number,
    candidates = sql`outbox WHERE queue = w.id AND due_at <= min(${nowMs}, w.released_to)`,
  ) =>
    rows<OverdueDelivery>(sql`${lanesOf(lanes)} SELECT ${OVERDUE_COLUMNS},
      coalesce(s.slow_until > ${nowMs}, 0) AS slow
    FROM (SELECT f.id, coalesce(f.released_to, ${nowMs}) AS released_to FROM lanes CROSS JOIN subscriptions f
      ON f.id = lanes.id WHERE f.held_until <= ${nowMs} AND ${isWanted}
        AND NOT ${areSendsHeld(sql.raw("f.tenant_id"))}) w
    CROSS JOIN outbox o ON o.queue = w.id AND (o.due_at, o.id) IN (SELECT due_at, id FROM ${candidates}
      ORDER BY due_at, id LIMIT ${limit})
    ${PLANNED_ATTEMPT}`);
  const isProbed = sql`(f.enabled = 0 AND f.released_to IS NOT NULL)`;
  const marked = sql`outbox INDEXED BY outbox_in_line WHERE subscription_id = w.id AND slot_at = ${MARK}
    AND queue = w.id AND due_at <= ${nowMs} AND due_at > w.released_to`;
  const { open, probed, unpaused, caughtUp, page } = await atomically(db, {
    open: headsOf(sql`NOT ${isProbed}`, width),
    probed: headsOf(isProbed, 1),
    unpaused: headsOf(sql`f.released_to IS NOT NULL`, width, marked),
    caughtUp: rows<{ id: string }>(sql`${lanesOf(lanes)} SELECT s.id FROM lanes CROSS JOIN subscriptions s
      ON s.id = lanes.id WHERE ${hasCaughtUp(width, nowMs)}`),
    page: rows<{ count: number; last: string }>(sql`${lanesOf(lanes)} SELECT count(id) AS count,
      coalesce(max(id), '') AS last FROM lanes`),
  });
  return {
    heads: [...open, ...probed, ...unpaused],
    caughtUp: caughtUp.map(({ id }) => id),
    ...(page[0] ?? { count: 0, last: "" }),
  };
}

/**
 * Opens those of the lanes that have caught up: new deliveries go to the main outbox queue, and so do the rows of the
 * lane, except those in progress. Returns the rows that it has moved.
 */
export async function openLanes(
  db: Db,
  subscriptionIds: readonly string[],
  width: number,
  nowMs: number,
): Promise<DueDelivery[]> {
  const list = sql`SELECT value FROM json_each(${jsonList(subscriptionIds)})`;
  const { moved } = await atomically(db, {
    opened: sql`UPDATE subscriptions AS s SET has_backlog = 0, held_until = 0, dropped_to = NULL
      WHERE s.id IN (${list}) AND s.has_backlog = 1 AND ${hasCaughtUp(width, nowMs)}`,
    moved: rows<DueDelivery>(sql`UPDATE outbox SET queue = '', slot_at = nullif(slot_at, ${MARK})
      WHERE (queue, due_at, id) IN (SELECT o.queue, o.due_at, o.id FROM subscriptions s
        CROSS JOIN outbox o ON o.queue = s.id WHERE s.id IN (${list}) AND s.has_backlog = 0 AND ${IS_UNCLAIMED}
        LIMIT ${MAX_MOVED})
      RETURNING queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes, 1 AS slow`),
  });
  return moved;
}

/** The first and the last lane that has rows; null if none has. */
export async function readLaneEnds(db: Db): Promise<Ends | null> {
  const { ends } = await atomically(db, {
    ends: rows<{ first: string | null; last: string | null }>(sql`SELECT
      (SELECT min(queue) FROM outbox WHERE queue > '') AS first, (SELECT max(queue) FROM outbox WHERE queue > '') AS last`),
  });
  return endsOf(ends);
}

/** How many lanes without rows a call looks for after each of two places. */
const EMPTY_LANES = 500;

/**
 * Ends lanes without rows, also those whose deliveries were being released: new deliveries go to the main outbox queue.
 * Looks at the first lanes and at those after the id `after`.
 */
export async function endEmptyLanes(db: Db, after: string, nowMs: number): Promise<void> {
  const endAfter = (id: string) => sql`UPDATE subscriptions
    SET has_backlog = 0, held_until = 0, released_to = NULL, dropped_to = NULL
    WHERE id IN (SELECT id FROM subscriptions WHERE has_backlog = 1 AND id > ${id} ORDER BY id LIMIT ${EMPTY_LANES})
      AND held_until <= ${nowMs} AND (enabled = 1 OR released_to IS NULL)
      AND NOT EXISTS (SELECT 1 FROM outbox WHERE queue = subscriptions.id)`;
  await atomically(db, { first: endAfter(""), next: after === "" ? undefined : endAfter(after) });
}
