/** Resources in D1, of the platform or of a tenant. Those that a request asks for are found by identifier. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, query, rows, violates } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import type { ResourceSettings } from "../../base/schemas/resource-settings";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditIfChanged } from "../../tenancy/audit/record-store";

/** Times are Unix ms. */
export interface ResourceRow {
  id: string;
  /** The platform's, or that of the tenant whose it is. */
  tenantId: string;
  identifier: string;
  name: string;
  enabled: boolean;
  settings: ResourceSettings;
  secretPrefix: string | null;
  createdAt: number;
  updatedAt: number;
}

export type StoredResource = Omit<ResourceRow, "enabled" | "settings"> & { enabled: 0 | 1; settings: string };

/** A row of `oauth_resources` named `r`. */
const COLUMNS = sql`r.id, r.tenant_id AS tenantId, r.identifier, r.name, r.enabled, r.settings,
  r.secret_prefix AS secretPrefix, r.created_at AS createdAt, r.updated_at AS updatedAt`;

export const parsedResource = ({ enabled, settings, ...row }: StoredResource): ResourceRow => ({
  ...row,
  enabled: enabled === 1,
  settings: JSON.parse(settings) as ResourceSettings,
});

/** Those with these identifiers, and those that the client is registered for. Reads nothing where there are none. */
export const selectAsked = (clientId: string, identifiers: readonly string[]) =>
  rows<StoredResource>(sql`SELECT ${COLUMNS} FROM (SELECT value AS identifier FROM json_each(${jsonList(identifiers)})
      UNION SELECT e.value ->> '$.identifier' FROM oauth_clients c, json_each(c.settings, '$.resources') e
        WHERE c.id = ${clientId}
      UNION SELECT 'api' FROM oauth_clients c WHERE c.id = ${clientId}
        AND json_array_length(c.settings, '$.resources') > 0) asked
    CROSS JOIN oauth_resources r ON r.identifier = asked.identifier`);

/** The one with this id. */
export const selectResource = (id: string) =>
  rows<StoredResource>(sql`SELECT ${COLUMNS} FROM oauth_resources r WHERE r.id = ${id}`);

/** Those at which the grant `grantId` has scopes. */
export const selectOfGrant = (grantId: string) =>
  rows<StoredResource>(sql`SELECT ${COLUMNS} FROM oauth_resources r WHERE r.id IN (
    SELECT substr(e.value, 1, instr(e.value, ' ') - 1) FROM oauth_grants g, json_each(g.scopes) e
    WHERE g.id = ${grantId})`);

/** Those at which a person has allowed an app something. */
export const selectOfPerson = (userId: string) =>
  rows<StoredResource>(sql`SELECT ${COLUMNS} FROM oauth_resources r WHERE r.id IN (
    SELECT substr(e.value, 1, instr(e.value, ' ') - 1) FROM oauth_consents k, json_each(k.scopes) e
      WHERE k.user_id = ${userId}
    UNION SELECT substr(e.value, 1, instr(e.value, ' ') - 1) FROM oauth_grants g, json_each(g.scopes) e
      WHERE g.user_id = ${userId})`);

export async function findResource({ db }: Deps, id: string): Promise<ResourceRow | undefined> {
  const [found] = (await atomically(db, { found: selectResource(id) })).found;
  return found && parsedResource(found);
}

/** The resources of the platform or of a tenant, newest first: at most its cap. */
export async function listResources({ db }: Deps, tenantId: string): Promise<ResourceRow[]> {
  const found = await query<StoredResource>(db)`SELECT ${COLUMNS} FROM oauth_resources r
    WHERE r.tenant_id = ${tenantId} ORDER BY r.created_at DESC, r.id DESC`;
  return found.map(parsedResource);
}

const recorded = (action: AuditAction & `resource.${string}`, tenantId: string, actor: Actor, id: string) =>
  auditIfChanged({
    tenantId,
    action,
    actor: actor.kind === "user" && tenantId === PLATFORM_TENANT ? { ...actor, kind: "operator" } : actor,
    target: { kind: "resource", id },
  });

