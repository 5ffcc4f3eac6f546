/** Unlisted clients in D1, once somebody allows one something: so that its grants work as those of other clients. */
import { type SQL, sql } from "drizzle-orm";
import { searchPage } from "../../../base/db/table-search";
import type { Deps } from "../../../base/deps";
import type { ClientRow } from "../store";

/** Stores what it is, for a session that is live. Writes nothing while that is the same. */
export const storeUnlisted = (
  row: ClientRow,
  { userId, sessionId }: { userId: string; sessionId: string },
  nowMs: number,
): SQL =>
  sql`INSERT INTO oauth_clients (id, name, type, auth, enabled, settings, created_at, updated_at, tenant_id, kind, host,
      document_hash)
    SELECT ${row.id}, ${row.name}, ${row.type}, ${row.auth}, 1, ${JSON.stringify(row.settings)}, ${nowMs}, ${nowMs},
      ${row.tenantId}, ${row.kind}, ${row.host}, ${row.documentHash}
    FROM sessions s WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND s.expires_at > ${nowMs}
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, auth = excluded.auth, settings = excluded.settings,
      host = excluded.host, document_hash = excluded.document_hash, updated_at = excluded.updated_at
      WHERE oauth_clients.kind <> 'registered'
        AND (name, document_hash) IS NOT (excluded.name, excluded.document_hash)`;

const PAGE = { examined: 1_000, changed: 200 };

/**
 * Removes a page of those that were last used before `unusedSince` (Unix ms), unless a tenant or operators say
 * something of one. Returns the next cursor; null at the end.
 */
export async function removeUnused({ db }: Deps, unusedSince: number, cursor: string): Promise<string | null> {
  const search = {
    table: "oauth_clients",
    key: ["id"],
    columns: ["kind", "last_used_at", "updated_at"],
    condition: sql`kind NOT IN ('registered', 'listed') AND coalesce(last_used_at, updated_at) < ${unusedSince}
      AND NOT EXISTS (SELECT 1 FROM oauth_rules r WHERE r.client_id = id)`,
  };
  return (await searchPage(db, search, cursor, PAGE)).next;
}
