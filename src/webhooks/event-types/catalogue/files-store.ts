/** The files of catalogues in D1, in the delivery database of their tenant. */
import { sql } from "drizzle-orm";
import { atomically, query, queryFirst } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";
import { PLATFORM_TENANT, type TenantRef } from "../../../base/schemas/tenant-ref";
import { refuseDeparted } from "../../../tenancy/moves/fence-store";
import type { CatalogueFormat } from "./schemas";

/** A file as it was made last. */
export interface StoredFile {
  /** The state of the types that it was made of; "" if it has not been made. */
  madeOf: string;
  etag: string | null;
  /** Null: it would be too large. */
  body: string | null;
}

/** The file, and the revisions of the types that it would be made of now: the tenant's, and the platform's. */
export interface FoundFile {
  stored: StoredFile;
  revisions: [own: number, platforms: number];
}

export async function readFile(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  format: CatalogueFormat,
): Promise<FoundFile> {
  const revisionOf = (tenant: string) =>
    sql`coalesce((SELECT r.revision FROM publish_rules r WHERE r.tenant_id = ${tenant}), 0)`;
  const row = await queryFirst<StoredFile & { own: number; platforms: number }>(shards.db(shard))`SELECT
      coalesce(f.made_of, '') AS madeOf, f.etag, f.body, ${revisionOf(tenantId)} AS own,
      ${revisionOf(PLATFORM_TENANT)} AS platforms
    FROM (SELECT 1) LEFT JOIN catalog_files f ON f.tenant_id = ${tenantId} AND f.format = ${format}`;
  const { own = 0, platforms = 0, ...stored } = row ?? { madeOf: "", etag: null, body: null };
  return { stored, revisions: [own, platforms] };
}

/** Says that the caller makes the file. One of several at once gets true, if it was last taken by `takenBefore`. */
export async function takeFile(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  format: CatalogueFormat,
  times: { nowMs: number; takenBefore: number },
): Promise<boolean> {
  const { taken } = await atomically(shards.db(shard), {
    departed: refuseDeparted(tenantId),
    taken: sql`INSERT INTO catalog_files (tenant_id, format, taken_at) VALUES (${tenantId}, ${format}, ${times.nowMs})
      ON CONFLICT (tenant_id, format) DO UPDATE SET taken_at = excluded.taken_at
        WHERE taken_at <= ${times.takenBefore} RETURNING format`,
  });
  return taken.length === 1;
}

/** Stores a file that was made. */
export async function keepFile(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  format: CatalogueFormat,
  { madeOf, etag, body }: StoredFile,
): Promise<void> {
  await query(shards.db(shard))`UPDATE catalog_files SET made_of = ${madeOf}, etag = ${etag}, body = ${body}
    WHERE tenant_id = ${tenantId} AND format = ${format}`;
}
