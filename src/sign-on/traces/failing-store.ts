/** Since when nobody gets in through a connection, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS } from "../../base/time";

/** So many refusals in an hour, and no sign-on, and a connection counts as failing. */
export const REFUSALS_OF_FAILING = 20;

/** Its tenant and its name, returned by the statements below. */
export interface FailingConnection {
  tenantId: string;
  name: string;
}

const isFailing = (id: string, nowMs: number): SQL =>
  sql`id = ${id} AND state = 'active' AND coalesce(last_sign_on_at, 0) < ${nowMs - HOUR_MS}
    AND (SELECT count(*) FROM (SELECT 1 FROM sign_on_traces t WHERE t.connection_id = ${id} AND t.ring = 'refusal'
      AND t.at > ${nowMs - HOUR_MS} LIMIT ${REFUSALS_OF_FAILING})) = ${REFUSALS_OF_FAILING}`;

const RETURNED = sql.raw("tenant_id AS tenantId, name");

/** Notes that it has begun to fail. Must come after the refusal. */
export const beginToFail = (id: string, nowMs: number): SQL =>
  sql`UPDATE connections SET failing_since = ${nowMs} WHERE failing_since IS NULL AND ${isFailing(id, nowMs)}
    RETURNING ${RETURNED}`;

/** Notes that its owners are mailed, at most once a day. Must come after `beginToFail`. */
export const mailOfFailing = (id: string, nowMs: number): SQL =>
  sql`UPDATE connections SET failing_told_at = ${nowMs} WHERE failing_since IS NOT NULL
    AND coalesce(failing_told_at, 0) <= ${nowMs - DAY_MS} AND ${isFailing(id, nowMs)} RETURNING ${RETURNED}`;

/** Ends it, where `condition` holds. */
export const recover = (id: string, condition: SQL): SQL =>
  sql`UPDATE connections SET failing_since = NULL WHERE id = ${id} AND failing_since IS NOT NULL AND ${condition}
    RETURNING id`;
