/** What became of the lines of an import, in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ImportedLine, LineOutcome } from "./schemas";

/** How many rows of up to 50 lines a page looks at. */
const SCANNED_ROWS = 500;

interface ReportPage {
  exists: boolean;
  lines: ImportedLine[];
  /** The line after which the next page begins; null at the end. */
  next: number | null;
}

/** Lines after the line `after`, in their order. May be fewer than `limit`, or none, before the end. */
export async function readReport(
  { db }: Deps,
  importId: string,
  { outcome, after, limit }: { outcome: LineOutcome | undefined; after: number; limit: number },
): Promise<ReportPage> {
  const scanned = sql`SELECT last_line, entries FROM import_reports WHERE import_id = ${importId}
    AND last_line > ${after} ORDER BY last_line LIMIT ${SCANNED_ROWS}`;
  const wanted = outcome === undefined ? sql`` : sql`AND j.value ->> 'outcome' = ${outcome}`;
  const { imports, found, end } = await atomically(db, {
    imports: rows<{ id: string }>(sql`SELECT id FROM imports WHERE id = ${importId}`),
    found: rows<{ entry: string; email: string | null; externalId: string | null }>(sql`SELECT j.value AS entry,
        u.email, u.external_id AS externalId
      FROM (${scanned}) r CROSS JOIN json_each(r.entries) j LEFT JOIN users u ON u.id = j.value ->> 'userId'
      WHERE j.value ->> 'line' > ${after} ${wanted} ORDER BY r.last_line, j.key LIMIT ${limit + 1}`),
    end: rows<{ rows: number; lastLine: number | null }>(
      sql`SELECT count(*) AS rows, max(r.last_line) AS lastLine FROM (${scanned}) r`,
    ),
  });
  const lines = found.slice(0, limit).map(({ entry, email, externalId }) => ({
    ...(JSON.parse(entry) as ImportedLine),
    ...(externalId === null ? {} : { externalId }),
    ...(email === null ? {} : { email }),
  }));
  const isScanned = found.length <= limit;
  const scannedTo = end[0]?.rows === SCANNED_ROWS ? end[0].lastLine : null;
  return { exists: imports.length === 1, lines, next: isScanned ? scannedTo : (lines.at(-1)?.line ?? null) };
}
