/** The newest refusals of a source: 25 for each reason, written in place, so that no reason drives out others. */
import { sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import type { Reason } from "./schemas";

const ENTRIES = 25;

/** Calls that were refused for one reason. `at`: Unix ms. */
export interface SourceErrorRow {
  at: number;
  reason: Reason;
  count: number;
  bytes: number;
}

/**
 * Writes an entry, unless the last one for this reason is less than a minute old. Returns whether it was written. The
 * id comes from a source that was read before, of whichever tenant.
 */
export async function insertSourceError(
  { db }: Deps,
  sourceId: string,
  { at, reason, count, bytes }: SourceErrorRow,
): Promise<boolean> {
  const ofReason = sql`FROM source_errors e WHERE e.source_id = ${sourceId} AND e.reason = ${reason}`;
  const written = await query(db)`INSERT INTO source_errors (source_id, reason, slot, at, count, bytes)
    SELECT s.id, ${reason}, coalesce((SELECT (e.slot + 1) % ${ENTRIES} ${ofReason} ORDER BY e.at DESC LIMIT 1), 0),
      ${at}, ${count}, ${bytes}
    FROM sources s WHERE s.id = ${sourceId} AND NOT EXISTS (SELECT 1 ${ofReason} AND e.at > ${at - MINUTE_MS})
    ON CONFLICT (source_id, reason, slot) DO UPDATE SET at = excluded.at, count = excluded.count,
      bytes = excluded.bytes
    RETURNING slot`;
  return written.length === 1;
}

/** The errors of the tenant's source, newest first; undefined when it has none with this id. */
export async function listSourceErrors(
  { db }: Deps,
  { tenantId }: { tenantId: string },
  id: string,
): Promise<SourceErrorRow[] | undefined> {
  const { sources, errors } = await atomically(db, {
    sources: rows<{ id: string }>(sql`SELECT id FROM sources WHERE id = ${id} AND tenant_id = ${tenantId}`),
    errors: rows<SourceErrorRow>(sql`SELECT e.at, e.reason, e.count, e.bytes FROM sources s
      CROSS JOIN source_errors e ON e.source_id = s.id WHERE s.id = ${id} AND s.tenant_id = ${tenantId}
      ORDER BY e.at DESC, e.reason`),
  });
  return sources.length === 0 ? undefined : errors;
}
