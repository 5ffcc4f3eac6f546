/** Held people who are to be judged again, in D1: nothing is known that holds them. */
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ConnectionSettings } from "../../base/schemas/connection-settings";

/** Somebody who is to be judged again, with what that needs of the connection. */
export interface PersonToJudge {
  id: string;
  connectionId: string;
  tenantId: string;
  name: string;
  version: number;
  settings: ConnectionSettings;
}

/** The next ones, across tenants, after a connection and one of its people. */
export async function findToJudge(
  { db }: Deps,
  after: { connectionId: string; id: string },
  limit: number,
): Promise<PersonToJudge[]> {
  const found = await query<Omit<PersonToJudge, "settings"> & { settings: string }>(db)`SELECT d.id,
      d.connection_id AS connectionId, c.tenant_id AS tenantId, c.name, c.version, c.settings
    FROM directory_users d INDEXED BY directory_users_to_judge CROSS JOIN connections c ON c.id = d.connection_id
    WHERE d.state = 'held' AND d.reason IS NULL AND c.state <> 'disabled'
      AND (d.connection_id, d.id) > (${after.connectionId}, ${after.id})
    ORDER BY d.connection_id, d.id LIMIT ${limit}`;
  return found.map((row) => ({ ...row, settings: JSON.parse(row.settings) as ConnectionSettings }));
}
