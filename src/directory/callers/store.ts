/** The directory that calls, in D1: its token leads to its connection. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ConnectionState } from "../../base/schemas/connection-settings";

/** A caller as it is read with everything else that its request needs. Times are Unix ms. */
export interface CallerRow {
  connectionId: string;
  tenantId: string;
  tenantName: string;
  name: string;
  state: ConnectionState;
  version: number;
  /** JSON. */
  settings: string;
  /** How many records it has in each state, and how many groups. */
  active: number;
  inactive: number;
  held: number;
  groups: number;
  requestedAt: number | null;
  isTenantSuspended: 0 | 1;
  /** Whether somebody with a setup link has made the token, or the connection, and no owner has looked at it. */
  needsReview: 0 | 1;
  /** The size of the control plane at the last hour. */
  databaseBytes: number;
}

/** Reads the caller with a token. `hash`: SHA-256 of the token. */
export const callerByToken = (connectionId: string, hash: string, nowMs: number) =>
  rows<CallerRow>(sql`SELECT c.id AS connectionId, c.tenant_id AS tenantId, t.name AS tenantName, c.name, c.state,
      c.version, c.settings, c.directory_active AS active, c.directory_inactive AS inactive, c.directory_held AS held,
      c.directory_groups AS groups, c.directory_requested_at AS requestedAt,
      t.suspended_at IS NOT NULL AS isTenantSuspended,
      max(k.needs_review, c.needs_review) AS needsReview,
      coalesce((SELECT sh.bytes FROM shards sh WHERE sh.shard = 0), 0) AS databaseBytes
    FROM scim_tokens k CROSS JOIN connections c ON c.id = k.connection_id CROSS JOIN tenants t ON t.id = c.tenant_id
    WHERE k.hash = ${hash} AND k.connection_id = ${connectionId}
      AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})`);

/** The tenant of a connection whose caller is read in the same batch. */
export const tenantOf = (connectionId: string): SQL =>
  sql`(SELECT tc.tenant_id FROM connections tc WHERE tc.id = ${connectionId})`;

/** Notes that the directory has called with this token. */
export async function noteRequest({ db }: Deps, connectionId: string, hash: string, nowMs: number): Promise<void> {
  await atomically(db, {
    token: sql`UPDATE scim_tokens SET last_used_at = ${nowMs} WHERE hash = ${hash} AND connection_id = ${connectionId}`,
    connection: sql`UPDATE connections SET directory_requested_at = ${nowMs} WHERE id = ${connectionId}`,
  });
}
