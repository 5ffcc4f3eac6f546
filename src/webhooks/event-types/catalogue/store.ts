/** The catalogues of event types in the control plane. The types themselves are in the database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";
import type { ActingIn } from "../../../base/schemas/actor";
import { PLATFORM_TENANT, type TenantRef } from "../../../base/schemas/tenant-ref";
import { auditOf } from "../../../tenancy/audit/record-store";

/** A catalogue as it is stored. */
export interface CatalogueRow {
  slug: string;
  isPublic: 0 | 1;
  title: string | null;
  description: string | null;
}

/** Returns the catalogue of the tenant; null while it has none. */
export async function findCatalogue(
  { db }: Deps,
  { tenantId }: Pick<TenantRef, "tenantId">,
): Promise<CatalogueRow | null> {
  const found = await queryFirst<CatalogueRow>(db)`SELECT slug, is_public AS isPublic, title, description FROM catalogs
    WHERE tenant_id = ${tenantId}`;
  return found ?? null;
}

/** Writes a change. Returns "taken" if the slug is another tenant's, and "changed" if `before` is no longer right. */
export async function writeCatalogue(
  { db }: Deps,
  tenant: ActingIn,
  before: CatalogueRow | null,
  after: CatalogueRow | null,
  changed: readonly string[],
): Promise<"written" | "taken" | "changed"> {
  const { tenantId } = tenant;
  const { written, others } = await atomically(db, {
    written: rows<{ slug: string }>(sql`${change(tenantId, before, after)} RETURNING slug`),
    recorded: auditOf(
      tenant,
      "tenant.settings_changed",
      { kind: "tenant", id: tenantId },
      { changed, public: after?.isPublic === 1 },
    ),
    others: rows<{ count: number }>(sql`SELECT count(*) AS count FROM catalogs
      WHERE slug = ${after?.slug ?? null} AND tenant_id <> ${tenantId}`),
  });
  if (written.length > 0) return "written";
  return others[0]?.count === 1 ? "taken" : "changed";
}

/** The statement for a change, which does nothing if another tenant has the slug or this one has changed its row. */
function change(tenantId: string, before: CatalogueRow | null, after: CatalogueRow | null): SQL {
  if (before === null) {
    return sql`INSERT INTO catalogs (slug, tenant_id, is_public, title, description) VALUES (${after?.slug ?? null},
      ${tenantId}, ${after?.isPublic ?? 0}, ${after?.title ?? null}, ${after?.description ?? null})
      ON CONFLICT DO NOTHING`;
  }
  const isAsRead = sql`tenant_id = ${tenantId} AND slug = ${before.slug} AND is_public = ${before.isPublic}
    AND title IS ${before.title} AND description IS ${before.description}`;
  if (after === null) return sql`DELETE FROM catalogs WHERE ${isAsRead}`;
  return sql`UPDATE OR IGNORE catalogs SET slug = ${after.slug}, is_public = ${after.isPublic}, title = ${after.title},
    description = ${after.description} WHERE ${isAsRead}`;
}

/** A catalogue that everybody can see. */
export interface PublicCatalogue extends TenantRef, Pick<CatalogueRow, "slug" | "description"> {
  title: string;
  /** Whether it shows the types of the platform too: their own catalogue is public. */
  hasPlatformTypes: boolean;
}

/** Returns the catalogue with this slug, of any tenant; undefined unless it is public and its tenant is active. */
export async function findPublicCatalogue({ db }: Deps, slug: string): Promise<PublicCatalogue | undefined> {
  const row = await queryFirst<Omit<PublicCatalogue, "hasPlatformTypes"> & { hasPlatformTypes: 0 | 1 }>(db)`SELECT
      t.id AS tenantId, t.shard, c.slug, coalesce(c.title, c.slug) AS title, c.description,
      EXISTS (SELECT 1 FROM catalogs p CROSS JOIN tenants pt ON pt.id = p.tenant_id
        WHERE p.tenant_id = ${PLATFORM_TENANT} AND p.is_public = 1 AND pt.suspended_at IS NULL) AS hasPlatformTypes
    FROM catalogs c CROSS JOIN tenants t ON t.id = c.tenant_id
    WHERE c.slug = ${slug} AND c.is_public = 1 AND t.suspended_at IS NULL`;
  return row && { ...row, hasPlatformTypes: row.hasPlatformTypes === 1 };
}
