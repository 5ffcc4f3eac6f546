/** Reading event types in the delivery database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { entriesFor } from "../subscriptions/patterns-store";
import type { TypeRow, VersionRow } from "./rows";
import type { EventTypeQuery, Mode } from "./schemas";

type Stored<Row, Json extends keyof Row> = Omit<Row, Json> & { [K in Json]: string | null };
export type StoredType = Stored<TypeRow, "deprecated">;
export type StoredVersion = Stored<VersionRow, "schema" | "examples" | "breaks">;

export const TYPE_COLUMNS = sql.raw(
  "t.name, t.description, t.heading, t.enforce, t.is_archived AS isArchived, t.deprecated, " +
    "t.latest_version AS latestVersion, t.warned_count AS warnedCount, t.warned_at AS warnedAt, " +
    "t.created_at AS createdAt, t.updated_at AS updatedAt",
);
export const VERSION_COLUMNS = sql.raw("v.version, v.schema, v.examples, v.breaks, v.created_at AS createdAt");

const json = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));

export const parsedType = (row: StoredType): TypeRow => ({ ...row, deprecated: json(row.deprecated) });
export const parsedVersion = ({ schema, examples, breaks, ...row }: StoredVersion): VersionRow => ({
  ...row,
  schema: schema === null ? undefined : JSON.parse(schema),
  examples: json(examples),
  breaks: json(breaks),
});

/** Selects the version of a type; without a number its newest one. */
const versionOf = ({ tenantId }: TenantRef, name: string, version?: number): SQL =>
  sql`event_type_versions v WHERE v.tenant_id = ${tenantId} AND v.name = ${name} AND v.version = ${
    version ?? sql`(SELECT latest_version FROM event_types t WHERE t.tenant_id = ${tenantId} AND t.name = ${name})`
  }`;

/** Returns a type with its newest version; undefined when the tenant has none with this name. */
export async function findType(
  deps: Deps,
  tenant: TenantRef,
  name: string,
): Promise<{ type: TypeRow; newest: VersionRow } | undefined> {
  const { types, versions } = await atomically(deps.shards.db(tenant.shard), {
    types: rows<StoredType>(sql`SELECT ${TYPE_COLUMNS} FROM event_types t WHERE t.tenant_id = ${tenant.tenantId}
      AND t.name = ${name}`),
    versions: rows<StoredVersion>(sql`SELECT ${VERSION_COLUMNS} FROM ${versionOf(tenant, name)}`),
  });
  const [[type], [newest]] = [types, versions];
  return type && newest && { type: parsedType(type), newest: parsedVersion(newest) };
}

/** Returns how many enabled subscriptions receive a type. */
export async function countSubscribers(deps: Deps, { tenantId, shard }: TenantRef, name: string): Promise<number> {
  const { counted } = await atomically(deps.shards.db(shard), {
    counted: rows<{ count: number }>(sql`SELECT count(*) AS count FROM subscription_events
      WHERE tenant_id = ${tenantId} AND event_type IN (${entriesFor(sql`${name}`, sql`${tenantId}`)})`),
  });
  return counted[0]?.count ?? 0;
}

/** Returns a version from 1 on; undefined when the type has none with this number. */
export async function findVersion(
  deps: Deps,
  tenant: TenantRef,
  name: string,
  version: number,
): Promise<VersionRow | undefined> {
  const { found } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<StoredVersion>(sql`SELECT ${VERSION_COLUMNS} FROM ${versionOf(tenant, name, version)}
      AND v.version > 0`),
  });
  return found[0] && parsedVersion(found[0]);
}

/** Returns the versions without their schemas, newest first. */
export async function listVersions(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  name: string,
): Promise<Pick<VersionRow, "version" | "breaks" | "createdAt">[]> {
  const { found } = await atomically(deps.shards.db(shard), {
    found: rows<StoredVersion>(sql`SELECT v.version, NULL AS schema, NULL AS examples, v.breaks,
        v.created_at AS createdAt
      FROM event_type_versions v WHERE v.tenant_id = ${tenantId} AND v.name = ${name} AND v.version > 0
      ORDER BY v.version DESC`),
  });
  return found.map(parsedVersion);
}

/** Returns a page of types by name. `nextCursor` is the last name of the page; null on the last page. */
export async function listTypes(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  { limit, cursor = "", group, prefix, archived }: EventTypeQuery,
): Promise<{ types: TypeRow[]; nextCursor: string | null }> {
  const conditions = [
    sql`t.tenant_id = ${tenantId} AND t.name > ${cursor}`,
    group === undefined ? sql`true` : sql`t.heading = ${group}`,
    // By the key: names are ASCII, and "~" is its last printable character.
    prefix === undefined ? sql`true` : sql`t.name >= ${prefix} AND substr(t.name, 1, ${prefix.length}) = ${prefix}`,
    archived === "include" ? sql`true` : sql`t.is_archived = ${archived === "only" ? 1 : 0}`,
  ];
  const { found } = await atomically(deps.shards.db(shard), {
    found: rows<StoredType>(sql`SELECT ${TYPE_COLUMNS} FROM event_types t WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY t.name LIMIT ${limit + 1}`),
  });
  const types = found.slice(0, limit).map(parsedType);
  return { types, nextCursor: found.length > limit ? (types.at(-1)?.name ?? null) : null };
}

/** Returns the mode of the tenant. */
export async function readMode(deps: Deps, { tenantId, shard }: TenantRef): Promise<Mode> {
  const { found } = await atomically(deps.shards.db(shard), {
    found: rows<{ mode: Mode }>(sql`SELECT mode FROM publish_rules WHERE tenant_id = ${tenantId}`),
  });
  return found[0]?.mode ?? "open";
}
