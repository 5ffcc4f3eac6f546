/**
 * The rows of the outbox: what their columns mean, and how new ones are written. A row is a delivery that is owed, and
 * its key (queue, due_at, id) is the order of work.
 *
 * An attempt is planned before it is made: the row names its id, and the first one has the id of the delivery itself.
 * Inserting an attempt with the planned id is the claim. Where an attempt gets another id than the planned one, because
 * it is made much later, a placeholder takes the planned id and names the attempt in `next_id`. So ids stay in the
 * order of time, nobody can claim the delivery twice, and the trail of a delivery can be followed by `next_id`.
 */
import { type SQL, sql } from "drizzle-orm";

/** What made a delivery. */
export type DeliveryKind = "event" | "retry" | "test" | "replay";

const NULL = sql.raw("NULL");

/** The `queue` of the main outbox queue. Any other value is the id of a subscription: its lane. */
export const MAIN = sql.raw("''");

/** Whether a delivery is in the main queue, not in a lane. */
export const isInMain = ({ queue }: { queue: string }): boolean => queue === "";

/** The columns of an OutboxKey, of the row that is written or, with the alias, of `o`. */
export const KEY_COLUMNS = sql.raw(
  "queue, due_at AS dueAt, id, subscription_id AS subscriptionId, tenant_id AS tenantId, bytes",
);
export const KEY_COLUMNS_OF_O = sql.raw(
  "o.queue, o.due_at AS dueAt, o.id, o.subscription_id AS subscriptionId, o.tenant_id AS tenantId, o.bytes",
);

/** The id that the outbox row `o` plans for its next attempt; without an alias, that of the row that is written. */
export const PLANNED_ID = sql.raw("coalesce(o.attempt_id, o.id)");
export const PLANNED_ID_OF_WRITTEN = sql.raw("coalesce(outbox.attempt_id, outbox.id)");

/** The `status` of a placeholder. */
export const PLACEHOLDER = sql.raw("'moved'");

/** The most attempts of a delivery that are followed, placeholders included: it has one for each time it waited. */
export const MAX_TRAIL_ROWS = 1_000;

/**
 * The `slot_at` of manual retries and tests in a lane, which no pause holds. By this mark an index finds them among
 * many held deliveries.
 */
export const UNHELD = sql.raw("0");

/**
 * Whether the outbox row `o` is due when a limit of its subscription lets it start, as SQL: it waits for this start,
 * its slot, or has waited for it. A delivery that waits for something else is due later than its slot.
 */
export const IS_DUE_AT_SLOT = sql.raw("(o.slot_at IS NOT NULL AND o.slot_at >= o.due_at)");

/** The outbox rows `o` for a JSON list of keys with the members q (queue), d (due), i (id). */
export const outboxByKeys = (keys: SQL | string): SQL =>
  sql`json_each(${keys}) j CROSS JOIN outbox o ON o.queue = j.value ->> 'q' AND o.due_at = j.value ->> 'd'
    AND o.id = j.value ->> 'i'`;

/** Whether nobody has claimed the outbox row `o`, as SQL. */
export const IS_UNCLAIMED = sql`NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = o.subscription_id
  AND a.id = ${PLANNED_ID})`;

/** The values of a new row, as SQL. */
interface NewDelivery {
  queue: SQL;
  dueAt: SQL | number;
  id: SQL | string;
  /** The subscription `s`, unless given. */
  eventId: SQL | string;
  kind: SQL | DeliveryKind;
  bytes: SQL | number;
  /** The id of its first attempt; left out for the id of the delivery. */
  attemptId?: SQL;
}

/** Inserts a delivery to the subscription `s` for each row of `from` (SQL, from the word FROM on). */
export const insertDeliveries = ({ queue, dueAt, id, eventId, kind, bytes, attemptId }: NewDelivery, from: SQL): SQL =>
  sql`INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes, attempt_id)
    SELECT ${queue}, ${dueAt}, ${id}, s.tenant_id, s.id, ${eventId}, ${kind}, ${bytes}, ${attemptId ?? NULL}
      ${from}`;

/** The values of a new row of the delivery log, as SQL over the outbox row `o`. What is left out is NULL. */
interface NewAttempt {
  id: SQL;
  eventType: SQL;
  status: SQL;
  attemptedAt: SQL | number;
  completedAt?: number;
  error?: string;
  /** The token of the consumer that makes the attempt. */
  claim?: SQL | string;
  nextId?: SQL;
}

/** Inserts an attempt of each delivery in the outbox rows `o` of `from` (SQL, from the word FROM on). */
export const insertAttempts = (
  { id, eventType, status, attemptedAt, completedAt, error, claim, nextId }: NewAttempt,
  from: SQL,
): SQL =>
  sql`INSERT INTO attempts (subscription_id, id, delivery_id, event_id, event_type, kind, status, attempt_count,
      attempted_at, completed_at, error, claim, next_id)
    SELECT o.subscription_id, ${id}, nullif(o.id, ${id}), o.event_id, ${eventType}, o.kind, ${status}, o.attempts + 1,
      ${attemptedAt}, ${completedAt ?? NULL}, ${error ?? NULL}, ${claim ?? NULL}, ${nextId ?? NULL}
    ${from}`;

/**
 * Inserts placeholders with the planned ids of the outbox rows `o` in `from` (SQL, from the word FROM on), which point
 * to the attempts `nextId` (SQL). Changes nothing where somebody has claimed the delivery.
 */
export const insertPlaceholders = (nextId: SQL, from: SQL): SQL =>
  sql`${insertAttempts(
    { id: PLANNED_ID, eventType: sql`''`, status: PLACEHOLDER, attemptedAt: sql`o.due_at`, nextId },
    from,
  )} ON CONFLICT DO NOTHING`;
