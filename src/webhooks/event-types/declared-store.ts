/** Reading event types with their newest versions, several at once. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import type { Declared } from "./declaration";
import {
  holdsIn,
  IS_SHADOWED,
  inBoth,
  parsedType,
  parsedVersion,
  type StoredType,
  type StoredVersion,
  TYPE_COLUMNS,
  VERSION_COLUMNS,
} from "./store";

/** A version of a schema can have 144 KiB with its examples. */
const PAGE_TYPES = 8;

/** Returns a page of the types that are not archived, by name. `nextCursor` is the last name; null on the last page. */
export async function readPage(
  deps: Deps,
  tenant: TenantRef,
  after: string,
  hasPlatformTypes = true,
): Promise<{ types: Declared[]; nextCursor: string | null }> {
  const part = (owner: SQL) => sql`SELECT * FROM event_types t WHERE t.tenant_id = ${owner} AND t.name > ${after}
    AND t.is_archived = 0 AND NOT ${IS_SHADOWED} ORDER BY t.name LIMIT ${PAGE_TYPES}`;
  const page = sql`SELECT * FROM (${inBoth(tenant.tenantId, part, hasPlatformTypes)})
    ORDER BY name LIMIT ${PAGE_TYPES}`;
  const types = await readDeclared(deps, tenant, sql`(${page}) t`);
  return { types, nextCursor: types.length === PAGE_TYPES ? (types.at(-1)?.type.name ?? null) : null };
}

/** Like `readPage`, but only the tenant's own types, with those that are archived. */
export async function readOwnPage(
  deps: Deps,
  tenant: TenantRef,
  after: string,
): Promise<{ types: Declared[]; nextCursor: string | null }> {
  const page = sql`(SELECT * FROM event_types WHERE tenant_id = ${tenant.tenantId} AND name > ${after}
    ORDER BY name LIMIT ${PAGE_TYPES}) t`;
  const types = await readDeclared(deps, tenant, page);
  return { types, nextCursor: types.length === PAGE_TYPES ? (types.at(-1)?.type.name ?? null) : null };
}

/** Returns the types with one of the names that count in the tenant. */
export async function readNamed(deps: Deps, tenant: TenantRef, names: readonly string[]): Promise<Declared[]> {
  return readDeclared(
    deps,
    tenant,
    sql`json_each(${jsonList(names)}) j CROSS JOIN event_types t ON t.tenant_id IN ${holdsIn(tenant.tenantId)}
      AND t.name = j.value AND NOT ${IS_SHADOWED}`,
  );
}

/** Returns the types `t` of `from` (SQL: what follows FROM) by name. */
async function readDeclared(deps: Deps, { shard }: TenantRef, from: SQL): Promise<Declared[]> {
  const { found, versions } = await atomically(deps.shards.db(shard), {
    found: rows<StoredType>(sql`SELECT ${TYPE_COLUMNS} FROM ${from} ORDER BY t.name`),
    versions: rows<StoredVersion & { name: string }>(sql`SELECT v.name, ${VERSION_COLUMNS} FROM ${from}
      CROSS JOIN event_type_versions v ON v.tenant_id = t.tenant_id AND v.name = t.name
        AND v.version = t.latest_version`),
  });
  const newestOf = new Map(versions.map(({ name, ...row }) => [name, parsedVersion(row)]));
  return found.flatMap((row) => {
    const newest = newestOf.get(row.name);
    return newest ? [{ type: parsedType(row), newest }] : [];
  });
}
