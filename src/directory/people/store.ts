/** Whom a connection knows, in D1: the records of its directory, and who has signed on without one. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** Times are Unix ms. */
export interface ConnectionPersonRow {
  id: string;
  userId: string | null;
  email: string | null;
  userName: string | null;
  externalId: string | null;
  state: "active" | "inactive" | "held" | "removed";
  reason: string | null;
  lastSignOnAt: number | null;
  /** After which the next page begins. */
  place: string;
}

export interface PeoplePage {
  connectionId: string;
  tenantId: string;
  state: ConnectionPersonRow["state"] | undefined;
  limit: number;
}

/** Records after an id, by their ids; undefined: the tenant has no such connection. */
export async function listRecordsOfPeople(
  { db }: Deps,
  { connectionId, tenantId, state, limit }: PeoplePage,
  after: string,
): Promise<ConnectionPersonRow[] | undefined> {
  const { connection, found } = await atomically(db, {
    connection: sql`SELECT 1 FROM connections WHERE id = ${connectionId} AND tenant_id = ${tenantId}`,
    found:
      rows<ConnectionPersonRow>(sql`SELECT d.id, d.user_id AS userId, d.email, d.record ->> '$.userName' AS userName,
        d.external_id AS externalId, d.state, d.reason, d.id AS place,
        (SELECT max(i.last_used_at) FROM connection_identities i INDEXED BY connection_identities_by_user
          WHERE i.user_id = d.user_id AND i.connection_id = d.connection_id) AS lastSignOnAt
      FROM directory_users d ${state === "held" ? sql`INDEXED BY directory_users_held` : sql``}
        CROSS JOIN connections c ON c.id = d.connection_id
      WHERE d.connection_id = ${connectionId} AND d.id > ${after} AND c.tenant_id = ${tenantId}
        ${ofState(state)}
      ORDER BY d.id LIMIT ${limit}`),
  });
  return connection.length === 1 ? found : undefined;
}

/** The index of those who are held has them alone, and is used where the text says so. */
const ofState = (state: PeoplePage["state"]): SQL =>
  state === undefined ? sql`` : state === "held" ? sql`AND d.state = 'held'` : sql`AND d.state = ${state}`;

/** Who has signed on without a record after a subject, by their subjects. None of them is held. */
export async function listOthers(
  { db }: Deps,
  { connectionId, tenantId, state, limit }: PeoplePage,
  after: string,
): Promise<ConnectionPersonRow[]> {
  if (state === "held") return [];
  const { found } = await atomically(db, {
    found: rows<ConnectionPersonRow>(sql`SELECT * FROM (SELECT i.id, i.user_id AS userId, i.email, NULL AS userName,
        i.subject AS externalId, i.subject AS place,
        CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = c.tenant_id AND m.user_id = i.user_id)
          THEN 'active' WHEN i.removed_at IS NULL THEN 'inactive' ELSE 'removed' END AS state, NULL AS reason,
        i.last_used_at AS lastSignOnAt
      FROM connections c CROSS JOIN connection_identities i ON i.connection_id = c.id AND i.generation = c.generation
      WHERE c.id = ${connectionId} AND c.tenant_id = ${tenantId} AND i.subject > ${after}
        AND NOT EXISTS (SELECT 1 FROM directory_users d WHERE d.user_id = i.user_id AND d.connection_id = c.id))
      ${state === undefined ? sql`` : sql`WHERE state = ${state}`} ORDER BY place LIMIT ${limit}`),
  });
  return found;
}
