/**
 * Giving roles to everybody of a directory, in D1: a job with a cursor. A change that begins it anew puts the cursor
 * back, and whoever works on a page moves the cursor in the batch of that page, if it is still where it was.
 */
import { sql } from "drizzle-orm";
import { atomically, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ConnectionSettings } from "../../base/schemas/connection-settings";
import { judgedRole } from "../../sign-on/rules/judged-store";
import type { RulingDirectory } from "../../sign-on/rules/roles";
import { giveRoles } from "./roles-store";
import { judgeAgain } from "./ways-in-store";

/** A job that is due, with what it needs. */
export interface RolesJob {
  connectionId: string;
  tenantId: string;
  cursor: string;
  name: string;
  version: number;
  settings: ConnectionSettings;
  /** The last person of the next page; null: there is none. */
  end: string | null;
}

/** The job that has waited longest, across tenants; undefined without one. */
export async function findDueJob({ db }: Deps, pageSize: number, nowMs: number): Promise<RolesJob | undefined> {
  const row = await queryFirst<Omit<RolesJob, "settings"> & { settings: string }>(db)`SELECT
      j.connection_id AS connectionId, j.tenant_id AS tenantId, j.cursor, c.name, c.version, c.settings,
      (SELECT max(p.id) FROM (SELECT d.id FROM directory_users d WHERE d.connection_id = j.connection_id
        AND d.id > j.cursor ORDER BY d.id LIMIT ${pageSize}) p) AS "end"
    FROM directory_jobs j CROSS JOIN connections c ON c.id = j.connection_id
    WHERE j.due_at <= ${nowMs} AND j.kind = 'roles' ORDER BY j.due_at LIMIT 1`;
  return row && { ...row, settings: JSON.parse(row.settings) as ConnectionSettings };
}

/** Gives the roles of a page, and moves on. Writes nothing if somebody else has moved on, or has changed the rules. */
export async function giveRolesOfPage(
  { db }: Deps,
  job: RolesJob,
  directory: RulingDirectory,
  nowMs: number,
): Promise<void> {
  const { connectionId, cursor, version, end } = job;
  const isOurs = sql`EXISTS (SELECT 1 FROM directory_jobs j CROSS JOIN connections c ON c.id = j.connection_id
    WHERE j.connection_id = ${connectionId} AND j.kind = 'roles' AND j.cursor = ${cursor} AND c.version = ${version})`;
  const page = sql`d.id > ${cursor} AND d.id <= ${end} AND ${isOurs}`;
  await atomically(db, {
    roles: end === null ? undefined : giveRoles(directory, page, nowMs),
    // The rules that gave them no role may be others now.
    again:
      end === null
        ? undefined
        : judgeAgain(sql`d.connection_id = ${connectionId} AND ${page} AND (${judgedRole(directory)} <> 'unchanged'
            OR ${directory.roles.default} IS NOT NULL)`),
    // Last: the statements above ask where the cursor is.
    moved:
      end === null
        ? sql`DELETE FROM directory_jobs WHERE connection_id = ${connectionId} AND kind = 'roles' AND ${isOurs}`
        : sql`UPDATE directory_jobs SET cursor = ${end}, due_at = ${nowMs} WHERE connection_id = ${connectionId}
            AND kind = 'roles' AND ${isOurs}`,
  });
}
