/** What an import of event types reads and writes. */
import { sql } from "drizzle-orm";
import { queryFirst, rows } from "../../../base/db/client";
import { insertRows, type StoredRow } from "../../../base/db/copy";
import type { Deps } from "../../../base/deps";
import type { ActingIn } from "../../../base/schemas/actor";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { auditIfChanged } from "../../../tenancy/audit/record-store";
import { changeRules, text } from "../change-store";
import { REPLACE_TYPE } from "../platform-store";
import { bytesOf, countBytes, forgetOldSchemas, usedBytes } from "../room-store";
import type { Planned } from "./plan";

/** Returns how many types the tenant has, the bytes that they store, and the revision of its rules. */
export async function readState(
  deps: Deps,
  { tenantId, shard }: TenantRef,
): Promise<{ types: number; bytes: number; revision: number }> {
  const state = await queryFirst<{ types: number; bytes: number; revision: number }>(deps.shards.db(shard))`SELECT
    ${usedBytes(tenantId)} AS bytes,
    (SELECT count(*) FROM event_types WHERE tenant_id = ${tenantId}) AS types,
    coalesce((SELECT revision FROM publish_rules WHERE tenant_id = ${tenantId}), 0) AS revision`;
  return state ?? { types: 0, bytes: 0, revision: 0 };
}

/** Writes all of it, or nothing if the rules of the tenant have another revision by now. Returns whether it did. */
export async function writePlan(
  deps: Deps,
  tenant: ActingIn,
  plans: readonly Planned[],
  revision: number,
): Promise<boolean> {
  const { tenantId, actor } = tenant;
  const isSame = sql`coalesce((SELECT r.revision FROM publish_rules r WHERE r.tenant_id = ${tenantId}), 0)
    = ${revision}`;
  const made = plans.filter(({ fields }) => fields === null).length;
  const versions = withVersion(plans);
  const names = plans.map(({ after }) => after.type.name);
  const { revised } = await changeRules(deps, tenant, {
    types: insertRows(
      "event_types",
      plans.map((one) => typeRow(tenantId, one)),
      isSame,
      REPLACE_TYPE,
    ),
    versions: insertRows(
      "event_type_versions",
      versions.map((one) => versionRow(tenantId, one)),
      isSame,
      REPLACE_EXAMPLES,
    ),
    old: forgetOldSchemas(tenantId, names),
    bytes: countBytes(tenantId, names),
    revised: rows<{ revision: number }>(sql`INSERT INTO publish_rules (tenant_id, revision, mode)
      SELECT ${tenantId}, 1, 'open' WHERE ${isSame}
      ON CONFLICT (tenant_id) DO UPDATE SET revision = publish_rules.revision + 1 RETURNING revision`),
    recorded: auditIfChanged({
      tenantId,
      action: "event_type.imported",
      actor,
      meta: { created: made, changed: plans.length - made },
    }),
  });
  return revised.length > 0;
}

/** Those that write a version. */
const withVersion = (plans: readonly Planned[]): Planned[] =>
  plans.filter(({ hasVersion, fields }) => hasVersion || fields?.includes("examples"));

/** What the versions of an import take at most. */
export const addedBytes = (plans: readonly Planned[]): number =>
  withVersion(plans).reduce((sum, { after: { newest } }) => {
    return sum + bytesOf(text(newest.schema), text(newest.examples), text(newest.breaks));
  }, 0);

const typeRow = (tenantId: string, { after: { type } }: Planned): StoredRow => ({
  tenant_id: tenantId,
  name: type.name,
  description: type.description,
  heading: type.heading,
  enforce: type.enforce,
  is_archived: type.isArchived,
  deprecated: text(type.deprecated),
  latest_version: type.latestVersion,
  created_at: type.createdAt,
  updated_at: type.updatedAt,
});

const versionRow = (tenantId: string, { after: { type, newest } }: Planned): StoredRow => ({
  tenant_id: tenantId,
  name: type.name,
  version: newest.version,
  schema: text(newest.schema),
  examples: text(newest.examples),
  breaks: text(newest.breaks),
  created_at: newest.createdAt,
});

/** A version never changes, but its examples may. */
const REPLACE_EXAMPLES = sql`ON CONFLICT (tenant_id, name, version) DO UPDATE SET examples = excluded.examples`;
