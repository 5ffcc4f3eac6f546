/** Sources in the control plane, because a call names no tenant but its source. */
import { sql } from "drizzle-orm";
import { atomically, prepared, query, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { orNotFound } from "../../base/errors";
import type { ActingIn } from "../../base/schemas/actor";
import { MINUTE_MS } from "../../base/time";
import { auditOf } from "../../tenancy/audit/record-store";
import { STANDING_COLUMNS, type Standing, type StandingRow, standingOf } from "../../tenancy/tenants/standing-store";
import { actsOf } from "../subscriptions/suspects-store";
import type { SourceOptions } from "./option-schemas";
import type { SourceProvider } from "./schemas";

export interface SourceRow {
  id: string;
  tenantId: string;
  name: string;
  provider: SourceProvider;
  secretsSealed: string;
  options: SourceOptions;
  enabled: boolean;
  /** The user who made it or last added a secret; null: nobody who is known. */
  setUpBy: string | null;
  /** Unix ms, like the other times. */
  createdAt: number;
  updatedAt: number;
  lastEventAt: number | null;
}

type StoredRow = Omit<SourceRow, "options" | "enabled"> & { options: string; enabled: 0 | 1 };

const COLUMNS = sql.raw(
  "s.id, s.tenant_id AS tenantId, s.name, s.provider, s.secrets_sealed AS secretsSealed, s.options, s.is_enabled " +
    "AS enabled, s.set_up_by AS setUpBy, s.created_at AS createdAt, s.updated_at AS updatedAt, " +
    "s.last_event_at AS lastEventAt",
);

const parsed = (row: StoredRow): SourceRow => ({
  ...row,
  options: JSON.parse(row.options) as SourceOptions,
  enabled: row.enabled === 1,
});

/** Inserts a source, unless the tenant has `most` already. Returns whether it has. */
export async function insertSource({ db }: Deps, actor: ActingIn, row: SourceRow, most: number): Promise<boolean> {
  const { inserted } = await atomically(db, {
    inserted: sql`INSERT INTO sources (id, tenant_id, name, provider, secrets_sealed, options, is_enabled, set_up_by,
        created_at, updated_at)
      SELECT ${row.id}, ${row.tenantId}, ${row.name}, ${row.provider}, ${row.secretsSealed},
        ${JSON.stringify(row.options)}, ${Number(row.enabled)}, ${row.setUpBy}, ${row.createdAt}, ${row.updatedAt}
      WHERE (SELECT count(*) FROM sources WHERE tenant_id = ${row.tenantId}) < ${most} RETURNING id`,
    recorded: auditOf(actor, "source.created", { kind: "source", id: row.id }, { provider: row.provider }),
  });
  return inserted.length === 1;
}

/** The tenant's sources, newest first. */
export async function listSources({ db }: Deps, { tenantId }: { tenantId: string }): Promise<SourceRow[]> {
  const found = await query<StoredRow>(db)`SELECT ${COLUMNS} FROM sources s WHERE s.tenant_id = ${tenantId}
    ORDER BY s.created_at DESC, s.id`;
  return found.map(parsed);
}

/** The tenant's source. Throws NOT_FOUND. */
export async function readSource({ db }: Deps, { tenantId }: { tenantId: string }, id: string): Promise<SourceRow> {
  const found = await queryFirst<StoredRow>(db)`SELECT ${COLUMNS} FROM sources s WHERE s.id = ${id}
    AND s.tenant_id = ${tenantId}`;
  return parsed(orNotFound(found, "Source"));
}

const withTenant = prepared<StoredRow & StandingRow>(sql`SELECT ${COLUMNS}, ${STANDING_COLUMNS}
  FROM sources s JOIN tenants t ON t.id = s.tenant_id WHERE s.id = ${sql.placeholder("id")}`);

/** A source that is called, and the tenant that it publishes for. */
export interface CalledSource {
  source: SourceRow;
  tenant: Standing;
}

/** Looks across tenants: the source determines the tenant. */
export async function findCalledSource({ db }: Deps, id: string): Promise<CalledSource | undefined> {
  const [row] = await withTenant(db, { id });
  return row && { source: parsed(row), tenant: standingOf(row) };
}

/** The columns of a change. */
type Columns = Pick<SourceRow, "name" | "enabled" | "options">;

/** Writes a change. Returns false if the source has changed since it was read, or is gone. */
export async function updateSource(
  { db }: Deps,
  actor: ActingIn,
  before: SourceRow,
  after: Columns,
  { fields, nowMs }: { fields: readonly string[]; nowMs: number },
): Promise<boolean> {
  const { updated } = await atomically(db, {
    updated: sql`UPDATE sources SET name = ${after.name}, is_enabled = ${Number(after.enabled)},
        options = ${JSON.stringify(after.options)}, updated_at = ${nowMs}
      WHERE id = ${before.id} AND tenant_id = ${actor.tenantId} AND name = ${before.name}
        AND is_enabled = ${Number(before.enabled)} AND options = ${JSON.stringify(before.options)} RETURNING id`,
    recorded: auditOf(actor, "source.updated", { kind: "source", id: before.id }, { changed: fields }),
  });
  return updated.length === 1;
}

/** Replaces the secrets. Returns false if they have changed since they were read, or the source is gone. */
export async function replaceSecrets(
  { db }: Deps,
  actor: ActingIn,
  before: SourceRow,
  secretsSealed: string,
  { action, nowMs }: { action: "source.secret_added" | "source.secret_removed"; nowMs: number },
): Promise<boolean> {
  const { updated } = await atomically(db, {
    updated: sql`UPDATE sources SET secrets_sealed = ${secretsSealed}, set_up_by = ${before.setUpBy},
        updated_at = ${nowMs}
      WHERE id = ${before.id} AND tenant_id = ${actor.tenantId} AND secrets_sealed = ${before.secretsSealed}
      RETURNING id`,
    recorded: auditOf(actor, action, { kind: "source", id: before.id }),
  });
  return updated.length === 1;
}

/** Deletes the tenant's source with its errors. Returns false when it has none with this id. */
export async function deleteSource({ db }: Deps, actor: ActingIn, id: string): Promise<boolean> {
  const { deleted } = await atomically(db, {
    errors: sql`DELETE FROM source_errors WHERE source_id = (SELECT s.id FROM sources s WHERE s.id = ${id}
      AND s.tenant_id = ${actor.tenantId})`,
    deleted: sql`DELETE FROM sources WHERE id = ${id} AND tenant_id = ${actor.tenantId} RETURNING id`,
    recorded: auditOf(actor, "source.deleted", { kind: "source", id }),
  });
  return deleted.length === 1;
}

/** Notes that a source relayed an event, at most once a minute. */
export async function touchSource(
  { db }: Deps,
  { id, tenantId, lastEventAt }: SourceRow,
  nowMs: number,
): Promise<void> {
  if (lastEventAt !== null && nowMs - lastEventAt < MINUTE_MS) return;
  await query(db)`UPDATE sources SET last_event_at = ${nowMs} WHERE id = ${id} AND tenant_id = ${tenantId}
    AND coalesce(last_event_at, 0) <= ${nowMs - MINUTE_MS}`;
}

/** The sources of a tenant that a key has made, or given a secret. */
export async function readSourcesMadeBy(
  { db }: Deps,
  tenantId: string,
  keyId: string,
): Promise<{ id: string; name: string }[]> {
  return query<{ id: string; name: string }>(db)`SELECT DISTINCT s.id, s.name FROM ${actsOf([[keyId, tenantId]], 0)}
    JOIN sources s ON s.id = a.target_id AND s.tenant_id = a.tenant_id
    WHERE a.action IN ('source.created', 'source.secret_added')`;
}
