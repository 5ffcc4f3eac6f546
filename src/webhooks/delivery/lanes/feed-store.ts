/** What feeding the lanes of one delivery database reads and writes, across its tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../../../base/db/client";
import { type Ends, endsOf } from "../../../base/db/paging";
import type { OutboxKey } from "../../../base/messages";
import { isFrozen } from "../../plane/frozen-store";
import { open, openEmpty } from "../../plane/lane-store";
import { IS_UNCLAIMED, KEY_COLUMNS, MAIN, UNHELD } from "../../plane/outbox-store";
import { HOLDS_WHEN_OFF, IS_PROBED, isFree } from "../../plane/predicates-store";
import { OVERDUE_COLUMNS, type OverdueDelivery, PLANNED_ATTEMPT } from "../overdue-store";

/** The most rows that one call moves out of the lanes that have caught up. A later call moves the rest. */
const MAX_MOVED = 500;

/** The lane of a subscription, and how many of its deliveries may be in progress. */
export interface Lane {
  id: string;
  width: number;
}

/** Which lanes to read: some, or a page of those that have rows, after the id of a lane; these have one width. */
export type Lanes = { lanes: readonly Lane[] } | { after: string; limit: number; width: number };

/** What a call did in some lanes, and what it found. */
export interface Advance {
  /** The oldest due deliveries of each lane that stays, those in progress included. */
  heads: OverdueDelivery[];
  /** The deliveries that have left lanes. */
  moved: OutboxKey[];
  /** How many lanes the page has, and the id of the last one. */
  count: number;
  last: string;
}

/**
 * The lanes as a CTE `lanes(id, width)`. It steps from lane to lane in the key of the outbox, so that it also finds the
 * rows that remain in the lane of a subscription whose new deliveries have left it.
 */
const lanesOf = (lanes: Lanes): SQL =>
  "lanes" in lanes
    ? sql`WITH lanes(id, width) AS (SELECT value ->> 'id', value ->> 'width' FROM json_each(${jsonList(lanes.lanes)}))`
    : sql`WITH RECURSIVE lanes(id, width) AS (SELECT min(queue), ${lanes.width} FROM outbox WHERE queue > ${lanes.after}
      UNION ALL SELECT (SELECT min(queue) FROM outbox WHERE queue > lanes.id), lanes.width FROM lanes
        WHERE lanes.id IS NOT NULL
      LIMIT ${lanes.limit})`;

/**
 * Opens the lanes that have caught up: nothing stops them, and fewer deliveries are due than their width. New
 * deliveries go to the main outbox queue, and so do the rows of the lane. Ends those of deleted subscriptions. Neither
 * touches deliveries in progress, and a later call does what is left.
 *
 * Returns the oldest due deliveries of each lane: as many as its width, and one while the subscription is probed. Held
 * deliveries are left out; those in progress are included. Manual retries and tests are included too, because no pause
 * holds them but that of a listener without a socket.
 */
