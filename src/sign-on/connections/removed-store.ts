/** Recording the members whom the deletion of a connection has removed, in D1: the first at once, others by jobs. */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import { auditEach } from "../../tenancy/audit/record-store";

/** How many go into the log at once. */
const PAGE = 500;
/** In the text: D1 binds numbers as real ones, with which SQLite does not divide as with whole ones. */
const WHOLE_PAGE = sql.raw(String(PAGE));

interface Removal {
  tenantId: string;
  actor: Actor;
}

/**
 * Records the first of these members (SQL: what follows FROM, with `m` for a membership), and begins a job for each
 * further page of `connection`. Must come before the memberships end.
 */
export function recordRemoved({ tenantId, actor }: Removal, connection: SQL, members: SQL, nowMs: number): SQL[] {
  return [
    auditEach(
      { tenantId, action: "member.removed", actor, target: { kind: "user", id: sql`r.user_id` } },
      sql`(SELECT m.user_id FROM ${members} ORDER BY m.user_id LIMIT ${PAGE}) r`,
      nowMs,
    ),
    sql`INSERT INTO directory_jobs (connection_id, kind, tenant_id, cursor, input, due_at, created_at)
      SELECT ${connection}, printf('removed/%06d', r.page), ${tenantId}, '',
        json_object('actor', json(${JSON.stringify(actor)}), 'members', json_group_array(r.user_id)), ${nowMs}, ${nowMs}
      FROM (SELECT m.user_id, (row_number() OVER (ORDER BY m.user_id) - 1) / ${WHOLE_PAGE} AS page FROM ${members}) r
      WHERE r.page > 0 GROUP BY r.page`,
  ];
}

/** A page of members who were removed, as its job has it. */
export interface RemovedPage extends Removal {
  connectionId: string;
  kind: string;
}

/** Records a page, and ends its job: whoever comes second finds nothing. A tenant that is gone has no log. */
export async function recordPage(
  { db }: Deps,
  { connectionId, kind, tenantId, actor }: RemovedPage,
  nowMs: number,
): Promise<void> {
  await atomically(db, {
    recorded: auditEach(
      { tenantId, action: "member.removed", actor, target: { kind: "user", id: sql`r.value` } },
      sql`directory_jobs j CROSS JOIN json_each(j.input, '$.members') r
        WHERE j.connection_id = ${connectionId} AND j.kind = ${kind}
          AND EXISTS (SELECT 1 FROM tenants t WHERE t.id = j.tenant_id)`,
      nowMs,
    ),
    done: sql`DELETE FROM directory_jobs WHERE connection_id = ${connectionId} AND kind = ${kind}`,
  });
}
