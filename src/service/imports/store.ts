/** Imports and their parts in D1. They belong to the platform, not to a tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import type { PlatformScope } from "../../base/schemas/platform-scopes";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditOf } from "../../tenancy/audit/record-store";
import type { Import } from "./schemas";

const MAX_NOT_ENDED = 10;
const AFTER_ALL_IDS = "~";

/** An import as it is read. Times are Unix ms. */
export interface ImportRow {
  id: string;
  name: string | null;
  dryRun: 0 | 1;
  onExisting: "skip" | "update";
  state: Import["state"];
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  refused: number;
  withoutPassword: number;
  waiting: number;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

const select = (rest: SQL) =>
  rows<ImportRow>(sql`SELECT i.id, i.name, i.dry_run AS dryRun, i.on_existing AS onExisting, i.state, i.rows, i.created,
      i.updated, i.skipped, i.refused, i.without_password AS withoutPassword, i.created_at AS createdAt,
      i.started_at AS startedAt, i.ended_at AS endedAt,
      (SELECT count(*) FROM users u WHERE u.password_import = i.id AND u.password_kind IS NOT NULL) AS waiting
    FROM imports i ${rest}`);

export interface NewImportRow {
  id: string;
  name: string | null;
  dryRun: boolean;
  onExisting: "skip" | "update";
  /** Encrypted; null if there are none. */
  hashSettings: string | null;
}

/** Whether a key may add members; 1 or 0. */
const addsMembers = (scopes: ReadonlySet<PlatformScope>): number => Number(scopes.has("members.write"));

/** Creates an import. Undefined when too many have not ended. */
export async function insertImport(
  { db }: Deps,
  { actor, scopes }: PlatformKeyPrincipal,
  { id, name, dryRun, onExisting, hashSettings }: NewImportRow,
  nowMs: number,
): Promise<ImportRow | undefined> {
  const { found } = await atomically(db, {
    inserted: sql`INSERT INTO imports (id, name, dry_run, on_existing, state, actor, takes_memberships, rows, created,
        updated, skipped, refused, line, position, lease, leased_until, is_cleared, created_at)
      SELECT ${id}, ${name}, ${dryRun ? 1 : 0}, ${onExisting}, 'open', ${JSON.stringify(actor)},
        ${addsMembers(scopes)}, 0, 0, 0, 0, 0, 0, 0, '', 0, 0, ${nowMs}
      WHERE (SELECT count(*) FROM imports WHERE state IN ('open', 'running')) < ${MAX_NOT_ENDED}`,
    settings:
      hashSettings === null
        ? undefined
        : sql`INSERT INTO hash_settings (id, sealed, created_at) SELECT i.id, ${hashSettings}, ${nowMs} FROM imports i
          WHERE i.id = ${id}`,
    found: select(sql`WHERE i.id = ${id}`),
  });
  return found[0];
}

export async function findImport({ db }: Deps, id: string): Promise<ImportRow | undefined> {
  const { found } = await atomically(db, { found: select(sql`WHERE i.id = ${id}`) });
  return found[0];
}

/** Imports, newest first, with one more than the page has. */
export async function listImports({ db }: Deps, limit: number, before: string | undefined): Promise<ImportRow[]> {
  const { found } = await atomically(db, {
    found: select(sql`WHERE i.id < ${before ?? AFTER_ALL_IDS} ORDER BY i.id DESC LIMIT ${limit + 1}`),
  });
  return found;
}

export interface NewPart {
  part: number;
  hash: string;
  rows: number;
  bytes: number;
  /** Encrypted, in order. */
  chunks: readonly string[];
}

/** How many bytes the parts of all imports have together whose people are still stored. */
export const MAX_BYTES = 2 * 1024 ** 3;

/**
 * Stores a part of an open import in place of a former one, unless all imports together would have more than
 * `MAX_BYTES`. Returns the import's state and the part that is there.
 */
export async function insertPart(
  { db }: Deps,
  { scopes }: PlatformKeyPrincipal,
  importId: string,
  { part, hash, rows: count, bytes, chunks }: NewPart,
): Promise<{ state: Import["state"]; hash: string | null } | undefined> {
  const isPart = sql`import_id = ${importId} AND part = ${part}`;
  const others = sql`SELECT sum(p.bytes) FROM (SELECT id FROM imports WHERE state IN ('open', 'running')
      UNION ALL SELECT id FROM imports WHERE ended_at IS NOT NULL AND is_cleared = 0) kept
    CROSS JOIN import_parts p ON p.import_id = kept.id WHERE NOT (p.import_id = ${importId} AND p.part = ${part})`;
  const open = sql`FROM imports i WHERE i.id = ${importId} AND i.state = 'open'
    AND EXISTS (SELECT 1 FROM import_parts WHERE ${isPart} AND hash = ${hash})`;
  const { found } = await atomically(db, {
    trusted: sql`UPDATE imports SET takes_memberships = min(takes_memberships, ${addsMembers(scopes)})
      WHERE id = ${importId} AND state = 'open'`,
    inserted: sql`INSERT INTO import_parts (import_id, part, hash, rows, bytes)
      SELECT i.id, ${part}, ${hash}, ${count}, ${bytes} FROM imports i WHERE i.id = ${importId} AND i.state = 'open'
        AND coalesce((${others}), 0) + ${bytes} <= ${MAX_BYTES}
      ON CONFLICT DO UPDATE SET hash = excluded.hash, rows = excluded.rows, bytes = excluded.bytes`,
    removed: sql`DELETE FROM import_chunks WHERE ${isPart} AND EXISTS (SELECT 1 ${open})`,
    chunks: chunks.map(
      (sealed, n) => sql`INSERT INTO import_chunks (import_id, part, n, sealed)
        SELECT i.id, ${part}, ${n}, ${sealed} ${open}`,
    ),
    found: rows<{ state: Import["state"]; hash: string | null }>(sql`SELECT i.state, p.hash FROM imports i
      LEFT JOIN import_parts p ON p.import_id = i.id AND p.part = ${part} WHERE i.id = ${importId}`),
  });
  return found[0];
}

/** Starts an open import that has its parts 1 to `parts`; others are left out. Returns the import and its parts. */
export async function beginImport(
  { db }: Deps,
  { actor, scopes }: PlatformKeyPrincipal,
  id: string,
  parts: number,
  nowMs: number,
): Promise<{ row: ImportRow | undefined; parts: number[] }> {
  const wanted = jsonList(Array.from({ length: parts }, (_, index) => index + 1));
  const { found, present } = await atomically(db, {
    started: sql`UPDATE imports SET state = 'running', started_at = ${nowMs}, actor = ${JSON.stringify(actor)},
        takes_memberships = min(takes_memberships, ${addsMembers(scopes)}),
        rows = (SELECT coalesce(sum(p.rows), 0) FROM import_parts p WHERE p.import_id = ${id} AND p.part <= ${parts})
      WHERE id = ${id} AND state = 'open' AND NOT EXISTS (SELECT 1 FROM json_each(${wanted}) j
        WHERE NOT EXISTS (SELECT 1 FROM import_parts p WHERE p.import_id = ${id} AND p.part = j.value))`,
    recorded: auditOf(
      { tenantId: PLATFORM_TENANT, actor },
      "import.started",
      { kind: "import", id },
      sql`(SELECT json_object('rows', rows, 'dryRun', json(iif(dry_run, 'true', 'false'))) FROM imports
        WHERE id = ${id})`,
    ),
    others: sql`DELETE FROM import_chunks WHERE import_id = ${id} AND part > ${parts}
      AND EXISTS (SELECT 1 FROM imports i WHERE i.id = ${id} AND i.state = 'running')`,
    present: rows<{ part: number }>(sql`SELECT part FROM import_parts WHERE import_id = ${id} ORDER BY part`),
    found: select(sql`WHERE i.id = ${id}`),
  });
  return { row: found[0], parts: present.map(({ part }) => part) };
}

/** Stops an import that has not ended, and records it in each of `logs`. Returns the import as it is then. */
export async function endImport(
  { db }: Deps,
  actor: Actor,
  id: string,
  logs: readonly string[],
  nowMs: number,
): Promise<ImportRow | undefined> {
  const { found } = await atomically(db, {
    stopped: sql`UPDATE imports SET state = 'stopped', ended_at = ${nowMs}
      WHERE id = ${id} AND state IN ('open', 'running')`,
    recorded: logs.map((tenantId) => auditOf({ tenantId, actor }, "import.stopped", { kind: "import", id })),
    found: select(sql`WHERE i.id = ${id}`),
  });
  return found[0];
}
