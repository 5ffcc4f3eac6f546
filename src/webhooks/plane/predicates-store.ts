/** What the stores ask about the lane of the subscription `s`, as SQL. `lane.ts` says what the states mean. */

import { type SQL, sql } from "drizzle-orm";
import { isFrozen } from "./frozen-store";
import { MAIN } from "./outbox-store";

/** Whether it receives events: it is enabled, or holds what it receives. Others are not in the fan-out index. */
export const RECEIVES_EVENTS = sql.raw("(s.enabled = 1 OR s.released_to IS NOT NULL)");

/** Whether it is off and holds its deliveries instead of failing them: the states held and probing. */
export const HOLDS_WHEN_OFF = sql.raw("(s.enabled = 0 AND s.released_to IS NOT NULL)");

/** Whether its oldest held delivery may be sent as a probe. */
export const IS_PROBED = sql.raw("(s.enabled = 0 AND s.released_to > 0)");

/** Whether what it held is released step by step. */
export const IS_RELEASING = sql.raw("(s.enabled = 1 AND s.released_to IS NOT NULL AND s.dropped_to IS NULL)");

/** The `queue` of its next delivery: its lane, or "" for the main outbox queue. */
export const NEXT_QUEUE = sql.raw("iif(s.has_backlog, s.id, '')");

/** Whether its deliveries go through the slow queue. */
export const isSlowAt = (nowMs: SQL | number): SQL => sql`s.slow_until > ${nowMs}`;

/** Whether nothing stops its lane: neither a pause for which the receiver asked, nor a hold, nor an operator. */
export const isFree = (nowMs: number): SQL => sql`(s.held_until <= ${nowMs} AND s.released_to IS NULL
  AND NOT ${isFrozen(sql.raw("s.tenant_id"))})`;

/**
 * Whether the outbox row `o` may not be sent yet. After a cooldown, deliveries outside the lane wait until the lane
 * opens. Manual retries do not wait for what a pause holds, and tests wait for an operator only. A listener without a
 * socket holds them all.
 */
export const mustWait = (nowMs: SQL | number): SQL => sql`((o.kind <> 'test' AND s.held_until > 0
    AND (s.held_until > ${nowMs} OR (o.queue = ${MAIN} AND s.has_backlog = 1
      AND (o.kind <> 'retry' OR s.released_to IS NULL))))
  OR ((o.kind IN ('event', 'replay') OR s.listener_of IS NOT NULL) AND s.released_to IS NOT NULL
    AND o.due_at > s.released_to)
  OR ${isFrozen(sql.raw("o.tenant_id"))})`;
