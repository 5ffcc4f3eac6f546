/** Tenants of the product in D1. A platform key reaches all of them, or those of its list. */
import { sql } from "drizzle-orm";
import { atomically, jsonList } from "../../base/db/client";
import { shardForNewTenant } from "../../base/db/shard-sizes-store";
import type { Deps } from "../../base/deps";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { type MetadataChange, storedMetadata } from "../../tenancy/directory/metadata";
import { nextMetadata } from "../../tenancy/directory/metadata-store";
import { selectTenants, type TenantRow } from "../../tenancy/directory/records-store";
import { type ListFilter, pageByUpdate } from "./page-store";

/** The tenants that the key sees, least recently updated first. */
export async function listTenants(
  { db }: Deps,
  { tenants }: PlatformKeyPrincipal,
  filter: ListFilter,
): Promise<TenantRow[]> {
  const seen = tenants === null ? sql`` : sql`r.id IN (SELECT value FROM json_each(${jsonList(tenants)})) AND`;
  const { found } = await atomically(db, {
    found: selectTenants(sql`${seen} r.id <> ${PLATFORM_TENANT} AND ${pageByUpdate(filter)}`),
  });
  return found;
}

export async function readTenant({ db }: Deps, tenantId: string): Promise<TenantRow | undefined> {
  const { found } = await atomically(db, { found: selectTenants(sql`r.id = ${tenantId}`) });
  return found[0];
}

export interface NewTenantRow extends MetadataChange {
  id: string;
  name: string;
  externalId: string | null;
}

/** Creates a tenant unless there is one with the same external id. Returns that one, and whether it was created. */
export async function insertTenant(
  { db, shards }: Deps,
  key: PlatformKeyPrincipal,
  { id, name, externalId, metadata = null, publicMetadata = null }: NewTenantRow,
  nowMs: number,
): Promise<{ row: TenantRow | undefined; isNew: boolean }> {
  const { inserted, found } = await atomically(db, {
    inserted: sql`INSERT INTO tenants (id, name, shard, external_id, trusted_at, created_by, created_at,
        metadata, public_metadata)
      SELECT ${id}, ${name}, ${shardForNewTenant(shards)}, ${externalId}, ${nowMs}, '', ${nowMs},
        ${storedMetadata(metadata)}, ${storedMetadata(publicMetadata)}
      WHERE NOT EXISTS (SELECT 1 FROM tenants WHERE external_id = ${externalId}) RETURNING id`,
    recorded: inTenant(key, id, "tenant.created", { kind: "tenant", id }).map(auditIfChanged),
    found: selectTenants(sql`r.id = coalesce((SELECT id FROM tenants WHERE external_id = ${externalId}), ${id})`),
  });
  return { row: found[0], isNew: inserted.length === 1 };
}

/** Changes a tenant; a field that is undefined stays. Records it if anything changes. Throws on a taken external id. */
export async function updateTenant(
  { db }: Deps,
  key: PlatformKeyPrincipal,
  tenantId: string,
  change: MetadataChange & { name: string | undefined; externalId: string | null | undefined },
): Promise<TenantRow | undefined> {
  const { name, externalId } = change;
  const more = nextMetadata(change);
  const own = Object.entries({ name, externalId }).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const changed = [...own, ...more.changed];
  const next = {
    name: name === undefined ? sql`name` : sql`${name}`,
    externalId: externalId === undefined ? sql`external_id` : sql`${externalId}`,
  };
  const { found } = await atomically(db, {
    updated: sql`UPDATE tenants SET name = ${next.name}, external_id = ${next.externalId}, ${more.set}
      WHERE id = ${tenantId} AND (name IS NOT ${next.name} OR external_id IS NOT ${next.externalId}
        OR ${more.differs})`,
    recorded: inTenant(key, tenantId, "tenant.updated", { kind: "tenant", id: tenantId }, { changed }).map(
      auditIfChanged,
    ),
    found: selectTenants(sql`r.id = ${tenantId}`),
  });
  return found[0];
}
