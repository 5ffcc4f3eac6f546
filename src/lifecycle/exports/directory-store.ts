/** What exports read of directories, in D1. */
import { sql } from "drizzle-orm";
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** A record as exports have it: `attributes` is what the directory has sent, JSON. */
export interface ExportedRecordRow {
  connectionId: string;
  id: string;
  userId: string | null;
  state: "active" | "inactive" | "held" | "removed";
  groups: string;
  attributes: string;
}

const COLUMNS = sql`d.connection_id AS connectionId, d.id, d.user_id AS userId, d.state, d.record AS attributes,
  (SELECT json_group_array(g.display_name) FROM directory_members m
    CROSS JOIN directory_groups g ON g.connection_id = m.connection_id AND g.id = m.group_id
    WHERE m.connection_id = d.connection_id AND m.person_id = d.id) AS groups`;

/** The records of a connection of the tenant after an id, by their ids. */
export const readRecords = (
  { db }: Deps,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  after: string,
  limit: number,
) => query<ExportedRecordRow>(db)`SELECT ${COLUMNS} FROM connections c CROSS JOIN directory_users d
    ON d.connection_id = c.id
  WHERE c.id = ${connectionId} AND c.tenant_id = ${tenantId} AND d.connection_id = ${connectionId} AND d.id > ${after}
  ORDER BY d.id LIMIT ${limit}`;

/** The records of a user `users` in all tenants, as a text: nobody pays for a statement who has none. */
export const RECORDS_OF_USER = sql`(SELECT json_group_array(json_object('connectionId', r.connectionId, 'id', r.id,
    'userId', r.userId, 'state', r.state, 'groups', r.groups, 'attributes', r.attributes))
  FROM (SELECT ${COLUMNS} FROM directory_users d WHERE d.user_id = users.id ORDER BY d.connection_id) r)`;
