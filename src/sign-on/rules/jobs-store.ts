/** Beginning the jobs that go through everybody of a directory, in D1. */
import { type SQL, sql } from "drizzle-orm";
import type { RulingDirectory } from "./roles";

/** Begins the job, or begins it anew, if `condition` holds. */
export const startRoles = (
  { connectionId, tenantId }: Pick<RulingDirectory, "connectionId" | "tenantId">,
  condition: SQL,
  nowMs: number,
): SQL => sql`INSERT INTO directory_jobs (connection_id, kind, tenant_id, cursor, due_at, created_at)
  SELECT ${connectionId}, 'roles', ${tenantId}, '', ${nowMs}, ${nowMs} WHERE ${condition}
  ON CONFLICT (connection_id, kind) DO UPDATE SET cursor = '', due_at = ${nowMs}`;

/** Begins the job that deletes whom a connection knows, and what its directory has. `connection` selects its id. */
export const startEnd = (connection: SQL, tenantId: string, nowMs: number): SQL =>
  sql`INSERT INTO directory_jobs (connection_id, kind, tenant_id, cursor, due_at, created_at)
    SELECT c.id, 'end', ${tenantId}, '', ${nowMs}, ${nowMs} FROM connections c
    WHERE c.id = ${connection}`;
