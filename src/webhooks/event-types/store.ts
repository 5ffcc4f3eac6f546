/** Reading event types in the delivery database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { parseExact } from "../../base/exact-json";
import { jsonOf } from "../../base/json";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { entriesFor } from "../plane/patterns-store";
import type { TypeRow, VersionRow } from "./rows";
import type { EventTypeQuery, Mode } from "./schemas";

type Stored<Row, Json extends keyof Row> = Omit<Row, Json> & { [K in Json]: string | null };
export type StoredType = Stored<TypeRow, "deprecated">;
export type StoredVersion = Stored<VersionRow, "schema" | "examples" | "breaks">;

const PLATFORM = sql.raw(`'${PLATFORM_TENANT}'`);
/** Whether the platform has declared a type of the same name as the type `t` of a tenant. */
export const IS_SHADOWED = sql`(t.tenant_id <> ${PLATFORM} AND EXISTS (SELECT 1 FROM event_types p
  WHERE p.tenant_id = ${PLATFORM} AND p.name = t.name))`;
/** The tenant itself and the platform, as a list for IN. */
export const holdsIn = (tenantId: string): SQL => sql`(${tenantId}, ${PLATFORM})`;

/** What a part selects of the tenant and, if `hasPlatformTypes`, of the platform. */
export const inBoth = (tenantId: string, part: (owner: SQL) => SQL, hasPlatformTypes: boolean): SQL =>
  hasPlatformTypes
    ? sql`SELECT * FROM (${part(sql`${tenantId}`)})
    UNION ALL SELECT * FROM (${part(PLATFORM)}) WHERE ${tenantId} <> ${PLATFORM}`
    : part(sql`${tenantId}`);

export const TYPE_COLUMNS = sql`t.name, iif(t.tenant_id = ${PLATFORM}, 'platform', 'tenant') AS scope,
  ${IS_SHADOWED} AS isShadowed, ${sql.raw(
    "t.description, t.heading, t.enforce, t.is_archived AS isArchived, t.deprecated, " +
      "t.latest_version AS latestVersion, t.warned_count AS warnedCount, t.warned_at AS warnedAt, " +
      "t.created_at AS createdAt, t.updated_at AS updatedAt",
  )}`;
export const VERSION_COLUMNS = sql.raw("v.version, v.schema, v.examples, v.breaks, v.created_at AS createdAt");

const json = <T>(text: string | null): T | null => (text === null ? null : (parseExact(text) as T));

export const parsedType = (row: StoredType): TypeRow => ({ ...row, deprecated: json(row.deprecated) });
export const parsedVersion = ({ schema, examples, breaks, ...row }: StoredVersion): VersionRow => ({
  ...row,
  // What cannot be read is left out, so that a version can follow it.
  schema: schema === null ? undefined : jsonOf(schema),
  examples: json(examples),
  breaks: json(breaks),
});

/** The column of the type with this name that counts in the tenant: the platform's before the tenant's own. */
const ofType = (column: "tenant_id" | "latest_version", tenantId: string, name: string): SQL =>
  sql`(SELECT t.${sql.raw(column)} FROM event_types t WHERE t.tenant_id IN ${holdsIn(tenantId)} AND t.name = ${name}
    ORDER BY t.tenant_id = ${PLATFORM} DESC LIMIT 1)`;

/** Selects the version of a type; without a number its newest one. */
const versionOf = ({ tenantId }: TenantRef, name: string, version?: number): SQL =>
  sql`event_type_versions v WHERE v.tenant_id = ${ofType("tenant_id", tenantId, name)} AND v.name = ${name}
    AND v.version = ${version ?? ofType("latest_version", tenantId, name)}`;

/** Returns a type with its newest version; undefined when neither the tenant nor the platform has declared it. */
export async function findType(
  deps: Deps,
  tenant: TenantRef,
  name: string,
): Promise<{ type: TypeRow; newest: VersionRow } | undefined> {
  const { types, versions } = await atomically(deps.shards.db(tenant.shard), {
    types: rows<StoredType>(sql`SELECT ${TYPE_COLUMNS} FROM event_types t
      WHERE t.tenant_id IN ${holdsIn(tenant.tenantId)} AND t.name = ${name} ORDER BY scope LIMIT 1`),
    versions: rows<StoredVersion>(sql`SELECT ${VERSION_COLUMNS} FROM ${versionOf(tenant, name)}`),
  });
  const [[type], [newest]] = [types, versions];
  return type && newest && { type: parsedType(type), newest: parsedVersion(newest) };
}

/** Returns how many enabled subscriptions receive a type. */
export async function countSubscribers(deps: Deps, { tenantId, shard }: TenantRef, name: string): Promise<number> {
  const counted = await queryFirst<{ count: number }>(deps.shards.db(shard))`SELECT count(*) AS count
    FROM subscription_events
    WHERE tenant_id = ${tenantId} AND event_type IN (${entriesFor(sql`${name}`, sql`${tenantId}`)})`;
  return counted?.count ?? 0;
}

