/**
 * The held deliveries of one delivery database, across its tenants: releases them step by step, and drops those too
 * many or too old.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, query, rows } from "../../../base/db/client";
import { repeatable } from "../../../base/db/faults";
import { firstIdAt } from "../../../base/db/ids";
import { ALL_OPERATIONAL } from "../../../base/schemas/event-type";
import { hourOf, MINUTE_MS } from "../../../base/time";
import { isFrozen } from "../../plane/frozen-store";
import { addToHours } from "../../plane/hours-store";
import { releaseNext, stopDropping } from "../../plane/lane-store";
import { publishOperational } from "../../plane/operational-store";
import { insertAttempts, PLANNED_ID, PLANNED_ID_OF_WRITTEN } from "../../plane/outbox-store";
import { IS_RELEASING } from "../../plane/predicates-store";
import { DROPPED, HOLD_OVERFLOW } from "../../plane/reasons";
import { HELD_COUNTED_EVERY_MINUTES, HELD_GROWING_MS, RELEASE_STEP_MS } from "../../plane/timing";

/** The most deliveries that a subscription holds. */
const MAX_HELD = 100_000;
const MAX_RATE = MAX_HELD;
const PAGE_ROWS = 1_000;

/**
 * Whether the subscription `s` is due for its next step. Never while an operator holds its sends, because nothing would
 * be sent.
 */
const isDue = (nowMs: number) =>
  sql`s.has_backlog = 1 AND ${IS_RELEASING} AND s.released_at <= ${nowMs - RELEASE_STEP_MS}
    AND NOT ${isFrozen(sql.raw("s.tenant_id"))}`;

/** The next step of a subscription whose held deliveries are being released. */
export interface ReleaseStep {
  tenantId: string;
  subscriptionId: string;
  /** How many deliveries the previous step released. */
  rate: number;
  /** Whether an attempt has failed since then. */
  hasFailed: 0 | 1;
}

/** Deliveries of a subscription to drop: the oldest ones, up to a key of its backlog. */
export interface Surplus {
  tenantId: string;
  subscriptionId: string;
  dueAt: number;
  id: string;
  error: string;
}

/** Sorts after every id. */
const LAST_ID = "~";
/** Whether this is the minute in which the subscription `w` is counted: the end of its id is random. */
const isCountedNow = (nowMs: number): SQL => sql`(instr('0123456789abcdef', substr(w.id, -1))
  + ${Math.floor(nowMs / MINUTE_MS)}) % ${HELD_COUNTED_EVERY_MINUTES} = 0`;

/**
 * Returns the steps that are due, the longest waiting first, and which held deliveries to drop: those that a user does
 * not want, those due before `oldestMs` (Unix ms), and those beyond `MAX_HELD`. Only backlogs that have grown lately
 * are counted, each once in ten minutes.
 */
export async function readHeld(
  db: Db,
  oldestMs: number,
  nowMs: number,
): Promise<{ steps: ReleaseStep[]; surplus: Surplus[] }> {
  const holding = sql`(SELECT tenant_id AS tenantId, id, dropped_to FROM subscriptions WHERE has_backlog = 1
    AND released_to IS NOT NULL) w`;
  const isCounted = sql`${isCountedNow(nowMs)}
    AND (SELECT max(due_at) FROM outbox WHERE queue = w.id) > ${nowMs - HELD_GROWING_MS}`;
  const { steps, dropped, old, overflowing } = await atomically(db, {
    steps: rows<ReleaseStep>(sql`SELECT tenant_id AS tenantId, id AS subscriptionId, release_rate AS rate,
      EXISTS (SELECT 1 FROM attempts a
        WHERE a.subscription_id = s.id AND a.id >= ${firstIdAt(nowMs - MINUTE_MS)} AND a.status = 'failed') AS hasFailed
      FROM subscriptions s WHERE ${isDue(nowMs)} ORDER BY released_at`),
    dropped: rows<Surplus>(sql`SELECT tenantId, id AS subscriptionId, dropped_to AS dueAt, ${LAST_ID} AS id, ${DROPPED}
        AS error FROM ${holding}
      WHERE dropped_to IS NOT NULL ORDER BY dropped_to`),
    old: rows<Surplus>(sql`SELECT w.tenantId, w.id AS subscriptionId, ${oldestMs} AS dueAt, ${LAST_ID} AS id,
      ${HOLD_OVERFLOW} AS error FROM ${holding}
      WHERE EXISTS (SELECT 1 FROM outbox WHERE queue = w.id AND due_at <= ${oldestMs})`),
    overflowing:
      rows<Surplus>(sql`SELECT w.tenantId, w.id AS subscriptionId, o.due_at AS dueAt, o.id, ${HOLD_OVERFLOW} AS error
        FROM ${holding}
      CROSS JOIN outbox o ON o.queue = w.id AND (o.due_at, o.id) = (SELECT due_at, id FROM outbox WHERE queue = w.id
        ORDER BY due_at DESC, id DESC LIMIT 1 OFFSET ${MAX_HELD}) WHERE ${isCounted}`),
  });
  return { steps, surplus: [...dropped, ...old, ...overflowing] };
}

