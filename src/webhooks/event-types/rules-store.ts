/** What publishing reads of event types. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import type { Deprecation } from "./rows";
import type { Enforcement, Mode } from "./schemas";

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

/** A declared type, as publishing sees it. */
export interface ReadRule extends Omit<StoredRule, "deprecated"> {
  deprecated: Deprecation | null;
}

/** Reads the rules of the tenant for these types. Types that are not declared are missing. */
export async function readRules(
  db: Db,
  { tenantId }: Pick<TenantRef, "tenantId">,
  wanted: readonly Wanted[],
): Promise<{ revision: number; mode: Mode; rules: ReadRule[] }> {
  const { of, rules } = await repeatable(() =>
    atomically(db, {
      of: rows<{ revision: number; mode: Mode }>(sql`SELECT revision, mode FROM publish_rules
        WHERE tenant_id = ${tenantId}`),
      rules: rows<StoredRule>(sql`SELECT t.name AS type, j.value ->> 'version' AS wantedVersion, t.enforce,
          t.is_archived AS isArchived, t.deprecated, v.version, v.schema
        FROM json_each(${jsonList(wanted)}) j
          CROSS JOIN event_types t ON t.tenant_id = ${tenantId} AND t.name = j.value ->> 'type'
          LEFT JOIN event_type_versions v ON v.tenant_id = t.tenant_id AND v.name = t.name
            AND v.version = coalesce(j.value ->> 'version', t.latest_version)`),
    }),
  );
  return {
    revision: of[0]?.revision ?? 0,
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
