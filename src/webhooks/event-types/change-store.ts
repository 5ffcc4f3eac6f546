/** Changing event types. Each change raises the revision of the tenant's rules, after the statement that records it. */
import { sql } from "drizzle-orm";
import type { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditOf } from "../../tenancy/audit/record-store";
import { writeBatch } from "../plane/write";
import type { Breaks } from "./json-schema/compare";
import { copyToAll, raisePlatformRevision } from "./platform-store";
import { nextRevision, raiseRevision } from "./revision-store";
import { bytesOf, countBytes, type Declaring, forgetOldSchemas, roomOf, usedBytes } from "./room-store";
import type { TypeRow, VersionRow } from "./rows";
import type { Mode } from "./schemas";

/**
 * Runs a batch that changes the rules of the tenant. Whoever publishes is told before. Types of the platform are in all
 * databases when it returns. Throws SERVICE_UNAVAILABLE if one of them fails: the upkeep copies them later.
 */
export async function changeRules<S extends Parameters<typeof atomically>[1]>(
  deps: Deps,
  tenant: ActingIn,
  statements: S,
): ReturnType<typeof atomically<S>> {
  const isPlatform = tenant.tenantId === PLATFORM_TENANT;
  await (isPlatform ? raisePlatformRevision(deps) : raiseRevision(deps, tenant));
  const results = await writeBatch(deps, tenant, statements);
  if (isPlatform) await copyToAll(deps);
  return results;
}

/** JSON for a column; null for what is missing. */
export const text = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);

/**
 * Inserts a type with its first version, unless the tenant has it, or has no room for it. Returns whether it has.
 */
export async function insertType(deps: Deps, tenant: Declaring, type: TypeRow, first: VersionRow): Promise<boolean> {
  const { tenantId } = tenant;
  const room = roomOf(deps, tenant);
  const bytes = bytesOf(text(first.schema), text(first.examples));
  const { version } = await changeRules(deps, tenant, {
    type: sql`INSERT INTO event_types (tenant_id, name, description, heading, enforce, deprecated, latest_version,
        stored_bytes, created_at, updated_at)
      SELECT ${tenantId}, ${type.name}, ${type.description}, ${type.heading}, ${type.enforce},
        ${text(type.deprecated)}, ${first.version}, ${bytes}, ${type.createdAt},
        ${type.updatedAt}
      WHERE (SELECT count(*) FROM event_types WHERE tenant_id = ${tenantId}) < ${room.types}
        AND ${usedBytes(tenantId)} + ${bytes} <= ${room.bytes}
      ON CONFLICT DO NOTHING`,
    version: sql`INSERT INTO event_type_versions (tenant_id, name, version, schema, examples, created_at)
      SELECT ${tenantId}, ${type.name}, ${first.version}, ${text(first.schema)}, ${text(first.examples)},
        ${type.createdAt}
      WHERE changes() > 0 RETURNING version`,
    recorded: auditOf(tenant, "event_type.created", { kind: "event-type", id: type.name }),
    revision: nextRevision(tenant),
  });
  return version.length > 0;
}

/**
 * Writes a change. Returns false if the type is gone, has another newest version than the one that was read, or if
 * there is no room for its examples.
 */
