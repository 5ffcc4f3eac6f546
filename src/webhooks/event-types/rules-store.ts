/** What publishing reads of event types. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import { jsonOf } from "../../base/json";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { listsType } from "../plane/patterns-store";
import { RECEIVES_EVENTS } from "../plane/predicates-store";
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

/** The subscriptions of the tenant that have a filter and receive events, as SQL: a JSON list of their ids in order. */
export const receiversOf = (tenantId: SQL | ReturnType<typeof sql.placeholder>): SQL =>
  sql`(SELECT json_group_array(id) FROM (SELECT s.id FROM subscriptions s INDEXED BY subscriptions_filtered
    WHERE s.tenant_id = ${tenantId} AND s.filter IS NOT NULL AND s.is_deleted = 0 AND ${RECEIVES_EVENTS}
    ORDER BY s.id))`;

/** A declared type, as publishing sees it. */
export interface ReadRule extends Omit<StoredRule, "deprecated"> {
  deprecated: Deprecation | null;
}

export interface ReadFilter {
  subscriptionId: string;
  /** JSON. */
  filter: string;
  /** Those of the wanted types that the subscription lists. */
  types: string[];
}

/** What publishing obeys for some types. Types that are not declared are missing. */
export interface ReadRules {
  revision: string;
  /** As `receiversOf` selects them. */
  receivers: string;
  mode: Mode;
  rules: ReadRule[];
  filters: ReadFilter[];
}

/** Selects the filters of a tenant's subscriptions to one of these types, whether they are enabled or not. */
export const filtersFor = (tenantId: string, types: readonly string[]) =>
  rows<{ subscriptionId: string; filter: string; types: string }>(sql`SELECT * FROM (
      SELECT s.id AS subscriptionId, s.filter, (SELECT json_group_array(j.value) FROM json_each(${jsonList(types)}) j
        WHERE ${listsType(sql`s.events`, sql`j.value`, sql`s.tenant_id`)}) AS types
      FROM subscriptions s INDEXED BY subscriptions_filtered WHERE s.tenant_id = ${tenantId} AND s.filter IS NOT NULL)
    WHERE types <> '[]'`);

/** Decodes what `filtersFor` selects. */
export const parsedFilters = (found: readonly { subscriptionId: string; filter: string; types: string }[]) =>
  found.map(
    ({ subscriptionId, filter, types }): ReadFilter => ({
      subscriptionId,
      filter,
      types: JSON.parse(types) as string[],
    }),
  );

/**
 * Reads the rules of the tenant for these types, its own and those of the platform, which come last and count before
 * its own. Types that are not declared are missing.
 */
export async function readRules(
  db: Db,
  { tenantId }: Pick<TenantRef, "tenantId">,
  wanted: readonly Wanted[],
): Promise<ReadRules> {
  const { of, rules, filters } = await repeatable(() =>
    atomically(db, {
      filters: filtersFor(tenantId, [...new Set(wanted.map(({ type }) => type))]),
      of: rows<{ revision: string; receivers: string; mode: Mode | null }>(sql`SELECT
        ${revisionOf(sql`${tenantId}`)} AS revision, ${receiversOf(sql`${tenantId}`)} AS receivers,
        (SELECT mode FROM publish_rules WHERE tenant_id = ${tenantId}) AS mode`),
      rules: rows<StoredRule>(sql`SELECT t.name AS type, j.value ->> 'version' AS wantedVersion, t.enforce,
          t.is_archived AS isArchived, t.deprecated, v.version, v.schema
        FROM json_each(${jsonList(wanted)}) j
          CROSS JOIN event_types t ON t.tenant_id IN ${holdsIn(tenantId)} AND t.name = j.value ->> 'type'
          LEFT JOIN event_type_versions v ON v.tenant_id = t.tenant_id AND v.name = t.name
            AND v.version = coalesce(j.value ->> 'version', t.latest_version)
            AND (v.schema IS NOT NULL OR v.version = 0)
        ORDER BY t.tenant_id = ${PLATFORM_TENANT}`),
    }),
  );
  return {
    revision: of[0]?.revision ?? "",
    receivers: of[0]?.receivers ?? "[]",
    mode: of[0]?.mode ?? "open",
    filters: parsedFilters(filters),
    rules: rules.map(({ deprecated, ...rule }) => ({
      ...rule,
      deprecated: deprecated === null ? null : ((jsonOf(deprecated) ?? null) as Deprecation | null),
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
  await query(db)`UPDATE event_types SET warned_count = warned_count + (j.value ->> 'count'), warned_at = ${nowMs}
    FROM json_each(${jsonList(counts)}) j WHERE tenant_id = ${tenantId} AND name = j.value ->> 'type'`;
}