/** Stores a resource, unless its identifier is taken in any of `spelt`. */
export async function insertResource(
  { db }: Deps,
  row: ResourceRow,
  { spelt, cap, actor }: { spelt: readonly string[]; cap: number; actor: Actor },
): Promise<"stored" | "cap" | "taken"> {
  const isTaken = sql`EXISTS (SELECT 1 FROM oauth_resources r WHERE r.identifier IN
    (SELECT value FROM json_each(${jsonList(spelt)})))`;
  const { taken, inserted } = await atomically(db, {
    taken: rows<{ taken: 0 | 1 }>(sql`SELECT ${isTaken} AS taken`),
    inserted: sql`INSERT INTO oauth_resources (id, tenant_id, identifier, name, enabled, settings, created_at,
        updated_at)
      SELECT ${row.id}, ${row.tenantId}, ${row.identifier}, ${row.name}, ${Number(row.enabled)},
        ${JSON.stringify(row.settings)}, ${row.createdAt}, ${row.createdAt}
      WHERE (SELECT count(*) FROM oauth_resources WHERE tenant_id = ${row.tenantId} AND id <> 'api') < ${cap}
        AND NOT ${isTaken}
      RETURNING id`,
    recorded: recorded("resource.created", row.tenantId, actor, row.id),
  });
  if (inserted.length === 1) return "stored";
  return taken[0]?.taken === 1 ? "taken" : "cap";
}

/** Changes a resource that is still as it was read; one without a row gets it. Returns false if it has changed. */
export async function updateResource(
  { db }: Deps,
  before: ResourceRow,
  after: Pick<ResourceRow, "identifier" | "name" | "enabled" | "settings">,
  actor: Actor,
  nowMs: number,
): Promise<boolean | "taken"> {
  const updatedAt = Math.max(before.updatedAt + 1, nowMs);
  const { id, tenantId } = before;
  try {
    const { updated } = await atomically(db, {
      updated: sql`INSERT INTO oauth_resources (id, tenant_id, identifier, name, enabled, settings, created_at,
          updated_at)
        SELECT ${id}, ${tenantId}, ${after.identifier}, ${after.name}, ${Number(after.enabled)},
          ${JSON.stringify(after.settings)}, ${nowMs}, ${updatedAt}
        WHERE ${before.updatedAt === 0 ? sql`true` : sql`EXISTS (SELECT 1 FROM oauth_resources WHERE id = ${id})`}
        ON CONFLICT (id) DO UPDATE SET identifier = excluded.identifier, name = excluded.name,
          enabled = excluded.enabled, settings = excluded.settings, updated_at = excluded.updated_at
          WHERE oauth_resources.updated_at = ${before.updatedAt}
        RETURNING id`,
      recorded: recorded("resource.updated", tenantId, actor, id),
    });
    return updated.length === 1;
  } catch (error) {
    if (violates(error, "UNIQUE", "oauth_resources.identifier")) return "taken";
    throw error;
  }
}

/** Deletes a resource of the platform or of a tenant. Its tokens are refused where they are asked about. */
export async function deleteResourceOf(
  { db }: Deps,
  { id, tenantId }: Pick<ResourceRow, "id" | "tenantId">,
  actor: Actor,
): Promise<boolean> {
  const { deleted } = await atomically(db, {
    deleted: sql`DELETE FROM oauth_resources WHERE id = ${id} AND tenant_id = ${tenantId} RETURNING id`,
    recorded: recorded("resource.deleted", tenantId, actor, id),
  });
  return deleted.length === 1;
}

/** Replaces the secret with which a resource asks about tokens. */
export async function rotateResourceSecret(
  { db }: Deps,
  { id, tenantId, hash, prefix }: { id: string; tenantId: string; hash: string; prefix: string },
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const { rotated } = await atomically(db, {
    rotated: sql`UPDATE oauth_resources SET secret_hash = ${hash}, secret_prefix = ${prefix},
      updated_at = max(updated_at + 1, ${nowMs}) WHERE id = ${id} AND tenant_id = ${tenantId} RETURNING id`,
    recorded: recorded("resource.secret_rotated", tenantId, actor, id),
  });
  return rotated.length === 1;
}