/** Releases the next step. Its size doubles with each minute without a failed attempt. */
export async function releaseStep(
  db: Db,
  { subscriptionId, rate, hasFailed }: ReleaseStep,
  nowMs: number,
): Promise<void> {
  const next = hasFailed === 1 ? rate : Math.min(2 * rate, MAX_RATE);
  await repeatable(() => query(db)`${releaseNext(subscriptionId, next, isDue(nowMs), nowMs)}`);
}

/**
 * Drops one page, oldest first, and ends each delivery with a failed attempt. After the last page of what a user does
 * not want, what came later is released. Returns how many it dropped, whether this was the last page, and the
 * operational events that report it.
 */
export async function dropHeld(
  db: Db,
  { subscriptionId, dueAt, id, error }: Surplus,
  nowMs: number,
): Promise<{ dropped: number; isLast: boolean; told: { id: string }[] }> {
  const page = sql`(SELECT * FROM outbox o WHERE queue = ${subscriptionId} AND (due_at, id) <= (${dueAt}, ${id})
    AND NOT EXISTS (
      SELECT 1 FROM attempts a WHERE a.subscription_id = o.subscription_id AND a.id = ${PLANNED_ID})
    ORDER BY due_at, id LIMIT ${PAGE_ROWS}) o`;
  const { removed, told } = await repeatable(() =>
    atomically(db, {
      stats: addToHours(
        sql`SELECT o.subscription_id, 0 AS position, 0 AS succeeded, NULL AS latency_ms, NULL AS failed_at
          FROM ${page}`,
        hourOf(nowMs),
      ),
      told: publishOperational(
        "postern.delivery.exhausted",
        sql`${page} CROSS JOIN subscriptions s ON s.id = o.subscription_id CROSS JOIN events e ON e.id = o.event_id
          WHERE e.type NOT GLOB ${ALL_OPERATIONAL}`,
        nowMs,
        {
          data: sql`'deliveryId', o.id, 'eventId', o.event_id, 'eventType', e.type, 'attempts', o.attempts + 1,
            'lastError', ${error},
            'responseCode', NULL`,
          correlationId: sql`e.correlation_id`,
        },
      ),
      // Otherwise the retry would stay open, and no other retry of its event could be queued.
      retries: sql`UPDATE manual_retries SET state = 'failed' FROM ${page} WHERE o.kind = 'retry'
        AND manual_retries.subscription_id = o.subscription_id AND manual_retries.event_id = o.event_id
          AND manual_retries.delivery_id = o.id`,
      // After the statements above, which would not see a delivery that has ended.
      ended: insertAttempts(
        {
          id: PLANNED_ID,
          eventType: sql`coalesce(e.type, '')`,
          status: sql`'failed'`,
          error,
          attemptedAt: nowMs,
          completedAt: nowMs,
        },
        sql`FROM ${page} LEFT JOIN events e ON e.id = o.event_id`,
      ),
      removed: rows<{
        id: string;
      }>(sql`DELETE FROM outbox WHERE queue = ${subscriptionId} AND (due_at, id) <= (${dueAt}, ${id})
        AND EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = outbox.subscription_id
          AND a.id = ${PLANNED_ID_OF_WRITTEN} AND a.status = 'failed' AND a.error = ${error})
            RETURNING id`),
      stopped: stopDropping(subscriptionId, dueAt),
    }),
  );
  return { dropped: removed.length, isLast: removed.length < PAGE_ROWS, told };
}
