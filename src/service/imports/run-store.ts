/** The import that runs, in D1: one run works on it at a time. Imports belong to the platform, not to a tenant. */
import { sql } from "drizzle-orm";
import { atomically, query, queryFirst, rows, violates } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { type Actor, SYSTEM } from "../../base/schemas/actor";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditIfChanged, auditOf } from "../../tenancy/audit/record-store";

/** A run that has written nothing for so long is dead. */
export const IMPORT_LEASE_MS = 60_000;

/** An import that this run works on. */
export interface ClaimedImport {
  id: string;
  dryRun: 0 | 1;
  onExisting: "skip" | "update";
  takesMemberships: 0 | 1;
  /** Unix ms. */
  startedAt: number;
  /** Who has started it. */
  actor: Actor;
  /** How many lines are done. */
  line: number;
  /** How many lines are done of the first chunk that is left. */
  position: number;
  /** How many runs in a row have failed without moving on. */
  failures: number;
  lease: string;
}

/** Claims the import that was started first, unless another run works on it. Undefined when there is nothing to do. */
export async function claimImport({ db }: Deps, nowMs: number): Promise<ClaimedImport | undefined> {
  const lease = newId();
  const claimed = await queryFirst<Omit<ClaimedImport, "actor"> & { actor: string }>(db)`UPDATE imports
    SET lease = ${lease}, leased_until = ${nowMs + IMPORT_LEASE_MS}
    WHERE id = (SELECT id FROM imports WHERE state IN ('open', 'running') AND state = 'running'
      ORDER BY started_at, id LIMIT 1) AND leased_until <= ${nowMs}
    RETURNING id, dry_run AS dryRun, on_existing AS onExisting, takes_memberships AS takesMemberships,
      started_at AS startedAt, actor, line, position, failures, lease`;
  return claimed && { ...claimed, actor: JSON.parse(claimed.actor) as Actor };
}

/** Counts a failed run. Stops the import after `most` of them in a row, and returns whether it did. */
export async function countFailure({ db }: Deps, { id, lease }: ClaimedImport, most: number, nowMs: number) {
  const { stopped } = await atomically(db, {
    counted: sql`UPDATE imports SET failures = failures + 1
      WHERE id = ${id} AND state = 'running' AND lease = ${lease}`,
    ended: sql`UPDATE imports SET state = 'stopped', ended_at = ${nowMs}
      WHERE id = ${id} AND state = 'running' AND lease = ${lease} AND failures >= ${most}`,
    recorded: auditOf({ tenantId: PLATFORM_TENANT, actor: SYSTEM }, "import.stopped", { kind: "import", id }),
    stopped: rows<{ id: string }>(sql`SELECT id FROM imports WHERE id = ${id} AND state = 'stopped'`),
  });
  return stopped.length > 0;
}

/** Lets other runs work on the import. */
export async function releaseImport({ db }: Deps, { id, lease }: ClaimedImport): Promise<void> {
  await query(db)`UPDATE imports SET leased_until = 0 WHERE id = ${id} AND lease = ${lease}`;
}

/** How far the import has come; undefined when it has ended or another run works on it. */
export async function progressOfRun({ db }: Deps, { id, lease }: ClaimedImport) {
  return queryFirst<{ line: number; position: number }>(db)`SELECT line, position FROM imports
    WHERE id = ${id} AND state = 'running' AND lease = ${lease}`;
}

/** A chunk of the parts, encrypted. */
export interface Chunk {
  part: number;
  n: number;
  sealed: string;
}

/** The first chunk that is left, and the settings of the hashes; `sealed` in both is encrypted. */
export async function readChunk({ db }: Deps, { id }: ClaimedImport) {
  const { chunks, settings } = await atomically(db, {
    chunks: rows<Chunk>(sql`SELECT part, n, sealed FROM import_chunks WHERE import_id = ${id}
      ORDER BY part, n LIMIT 1`),
    settings: rows<{ sealed: string }>(sql`SELECT sealed FROM hash_settings WHERE id = ${id}`),
  });
  return { chunk: chunks[0], settings: settings[0]?.sealed ?? null };
}

/** Ends an import of which no chunk is left. */
export async function finishImport({ db }: Deps, { id, lease, actor }: ClaimedImport, nowMs: number): Promise<void> {
  await atomically(db, {
    finished: sql`UPDATE imports SET state = 'finished', ended_at = ${nowMs}
      WHERE id = ${id} AND state = 'running' AND lease = ${lease}`,
    recorded: auditIfChanged({
      tenantId: PLATFORM_TENANT,
      action: "import.finished",
      actor,
      target: { kind: "import", id },
      meta: sql`(SELECT json_object('created', created, 'updated', updated, 'skipped', skipped, 'refused', refused)
        FROM imports WHERE id = ${id})`,
    }),
  });
}

/** Whether a batch was not written because what it was decided on has changed, or somebody was faster. */
export const isOutdated = (error: unknown): boolean =>
  violates(error, "NOT NULL", "imports.rows") || violates(error, "UNIQUE", "");
