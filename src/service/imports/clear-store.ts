/** Removing what is left of imports, in D1. */
import { sql } from "drizzle-orm";
import { atomically, query, queryFirst, rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditEach } from "../../tenancy/audit/record-store";

/** A chunk can have more than a megabyte. */
const CHUNKS_PER_PAGE = 20;
const ROWS_PER_PAGE = 500;

/** Stops imports that were created at this time (Unix ms) or before and have not ended. */
export async function stopOldImports({ db }: Deps, createdUntil: number, nowMs: number): Promise<void> {
  const old = sql`imports i WHERE i.state IN ('open', 'running') AND i.created_at <= ${createdUntil}`;
  await atomically(db, {
    recorded: auditEach(
      {
        tenantId: PLATFORM_TENANT,
        action: "import.stopped",
        actor: SYSTEM,
        target: { kind: "import", id: sql`i.id` },
      },
      old,
      nowMs,
    ),
    stopped: sql`UPDATE imports SET state = 'stopped', ended_at = ${nowMs} WHERE id IN (SELECT i.id FROM ${old})`,
  });
}

/**
 * Removes a page of the people that were sent for an import that has ended, and of its dry run. Returns whether more is
 * to do, of this or of another one.
 */
export async function clearPage({ db }: Deps): Promise<boolean> {
  const ended = sql`(SELECT id FROM imports WHERE ended_at IS NOT NULL AND is_cleared = 0 ORDER BY ended_at LIMIT 1)`;
  const first = await queryFirst<{ id: string }>(db)`SELECT id FROM imports WHERE id = ${ended}`;
  if (!first) return false;
  const { id } = first;
  const left = (table: string) => sql`EXISTS (SELECT 1 FROM ${sql.identifier(table)} WHERE import_id = ${id})`;
  await atomically(db, {
    chunks: sql`DELETE FROM import_chunks WHERE (import_id, part, n) IN (SELECT import_id, part, n FROM import_chunks
      WHERE import_id = ${id} LIMIT ${CHUNKS_PER_PAGE})`,
    dryRun: sql`DELETE FROM import_trials WHERE (import_id, key) IN (SELECT import_id, key FROM import_trials
      WHERE import_id = ${id} LIMIT ${ROWS_PER_PAGE})`,
    cleared: sql`UPDATE imports SET is_cleared = 1 WHERE id = ${id}
      AND NOT ${left("import_chunks")} AND NOT ${left("import_trials")}`,
  });
  return true;
}

/** Removes a page of the report of an import from before this time (Unix ms). Returns whether there was one. */
export async function removeOldImport({ db }: Deps, createdBefore: number): Promise<boolean> {
  const old = sql`(SELECT id FROM imports WHERE id < ${firstIdAt(createdBefore)} AND is_cleared = 1
    ORDER BY id LIMIT 1)`;
  const { found } = await atomically(db, {
    found: rows<{ id: string }>(sql`SELECT id FROM imports WHERE id = ${old}`),
    reports: sql`DELETE FROM import_reports WHERE (import_id, last_line) IN (SELECT import_id, last_line
      FROM import_reports WHERE import_id = ${old} LIMIT ${ROWS_PER_PAGE})`,
    parts: sql`DELETE FROM import_parts WHERE import_id = ${old}`,
    removed: sql`DELETE FROM imports WHERE id = ${old}
      AND NOT EXISTS (SELECT 1 FROM import_reports r WHERE r.import_id = imports.id)`,
  });
  return found.length > 0;
}

/** Removes the settings of hashes that nobody has any more. */
export async function removeUnusedSettings({ db }: Deps): Promise<void> {
  await query(db)`DELETE FROM hash_settings WHERE id IN (SELECT h.id FROM hash_settings h
    LEFT JOIN imports i ON i.id = h.id
    WHERE h.id > '' AND coalesce(i.ended_at, iif(i.id IS NULL, 0, NULL)) IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM users u WHERE u.password_import = h.id AND u.password_kind IS NOT NULL))`;
}