/** A few of the enabled subscriptions that receive a type. */
export const listSubscribers = (deps: Deps, { tenantId, shard }: TenantRef, name: string, limit: number) =>
  query<{ id: string; name: string }>(deps.shards.db(shard))`SELECT s.id, s.name FROM (SELECT DISTINCT subscription_id
      FROM subscription_events WHERE tenant_id = ${tenantId}
        AND event_type IN (${entriesFor(sql`${name}`, sql`${tenantId}`)}) LIMIT ${limit}) w
    CROSS JOIN subscriptions s ON s.id = w.subscription_id WHERE s.is_deleted = 0 ORDER BY s.name`;

/** The most names that `listTypesWithExamples` returns. */
const MAX_WITH_EXAMPLES = 200;

/** The names of the types in force whose newest version has an example. */
export async function listTypesWithExamples(deps: Deps, { tenantId, shard }: TenantRef): Promise<string[]> {
  const part = (owner: SQL) => sql`SELECT t.name FROM event_types t CROSS JOIN event_type_versions v
      ON v.tenant_id = t.tenant_id AND v.name = t.name AND v.version = t.latest_version
    WHERE t.tenant_id = ${owner} AND t.is_archived = 0 AND NOT ${IS_SHADOWED} AND v.examples IS NOT NULL
    ORDER BY t.name LIMIT ${MAX_WITH_EXAMPLES}`;
  const found = await query<{ name: string }>(deps.shards.db(shard))`SELECT name
    FROM (${inBoth(tenantId, part, true)}) ORDER BY name LIMIT ${MAX_WITH_EXAMPLES}`;
  return found.map(({ name }) => name);
}

/** Returns a version from 1 on; undefined when the type has none with this number, or has forgotten its schema. */
export async function findVersion(
  deps: Deps,
  tenant: TenantRef,
  name: string,
  version: number,
): Promise<VersionRow | undefined> {
  const found = await queryFirst<StoredVersion>(deps.shards.db(tenant.shard))`SELECT ${VERSION_COLUMNS}
    FROM ${versionOf(tenant, name, version)} AND v.version > 0 AND v.schema IS NOT NULL`;
  return found && parsedVersion(found);
}

/** Returns the versions without their schemas, newest first. */
export async function listVersions(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  name: string,
): Promise<Pick<VersionRow, "version" | "breaks" | "createdAt">[]> {
  const found = await query<StoredVersion>(deps.shards.db(shard))`SELECT v.version, NULL AS schema, NULL AS examples,
    v.breaks, v.created_at AS createdAt
    FROM event_type_versions v WHERE v.tenant_id = ${ofType("tenant_id", tenantId, name)} AND v.name = ${name}
      AND v.version > 0
    ORDER BY v.version DESC`;
  return found.map(parsedVersion);
}

/**
 * Returns a page of the types of the tenant, and unless told otherwise of the platform, by name. `nextCursor` is null
 * on the last page; else it is the last name of the page, with a space for a type that the platform's shadows, which
 * follows that.
 */
export async function listTypes(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  { limit, cursor = "", group, prefix, archived }: EventTypeQuery,
  hasPlatformTypes = true,
): Promise<{ types: TypeRow[]; nextCursor: string | null }> {
  const conditions = [
    sql`t.name >= ${cursor.trimEnd()} AND t.name || iif(${IS_SHADOWED}, ' ', '') > ${cursor}`,
    group === undefined ? sql`true` : sql`t.heading = ${group}`,
    // By the key: names are ASCII, and "~" is its last printable character.
    prefix === undefined ? sql`true` : sql`t.name >= ${prefix} AND substr(t.name, 1, ${prefix.length}) = ${prefix}`,
    archived === "include" ? sql`true` : sql`t.is_archived = ${archived === "only" ? 1 : 0} AND NOT ${IS_SHADOWED}`,
  ];
  const part = (owner: SQL) => sql`SELECT ${TYPE_COLUMNS} FROM event_types t
    WHERE t.tenant_id = ${owner} AND ${sql.join(conditions, sql` AND `)} ORDER BY t.name LIMIT ${limit + 1}`;
  const found = await query<StoredType>(deps.shards.db(shard))`SELECT *
    FROM (${inBoth(tenantId, part, hasPlatformTypes)}) ORDER BY name, isShadowed LIMIT ${limit + 1}`;
  const types = found.slice(0, limit).map(parsedType);
  const last = types.at(-1);
  return { types, nextCursor: found.length > limit && last ? `${last.name}${last.isShadowed ? " " : ""}` : null };
}

export async function readMode(deps: Deps, { tenantId, shard }: TenantRef): Promise<Mode> {
  const found = await queryFirst<{ mode: Mode }>(deps.shards.db(shard))`SELECT mode FROM publish_rules
    WHERE tenant_id = ${tenantId}`;
  return found?.mode ?? "open";
}
