/**
 * A subscription remembers whether it was enabled and which types it listed before its last changes. This tells why it
 * did not receive an event. The list is in the row of the subscription, which each change writes anyway.
 */
import { type SQL, sql } from "drizzle-orm";

/** Bounds the size of the row. */
const MAX_STATES = 30;

/**
 * Returns the value for `former_states` in an UPDATE that changes `enabled` or `events` at `atMs` (Unix ms), as SQL.
 * `enabled` and `events` are the former values, or NULL if the change keeps them. By default, only `enabled` changes.
 */
export const withFormerState = (
  atMs: SQL | number,
  { enabled = sql.raw("enabled"), events = sql`NULL` }: { enabled?: SQL; events?: SQL } = {},
): SQL => sql`(SELECT json_insert(json_group_array(json(h.value)), '$[#]',
    json_object('until', ${atMs}, 'enabled', ${enabled}, 'events', json(${events})))
  FROM (SELECT value FROM (SELECT key, value FROM json_each(coalesce(former_states, '[]')) ORDER BY key DESC
    LIMIT ${MAX_STATES - 1})
    ORDER BY key) h)`;

/**
 * The value of a member in the first former state of the subscription `s` that has the member and ended after `atMs`,
 * as SQL.
 */
const firstAfter = (atMs: SQL, member: SQL, value: SQL) => sql`(SELECT ${value} FROM json_each(s.former_states) h
  WHERE h.value ->> 'until' > ${atMs} AND h.value ->> ${member} IS NOT NULL ORDER BY h.key LIMIT 1)`;

/** Whether the subscription `s` was enabled at a time (Unix ms), as SQL. */
export const enabledAt = (atMs: SQL): SQL =>
  sql`coalesce(${firstAfter(atMs, sql`'enabled'`, sql`h.value ->> 'enabled'`)}, s.enabled)`;

/** The JSON list of the types that the subscription `s` listed at a time (Unix ms), as SQL. */
export const eventsAt = (atMs: SQL): SQL =>
  sql`coalesce(${firstAfter(atMs, sql`'events'`, sql`h.value -> 'events'`)}, s.events)`;

/** Whether the subscription `s` was paused or resumed between two times (Unix ms), as SQL. */
export const switchedBetween = (fromMs: SQL, toMs: SQL): SQL => sql`EXISTS (SELECT 1 FROM json_each(s.former_states) h
  WHERE h.value ->> 'until' BETWEEN ${fromMs} AND ${toMs} AND h.value ->> 'enabled' IS NOT NULL)`;
