/** Writing a batch of rows of an import: people across tenants, the report and how far the import has come. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { type SealedChange, writePeople } from "../../identity/people/write-store";
import { hadVerifiedOwner } from "../../tenancy/tenants/verified-store";
import { noteDryRun } from "./dry-run-store";
import type { ImportNotice } from "./notices";
import { type ClaimedImport, IMPORT_LEASE_MS } from "./run-store";

/** A batch, and what comes after it. */
export interface Batch {
  changes: readonly SealedChange[];
  /** What the changes were decided on. Nothing is written if it is different now. */
  state: { query: SQL; text: string };
  progress: Progress;
  notices: readonly ImportNotice[];
}

interface Progress {
  counts: Record<"created" | "updated" | "skipped" | "refused" | "withoutPassword", number>;
  /** JSON of the report. */
  entries: string;
  line: number;
  position: number;
  /** The chunk that is read to its end with this batch. */
  readChunk: { part: number; n: number } | null;
}

/**
 * Writes a batch whole or not at all. Throws an error that `isOutdated` recognises when this run is no longer the one
 * that works on the import, or when what the batch was decided on has changed. Returns the ids of the notices that are
 * to be sent now: nobody has sent them, and the tenant had a verified owner before the import.
 */
export async function writeBatch(
  { db }: Deps,
  claimed: ClaimedImport,
  { changes, state, progress, notices }: Batch,
  nowMs: number,
): Promise<string[]> {
  const { id, lease, line, position, dryRun, actor, startedAt } = claimed;
  const isOurs = sql`state = 'running' AND lease = ${lease} AND line = ${line} AND position = ${position}`;
  const source = {
    // The activity of the person shows no address of the product.
    own: { ...actor, id: null, ip: null, userAgent: null },
    ofMembers: actor,
    platform: actor,
    meta: sql`'import', ${id}`,
  };
  const { told } = await atomically(db, {
    // First. The column refuses null, which undoes the batch.
    current: sql`UPDATE imports SET rows = NULL
      WHERE id = ${id} AND NOT (${isOurs} AND (${state.query}) = ${state.text})`,
    ...(dryRun ? { dryRun: noteDryRun(id, changes) } : writePeople(source, changes, nowMs)),
    ...progressOf(claimed, progress, nowMs),
    told: rows<{ id: string }>(sql`INSERT OR IGNORE INTO alert_mails (id, claimed_at, sent_at)
      SELECT j.value ->> 'id', ${nowMs}, ${nowMs} FROM json_each(${jsonList(notices)}) j
      WHERE ${hadVerifiedOwner(sql`j.value ->> 'tenantId'`, startedAt)} RETURNING id`),
  });
  return told.map((notice) => notice.id);
}

function progressOf({ id }: ClaimedImport, progress: Progress, nowMs: number) {
  const { counts, entries, line, position, readChunk } = progress;
  return {
    report:
      entries === "[]"
        ? undefined
        : sql`INSERT INTO import_reports (import_id, last_line, entries) VALUES (${id}, ${line}, ${entries})`,
    read:
      readChunk === null
        ? undefined
        : sql`DELETE FROM import_chunks WHERE import_id = ${id} AND part = ${readChunk.part} AND n = ${readChunk.n}`,
    moved: sql`UPDATE imports SET created = created + ${counts.created}, updated = updated + ${counts.updated},
        skipped = skipped + ${counts.skipped}, refused = refused + ${counts.refused},
        without_password = without_password + ${counts.withoutPassword}, line = ${line}, position = ${position},
        failures = 0, leased_until = ${nowMs + IMPORT_LEASE_MS}
      WHERE id = ${id}`,
  };
}
