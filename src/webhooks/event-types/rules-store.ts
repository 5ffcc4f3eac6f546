/** What publishing reads of event types. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { PLATFORM_TENANT, type TenantRef } from "../../platform/schemas/tenant-ref";
import type { Deprecation } from "./rows";
import type { Enforcement, Mode } from "./schemas";
import { holdsIn } from "./store";

/** An event type that is published, and the version of its schema; null for the newest. */
export interface Wanted {
  type: string;
  version: number | null;
}

interface StoredRule {
  type: string;
  wantedVersion: number | null;
  enforce: Enforcement;
  isArchived: 0 | 1;
  deprecated: string | null;
  /** Null: the type has no such version. */
  version: number | null;
  /** JSON; null: it has none. */
  schema: string | null;
}

/** The revisions of the rules of a tenant and of the platform, such as "2.7"; 0 where there are none. */
export const revisionOf = (tenantId: SQL | ReturnType<typeof sql.placeholder>): SQL =>
  sql`coalesce((SELECT r.revision FROM publish_rules r WHERE r.tenant_id = ${tenantId}), 0) || '.'
    || coalesce((SELECT r.revision FROM publish_rules r WHERE r.tenant_id = ${sql.raw(`'${PLATFORM_TENANT}'`)}), 0)`;

/** A declared type, as publishing sees it. */
export interface ReadRule extends Omit<StoredRule, "deprecated"> {
  deprecated: Deprecation | null;
}

/**
 * Reads the rules of the tenant for these types, its own and those of the platform, which come last and count before
 * its own. Types that are not declared are missing.
 */
export async function readRules(
  db: Db,
  { tenantId }: Pick<TenantRef, "tenantId">,
  wanted: readonly Wanted[],
): Promise<{ revision: string; mode: Mode; rules: ReadRule[] }> {
  const { of, rules } = await repeatable(() =>
    atomically(db, {
      of: rows<{ revision: string; mode: Mode | null }>(sql`SELECT ${revisionOf(sql`${tenantId}`)} AS revision,
        (SELECT mode FROM publish_rules WHERE tenant_id = ${tenantId}) AS mode`),
      rules: rows<StoredRule>(sql`SELECT t.name AS type, j.value ->> 'version' AS wantedVersion, t.enforce,
          t.is_archived AS isArchived, t.deprecated, v.version, v.schema
        FROM json_each(${jsonList(wanted)}) j
          CROSS JOIN event_types t ON t.tenant_id IN ${holdsIn(tenantId)} AND t.name = j.value ->> 'type'
          LEFT JOIN event_type_versions v ON v.tenant_id = t.tenant_id AND v.name = t.name
            AND v.version = coalesce(j.value ->> 'version', t.latest_version)
        ORDER BY t.tenant_id = ${PLATFORM_TENANT}`),
    }),
  );
  return {
    revision: of[0]?.revision ?? "",
    mode: of[0]?.mode ?? "open",
    rules: rules.map(({ deprecated, ...rule }) => ({
      ...rule,
      deprecated: deprecated === null ? null : (JSON.parse(deprecated) as Deprecation),
    })),
  };
}

/** Adds to the numbers of events that were published with a warning. */
export async function noteWarned(
  db: Db,
  { tenantId }: Pick<TenantRef, "tenantId">,
  counts: readonly { type: string; count: number }[],
  nowMs: number,
): Promise<void> {
  await atomically(db, {
    noted: sql`UPDATE event_types SET warned_count = warned_count + (j.value ->> 'count'), warned_at = ${nowMs}
      FROM json_each(${jsonList(counts)}) j WHERE tenant_id = ${tenantId} AND name = j.value ->> 'type'`,
  });
}
