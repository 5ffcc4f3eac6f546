/**
 * Operational events report what happens to the subscriptions of a tenant to those of its subscriptions that ask for
 * it. They are written in the batch of the change itself, and only if a subscription wants them. The fan-out for wide
 * events creates their deliveries.
 */
import { type SQL, sql } from "drizzle-orm";
import { type Rows, rows } from "../../base/db/client";
import { newIdSql } from "../../base/db/ids";
import { ALL_OPERATIONAL, type OperationalType } from "../../base/schemas/event-type";

/** A time in Unix ms as ISO 8601, as SQL; null stays null. */
export const isoSql = (timeMs: SQL | number): SQL =>
  sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${timeMs} / 1000.0, 'unixepoch')`;

/**
 * The host of the URL of the subscription `s`, as SQL. Character 63 is the question mark, which would read as a
 * parameter.
 */
const HOST = sql.raw(
  `(SELECT lower(substr(rest, 1, instr(rest, '/') - 1))
    FROM (SELECT replace(replace(substr(s.url, instr(s.url, '://') + 3), char(63), '/'), '#', '/') || '/' AS rest))`,
);

/** How many subscriptions want an operational event about the subscription `s`. It is never sent to `s` itself. */
const wantedCount = (
  type: OperationalType,
): SQL => sql`(SELECT count(DISTINCT w.subscription_id) FROM subscription_events w
  WHERE w.tenant_id = s.tenant_id AND w.event_type IN (${type}, ${ALL_OPERATIONAL}) AND w.subscription_id <> s.id)`;

/**
 * Returns the statement that publishes an operational event for each row of `from` (SQL: what follows FROM), in which
 * `s` is the subscription that the event is about. `data` has further members of the payload, as arguments of SQL's
 * `json_object`; `correlationId` is that of the cause. The statement returns the ids of the events, for
 * `sendOperational`. The sweep finds events that are not passed to it.
 */
export function publishOperational(
  type: OperationalType,
  from: SQL,
  nowMs: number,
  { data, correlationId = sql`NULL` }: { data?: SQL; correlationId?: SQL } = {},
): Rows<{ id: string }> {
  const members = sql`'webhookId', s.id, 'name', s.name, 'host', ${HOST}${data ? sql`, ${data}` : sql``}`;
  return rows(sql`INSERT INTO events (id, tenant_id, type, payload, correlation_id, delivery_count, fan_out_after,
    created_at)
    SELECT ${newIdSql(nowMs)}, s.tenant_id, ${type}, json_object(${members}), ${correlationId}, ${wantedCount(type)},
      '', ${nowMs}
    FROM ${from} AND ${wantedCount(type)} > 0 RETURNING id`);
}
