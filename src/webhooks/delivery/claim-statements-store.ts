/**
 * The statements of a claim. Their texts are built once, because that takes longer than running them for a delivery or
 * two.
 */
import { type SQL, sql } from "drizzle-orm";
import { fixed } from "../../base/db/client";
import type { OutboxKey } from "../../base/messages";
import type { QueueSpeed } from "../plane/enqueue";
import {
  type DeliveryKind,
  IS_DUE_AT_SLOT,
  IS_UNCLAIMED,
  insertAttempts,
  insertPlaceholders,
  KEY_COLUMNS_OF_O,
  outboxByKeys,
  PLANNED_ID,
} from "../plane/outbox-store";
import { PAYLOAD } from "../plane/payload-store";
import { isSlowAt, mustWait } from "../plane/predicates-store";
import { replayIdOf } from "../plane/replay-id-store";
import type { DeliveredEvent } from "./envelope";
import { type TargetRow, targetColumns } from "./target-store";

export interface ClaimedFields extends OutboxKey {
  attemptId: string;
  tenantId: string;
  eventId: string;
  kind: DeliveryKind;
  /** The replay that created the delivery; null for any other delivery. */
  replayId: string | null;
  /** The number of this attempt, from 1 on. */
  attemptCount: number;
  /** Whether it has waited because of a limit. */
  hasWaited: 0 | 1;
}

export interface EventFields extends Omit<DeliveredEvent, "eventId" | "tenantId"> {
  /** How many of our own sources it has come through; null: none. */
  hops: number | null;
}

/** The values: `keys` (JSON; q, d, i are the outbox key, f is a new id), `claim`, `nowMs`, `lateBefore`, `lateFrom`. */
const NOW = sql`${sql.placeholder("nowMs")}`;
const CLAIM = sql`${sql.placeholder("claim")}`;
const DUE = outboxByKeys(sql`${sql.placeholder("keys")}`);
const NEW_ID = sql.raw("j.value ->> 'f'");

/** Whether the attempt gets a new id. One that was called to a permit is claimed long before its planned time. */
const IS_LATE = sql`(${PLANNED_ID} < ${sql.placeholder("lateBefore")}
  OR ${PLANNED_ID} >= ${sql.placeholder("lateFrom")})`;

const isSlow = (speed: QueueSpeed): SQL => (speed === "fast" ? isSlowAt(NOW) : sql`0`);
const claimable = (speed: QueueSpeed) => sql`o.due_at <= ${NOW} AND NOT ${isSlow(speed)} AND NOT ${mustWait(NOW)}`;

const IS_OURS = sql`a.claim = ${CLAIM} AND a.status = 'pending'`;
const attemptsOf = (ids: SQL) => sql`attempts a ON a.subscription_id = o.subscription_id AND a.id IN (${ids})`;

/** `attemptId` is null if nobody has claimed the delivery; `stoppedBy` says what stops it, if that is known. */
type ClaimedRow = Omit<ClaimedFields, "attemptId"> &
  TargetRow & { attemptId: string | null; stoppedBy: "hold" | "slowness" | null };

/** How the attempts of a claim get their ids, and which deliveries it claims. */
interface Claiming {
  /** The id of a new attempt, and the ids that attempts can have. */
  id: SQL;
  ids: SQL;
  condition: SQL;
}

const claimStatementsOf = (speed: QueueSpeed, { id, ids, condition }: Claiming) => ({
  claims: fixed(
    sql`${insertAttempts(
      { id, eventType: sql`e.type`, status: sql`'pending'`, attemptedAt: NOW, claim: CLAIM },
      sql`FROM ${DUE} CROSS JOIN events e ON e.id = o.event_id CROSS JOIN subscriptions s ON s.id = o.subscription_id
    WHERE ${claimable(speed)} AND ${condition}`,
    )} ON CONFLICT DO NOTHING`,
  ),
  claimed: fixed<ClaimedRow>(sql`SELECT ${KEY_COLUMNS_OF_O}, a.id AS attemptId,
    o.event_id AS eventId,
    o.kind, a.attempt_count AS attemptCount, ${IS_DUE_AT_SLOT} AS hasWaited,
    ${targetColumns(NOW)},
    ${replayIdOf(sql.raw("o.kind"), sql.raw("o.subscription_id"), sql.raw("o.id"))} AS replayId,
    CASE WHEN a.id IS NULL AND o.due_at <= ${NOW} AND s.is_deleted = 0
      THEN iif(${mustWait(NOW)}, 'hold', iif(${isSlow(speed)}, 'slowness', NULL)) END AS stoppedBy
    FROM ${DUE} LEFT JOIN ${attemptsOf(ids)} LEFT JOIN subscriptions s ON s.id = o.subscription_id
    WHERE a.id IS NULL OR ${IS_OURS}`),
  events: fixed<EventFields & { id: string }>(sql`SELECT id, type AS eventType, created_at AS eventCreatedAt,
      ${PAYLOAD} AS payload, correlation_id AS correlationId, order_key AS orderKey, order_sequence AS sequence,
      hops
    FROM events WHERE id IN (SELECT o.event_id FROM ${DUE} CROSS JOIN ${attemptsOf(ids)} WHERE ${IS_OURS})`),
});

/** Claims only what needs nothing else: neither a new id nor an end. */
const ordinary = (speed: QueueSpeed) => ({
  ended: undefined,
  placeholders: undefined,
  ...claimStatementsOf(speed, { id: PLANNED_ID, ids: PLANNED_ID, condition: sql`NOT ${IS_LATE} AND s.is_deleted = 0` }),
});

/** Claims what can be claimed, and ends what has nothing to send. */
const thorough = (speed: QueueSpeed) => ({
  // Not while an attempt is in progress: if its consumer dies, the sweep needs the outbox row to find and end the
  // attempt.
  ended: fixed(sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (SELECT o.queue, o.due_at, o.id FROM ${DUE}
      LEFT JOIN subscriptions s ON s.id = o.subscription_id AND s.is_deleted = 0
      LEFT JOIN events e ON e.id = o.event_id
    WHERE (s.id IS NULL OR e.id IS NULL) AND ${IS_UNCLAIMED})`),
  // Before the claims: a late claim succeeds only if its own placeholder was inserted. The placeholder has the time of
  // its id.
  placeholders: fixed(
    insertPlaceholders(
      NEW_ID,
      sql`FROM ${DUE} CROSS JOIN subscriptions s ON s.id = o.subscription_id WHERE ${claimable(speed)} AND ${IS_LATE}`,
    ),
  ),
  ...claimStatementsOf(speed, {
    id: sql`iif(${IS_LATE}, ${NEW_ID}, ${PLANNED_ID})`,
    ids: sql`${PLANNED_ID}, ${NEW_ID}`,
    condition: sql`(NOT ${IS_LATE} OR EXISTS (SELECT 1 FROM attempts m
      WHERE m.subscription_id = o.subscription_id AND m.id = ${PLANNED_ID} AND m.next_id = ${NEW_ID}))`,
  }),
});

type ClaimStatements = ReturnType<typeof thorough> | ReturnType<typeof ordinary>;

const known = new Map<string, ClaimStatements>();

/** The statements of an ordinary or of a thorough claim for a queue. */
export function claimStatements(speed: QueueSpeed, isOrdinary: boolean): ClaimStatements {
  const name = `${speed} ${isOrdinary}`;
  const statements = known.get(name) ?? (isOrdinary ? ordinary(speed) : thorough(speed));
  known.set(name, statements);
  return statements;
}