export async function updateType(
  deps: Deps,
  tenant: Declaring,
  after: TypeRow,
  examples: readonly unknown[] | null,
  changed: readonly string[],
): Promise<boolean> {
  const { tenantId } = tenant;
  const hasExamples = changed.includes("examples");
  const added = sql`(${bytesOf(text(examples)) - bytesOf()} - coalesce((SELECT octet_length(v.examples)
    FROM event_type_versions v WHERE v.tenant_id = ${tenantId} AND v.name = ${after.name}
      AND v.version = ${after.latestVersion}), 0))`;
  const hasRoom = hasExamples
    ? sql`(${added} <= 0 OR ${usedBytes(tenantId)} + ${added} <= ${roomOf(deps, tenant).bytes})`
    : sql`true`;
  const { updated } = await changeRules(deps, tenant, {
    updated: sql`UPDATE event_types SET description = ${after.description}, heading = ${after.heading},
        enforce = ${after.enforce}, is_archived = ${after.isArchived}, deprecated = ${text(after.deprecated)},
        updated_at = ${after.updatedAt}
      WHERE tenant_id = ${tenantId} AND name = ${after.name} AND latest_version = ${after.latestVersion}
        AND ${hasRoom}
      RETURNING name`,
    recorded: auditOf(tenant, "event_type.updated", { kind: "event-type", id: after.name }, { changed }),
    examples: hasExamples
      ? sql`UPDATE event_type_versions SET examples = ${text(examples)} WHERE tenant_id = ${tenantId}
          AND name = ${after.name} AND version = ${after.latestVersion} AND changes() > 0`
      : undefined,
    bytes: hasExamples ? countBytes(tenantId, [after.name]) : undefined,
    revision: nextRevision(tenant),
  });
  return updated.length > 0;
}

/**
 * Inserts the version after the newest one. Returns false if the type is gone or has a newer one meanwhile, or if there
 * is no room for it.
 */
export async function insertVersion(
  deps: Deps,
  tenant: Declaring,
  name: string,
  row: VersionRow & { breaks: Breaks | null },
): Promise<boolean> {
  const { tenantId } = tenant;
  const bytes = bytesOf(text(row.schema), text(row.examples), text(row.breaks));
  const { inserted } = await changeRules(deps, tenant, {
    inserted: sql`INSERT INTO event_type_versions (tenant_id, name, version, schema, examples, breaks, created_at)
      SELECT ${tenantId}, ${name}, ${row.version}, ${text(row.schema)}, ${text(row.examples)}, ${text(row.breaks)},
        ${row.createdAt}
      FROM event_types t WHERE t.tenant_id = ${tenantId} AND t.name = ${name}
        AND t.latest_version = ${row.version - 1}
        AND ${usedBytes(tenantId)} + ${bytes} <= ${roomOf(deps, tenant).bytes}
      RETURNING version`,
    newest: sql`UPDATE event_types SET latest_version = ${row.version}, updated_at = ${row.createdAt}
      WHERE tenant_id = ${tenantId} AND name = ${name} AND changes() > 0`,
    recorded: auditOf(tenant, "event_type.version_added", { kind: "event-type", id: name }, { version: row.version }),
    old: forgetOldSchemas(tenantId, [name]),
    bytes: countBytes(tenantId, [name]),
    revision: nextRevision(tenant),
  });
  return inserted.length > 0;
}

/** Deletes a type with its versions. Returns false when the tenant has none with this name. */
export async function deleteType(deps: Deps, tenant: ActingIn, name: string): Promise<boolean> {
  const { tenantId } = tenant;
  const { deleted } = await changeRules(deps, tenant, {
    versions: sql`DELETE FROM event_type_versions WHERE tenant_id = ${tenantId} AND name = ${name}`,
    deleted: sql`DELETE FROM event_types WHERE tenant_id = ${tenantId} AND name = ${name} RETURNING name`,
    recorded: auditOf(tenant, "event_type.deleted", { kind: "event-type", id: name }),
    revision: nextRevision(tenant),
  });
  return deleted.length > 0;
}

/** Sets the mode, if it differs. */
export async function updateMode(deps: Deps, tenant: ActingIn, mode: Mode): Promise<void> {
  const { tenantId } = tenant;
  await changeRules(deps, tenant, {
    first: nextRevision(tenant),
    updated: sql`UPDATE publish_rules SET mode = ${mode} WHERE tenant_id = ${tenantId} AND mode <> ${mode}`,
    recorded: auditOf(tenant, "tenant.settings_changed", { kind: "tenant", id: tenantId }, { changed: ["mode"], mode }),
  });
}