export async function advanceLanes(db: Db, lanes: Lanes, nowMs: number): Promise<Advance> {
  const most = "lanes" in lanes ? Math.max(0, ...lanes.lanes.map(({ width }) => width)) : lanes.width;
  const headsOf = (
    isWanted: SQL,
    limit: number,
    candidates = sql`outbox WHERE queue = w.id AND due_at <= min(${nowMs}, w.released_to)`,
  ) =>
    rows<OverdueDelivery>(sql`${lanesOf(lanes)} SELECT ${OVERDUE_COLUMNS}, 1 AS slow
    FROM (SELECT s.id, coalesce(s.released_to, ${nowMs}) AS released_to FROM lanes CROSS JOIN subscriptions s
      ON s.id = lanes.id WHERE s.held_until <= ${nowMs} AND ${isWanted}
        AND NOT ${isFrozen(sql.raw("s.tenant_id"))}) w
    CROSS JOIN outbox o ON o.queue = w.id AND (o.due_at, o.id) IN (SELECT due_at, id FROM ${candidates}
      ORDER BY due_at, id LIMIT ${limit})
    ${PLANNED_ATTEMPT}`);
  const marked = sql`outbox INDEXED BY outbox_in_line WHERE subscription_id = w.id AND slot_at = ${UNHELD}
    AND queue = w.id AND due_at <= ${nowMs} AND due_at > w.released_to`;
  const caughtUp = sql`${lanesOf(lanes)} SELECT s.id FROM lanes CROSS JOIN subscriptions s ON s.id = lanes.id
    WHERE s.is_deleted = 0 AND ${isFree(nowMs)} AND (SELECT count(*) FROM (SELECT 1 FROM outbox
      WHERE queue = s.id AND due_at <= ${nowMs} LIMIT ${most})) < lanes.width`;
  const deleted = sql`${lanesOf(lanes)} SELECT lanes.id FROM lanes LEFT JOIN subscriptions s
    ON s.id = lanes.id AND s.is_deleted = 0 WHERE lanes.id IS NOT NULL AND s.id IS NULL`;
  const unclaimedOf = (ids: SQL) => sql`(queue, due_at, id) IN (SELECT o.queue, o.due_at, o.id FROM (${ids}) l
    CROSS JOIN outbox o ON o.queue = l.id WHERE ${IS_UNCLAIMED} LIMIT ${MAX_MOVED})`;
  const { page, due, probed, unpaused, moved, ended } = await atomically(db, {
    // The reads come first, because what leaves a lane moves the end of the page.
    page: rows<{ count: number; last: string }>(sql`${lanesOf(lanes)} SELECT count(id) AS count,
      coalesce(max(id), '') AS last FROM lanes`),
    due: headsOf(sql`NOT ${HOLDS_WHEN_OFF}`, most),
    probed: headsOf(IS_PROBED, 1),
    unpaused: headsOf(sql`s.released_to IS NOT NULL AND s.listener_of IS NULL`, most, marked),
    opened: open(caughtUp),
    moved: rows<OutboxKey>(sql`UPDATE outbox SET queue = ${MAIN}, slot_at = nullif(slot_at, ${UNHELD})
      WHERE ${unclaimedOf(caughtUp)} RETURNING ${KEY_COLUMNS}`),
    ended: rows<{ id: string }>(sql`DELETE FROM outbox WHERE ${unclaimedOf(deleted)} RETURNING id`),
  });
  const left = new Set([...moved, ...ended].map(({ id }) => id));
  const heads = [...("lanes" in lanes ? withinWidths(due, lanes.lanes) : due), ...probed, ...unpaused];
  return { heads: heads.filter(({ id }) => !left.has(id)), moved, ...(page[0] ?? { count: 0, last: "" }) };
}

/** A limit in SQL is the same for all lanes, so the surplus of the narrower ones is dropped here. */
function withinWidths(heads: readonly OverdueDelivery[], lanes: readonly Lane[]): OverdueDelivery[] {
  const room = new Map(lanes.map(({ id, width }) => [id, width]));
  const oldestFirst = heads.toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
  return oldestFirst.filter(({ queue }) => {
    const left = room.get(queue) ?? 0;
    room.set(queue, left - 1);
    return left > 0;
  });
}

/** The first and the last lane that has rows; null if none has. */
export async function findLaneEnds(db: Db): Promise<Ends | null> {
  return endsOf(
    await query<{ first: string | null; last: string | null }>(db)`SELECT
      (SELECT min(queue) FROM outbox WHERE queue > '') AS first,
      (SELECT max(queue) FROM outbox WHERE queue > '') AS last`,
  );
}

/** How many lanes without rows a call looks for after each of two places. */
const EMPTY_LANES = 500;

/**
 * Ends lanes without rows, also those whose deliveries were being released: new deliveries go to the main outbox queue.
 * Looks at the first lanes and at those after the id `after`.
 */
export async function endEmptyLanes(db: Db, after: string, nowMs: number): Promise<void> {
  const endAfter = (id: string) =>
    openEmpty(
      sql`SELECT id FROM subscriptions WHERE has_backlog = 1 AND id > ${id} ORDER BY id LIMIT ${EMPTY_LANES}`,
      nowMs,
    );
  await atomically(db, { first: endAfter(""), next: after === "" ? undefined : endAfter(after) });
}
