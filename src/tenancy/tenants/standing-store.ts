/** A tenant, and what decides how much it may do, as columns of a query. */
import { sql } from "drizzle-orm";
import type { TenantStanding } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { STORAGE_COLUMNS, type StorageRow } from "./storage-store";
import { hasVerifiedOwner } from "./verified-store";

/** Reads no row until the platform declares an event type. */
export const PLATFORM_REVISION = sql`(SELECT revision FROM platform_rules WHERE id = 1) AS platformRevision`;

/** The columns of a tenant `t` for `standingOf`. */
export const STANDING_COLUMNS = sql`t.id AS tenantId, t.shard, t.former_shard AS formerShard, t.external_id
  AS tenantExternalId,
  t.suspended_at IS NOT NULL AS isTenantSuspended, t.rules_revision AS rulesRevision, ${PLATFORM_REVISION},
  ${hasVerifiedOwner(sql`t.id`)} AS hasVerifiedOwner,
  ${STORAGE_COLUMNS}`;

/** The values of `STANDING_COLUMNS`. */
export interface StandingRow extends TenantRef, StorageRow {
  tenantExternalId: string | null;
  isTenantSuspended: 0 | 1;
  hasVerifiedOwner: 0 | 1;
  rulesRevision: number | null;
  platformRevision: number | null;
}

export type Standing = TenantRef &
  TenantStanding &
  Pick<StandingRow, "tenantExternalId"> & { isTenantSuspended: boolean };

/** The tenant that a row describes. */
export const standingOf = (row: StandingRow): Standing => ({
  tenantId: row.tenantId,
  shard: row.shard,
  formerShard: row.formerShard ?? null,
  tenantExternalId: row.tenantExternalId,
  isTenantSuspended: row.isTenantSuspended === 1,
  hasVerifiedOwner: row.hasVerifiedOwner === 1,
  storedBytes: row.storedBytes,
  databaseBytes: row.databaseBytes,
  compressesFrom: row.compressesFrom,
  hasFeeds: row.hasFeeds === 1,
  rulesRevision: row.rulesRevision,
  platformRevision: row.platformRevision,
});
