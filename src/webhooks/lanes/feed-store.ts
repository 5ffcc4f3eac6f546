/** What feeding the lanes of one delivery database reads and writes, across its tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { type Ends, endsOf } from "../../platform/db/paging";
import type { DueDelivery } from "../delivery/enqueue";
import { IS_UNCLAIMED, MAIN, UNHELD } from "../delivery/outbox-store";
import { OVERDUE_COLUMNS, type OverdueDelivery, PLANNED_ATTEMPT } from "../delivery/overdue-store";
import { isFrozen } from "./frozen-store";
import { open, openEmpty } from "./lane-store";
import { HOLDS_WHEN_OFF, IS_PROBED, isFree, isSlowAt } from "./predicates-store";

/** The most rows that one call moves out of the lanes that have caught up. A later call moves the rest. */
const MAX_MOVED = 500;

/** The lane of a subscription, and how many of its deliveries may be in progress. */
export interface Lane {
  id: string;
  width: number;
}

/** Which lanes to read: some, or a page of those that have rows, after the id of a lane; these have one width. */
export type Lanes = { lanes: readonly Lane[] } | { after: string; limit: number; width: number };

/** What a call found in some lanes. */
export interface LaneHeads {
  /** The oldest due deliveries of each lane, those in progress included. */
  heads: OverdueDelivery[];
  /** The lanes that have caught up, or that new deliveries have left already. */
  caughtUp: Lane[];
  /** The lanes whose subscription is deleted. */
  ended: string[];
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

/** The width of the widest lane. */
const widest = (lanes: readonly Lane[]): number => Math.max(0, ...lanes.map(({ width }) => width));

/**
 * Whether the lane of `s` has caught up, as SQL: nothing stops it, and fewer than `width` of its deliveries are due. No
 * width is more than `most`.
 */
const hasCaughtUp = (width: SQL, most: number, nowMs: number): SQL => sql`${isFree(nowMs)}
  AND (SELECT count(*) FROM (SELECT 1 FROM outbox WHERE queue = s.id AND due_at <= ${nowMs}
    LIMIT ${most})) < ${width}`;

/**
 * Returns the oldest due deliveries of each lane: as many as its width, and one while the subscription is probed. Held
 * deliveries are left out; those in progress are included. Manual retries and tests are included too, because no pause
 * holds them but that of a listener without a socket.
 */
export async function readLaneHeads(db: Db, lanes: Lanes, nowMs: number): Promise<LaneHeads> {
  const width = "lanes" in lanes ? widest(lanes.lanes) : lanes.width;
  const headsOf = (
    isWanted: SQL,
    limit: number,
    candidates = sql`outbox WHERE queue = w.id AND due_at <= min(${nowMs}, w.released_to)`,
  ) =>
    rows<OverdueDelivery>(sql`${lanesOf(lanes)} SELECT ${OVERDUE_COLUMNS},
      coalesce(${isSlowAt(nowMs)}, 0) AS slow
    FROM (SELECT s.id, coalesce(s.released_to, ${nowMs}) AS released_to FROM lanes CROSS JOIN subscriptions s
      ON s.id = lanes.id WHERE s.held_until <= ${nowMs} AND ${isWanted}
        AND NOT ${isFrozen(sql.raw("s.tenant_id"))}) w
    CROSS JOIN outbox o ON o.queue = w.id AND (o.due_at, o.id) IN (SELECT due_at, id FROM ${candidates}
      ORDER BY due_at, id LIMIT ${limit})
    ${PLANNED_ATTEMPT}`);
  const marked = sql`outbox INDEXED BY outbox_in_line WHERE subscription_id = w.id AND slot_at = ${UNHELD}
    AND queue = w.id AND due_at <= ${nowMs} AND due_at > w.released_to`;
  const { due, probed, unpaused, caughtUp, ended, page } = await atomically(db, {
    due: headsOf(sql`NOT ${HOLDS_WHEN_OFF}`, width),
    probed: headsOf(IS_PROBED, 1),
    unpaused: headsOf(sql`s.released_to IS NOT NULL AND s.listener_of IS NULL`, width, marked),
    caughtUp: rows<Lane>(sql`${lanesOf(lanes)} SELECT s.id, lanes.width FROM lanes CROSS JOIN subscriptions s
      ON s.id = lanes.id WHERE s.is_deleted = 0 AND ${hasCaughtUp(sql.raw("lanes.width"), width, nowMs)}`),
    ended: rows<{ id: string }>(sql`${lanesOf(lanes)} SELECT lanes.id FROM lanes LEFT JOIN subscriptions s
      ON s.id = lanes.id AND s.is_deleted = 0 WHERE lanes.id IS NOT NULL AND s.id IS NULL`),
    page: rows<{ count: number; last: string }>(sql`${lanesOf(lanes)} SELECT count(id) AS count,
      coalesce(max(id), '') AS last FROM lanes`),
  });
  return {
    heads: [...("lanes" in lanes ? withinWidths(due, lanes.lanes) : due), ...probed, ...unpaused],
    caughtUp,
    ended: ended.map(({ id }) => id),
    ...(page[0] ?? { count: 0, last: "" }),
  };
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

/**
 * Opens those of the lanes that have caught up: new deliveries go to the main outbox queue, and so do the rows of the
 * lane, except those in progress. Returns the rows that it has moved.
 */
export async function openLanes(db: Db, lanes: readonly Lane[], nowMs: number): Promise<DueDelivery[]> {
  const given = sql`json_each(${jsonList(lanes)}) j`;
  const list = sql`SELECT j.value ->> 'id' FROM ${given}`;
  const width = sql`(SELECT j.value ->> 'width' FROM ${given} WHERE j.value ->> 'id' = s.id)`;
  const { moved } = await atomically(db, {
    opened: open(list, hasCaughtUp(width, widest(lanes), nowMs)),
    moved: rows<DueDelivery>(sql`UPDATE outbox SET queue = ${MAIN}, slot_at = nullif(slot_at, ${UNHELD})
      WHERE (queue, due_at, id) IN (SELECT o.queue, o.due_at, o.id FROM subscriptions s
        CROSS JOIN outbox o ON o.queue = s.id WHERE s.id IN (${list}) AND s.has_backlog = 0 AND ${IS_UNCLAIMED}
        LIMIT ${MAX_MOVED})
      RETURNING queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes, 1 AS slow`),
  });
  return moved;
}

/** Ends deliveries in the lanes of deleted subscriptions, except those in progress. A later call ends the rest. */
export async function endDeliveries(db: Db, subscriptionIds: readonly string[]): Promise<void> {
  await atomically(db, {
    ended: sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (SELECT o.queue, o.due_at, o.id
      FROM json_each(${jsonList(subscriptionIds)}) j CROSS JOIN outbox o ON o.queue = j.value
      WHERE ${IS_UNCLAIMED} LIMIT ${MAX_MOVED})`,
  });
}

/** The first and the last lane that has rows; null if none has. */
export async function readLaneEnds(db: Db): Promise<Ends | null> {
  const { ends } = await atomically(db, {
    ends: rows<{ first: string | null; last: string | null }>(sql`SELECT
      (SELECT min(queue) FROM outbox WHERE queue > '') AS first, (SELECT max(queue) FROM outbox
        WHERE queue > '') AS last`),
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
  const endAfter = (id: string) =>
    openEmpty(
      sql`SELECT id FROM subscriptions WHERE has_backlog = 1 AND id > ${id} ORDER BY id LIMIT ${EMPTY_LANES}`,
      nowMs,
    );
  await atomically(db, { first: endAfter(""), next: after === "" ? undefined : endAfter(after) });
}
