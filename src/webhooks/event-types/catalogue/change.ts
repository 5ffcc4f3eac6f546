/** Changing the catalogue of a tenant's event types. */
import type { Deps } from "../../../base/deps";
import { AppError, changedMeanwhile, emailNotVerified, invalidField } from "../../../base/errors";
import type { ActingIn } from "../../../base/schemas/actor";
import type { TenantStanding } from "../../../base/schemas/principal";
import type { Catalogue, CatalogueChange } from "./schemas";
import { type CatalogueRow, findCatalogue, writeCatalogue } from "./store";

/** How often a change is made again because another one came at the same time. */
const MAX_TRIES = 5;

/**
 * Changes the given fields. Returns the catalogue as it is afterwards. Throws VALIDATION_FAILED without the slug that a
 * field needs, EMAIL_NOT_VERIFIED where it would become public without a verified owner, and CONFLICT for a slug that
 * is taken.
 */
export async function changeCatalogue(
  deps: Deps,
  tenant: ActingIn & Pick<TenantStanding, "hasVerifiedOwner">,
  asked: CatalogueChange,
): Promise<Catalogue> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await findCatalogue(deps, tenant);
    const after = merged(before, asked);
    const changed = changedFields(before, after);
    if (changed.length === 0) return catalogueView(after);
    if (after?.isPublic === 1 && before?.isPublic !== 1 && !tenant.hasVerifiedOwner) throw emailNotVerified();
    const outcome = await writeCatalogue(deps, tenant, before, after, changed);
    if (outcome === "taken") throw new AppError("CONFLICT", { message: "This slug is taken." });
    if (outcome === "written") return catalogueView(after);
  }
  throw changedMeanwhile("catalogue");
}

/** The row after a change; null if the tenant has no slug. */
function merged(before: CatalogueRow | null, asked: CatalogueChange): CatalogueRow | null {
  const slug = asked.slug === undefined ? (before?.slug ?? null) : asked.slug;
  const isPublic = asked.public ?? before?.isPublic === 1;
  if (slug === null) {
    if (isPublic || typeof asked.title === "string" || typeof asked.description === "string") throw needsSlug();
    return null;
  }
  const { title = before?.title ?? null, description = before?.description ?? null } = asked;
  return { slug, isPublic: isPublic ? 1 : 0, title, description: description || null };
}

const needsSlug = () => invalidField("catalog.slug", "A catalogue needs a slug");

/** The names of the fields that differ, as the audit log has them. */
function changedFields(before: CatalogueRow | null, after: CatalogueRow | null): string[] {
  const fields = { public: "isPublic", slug: "slug", title: "title", description: "description" } as const;
  const fieldOf = (row: CatalogueRow | null, column: keyof CatalogueRow) => row?.[column] || null;
  return Object.entries(fields).flatMap(([field, column]) =>
    fieldOf(before, column) === fieldOf(after, column) ? [] : [`catalog.${field}`],
  );
}

/** The catalogue as the API returns it. */
export const catalogueView = (row: CatalogueRow | null): Catalogue => ({
  public: row?.isPublic === 1,
  ...(row === null ? {} : { slug: row.slug }),
  ...(row?.title ? { title: row.title } : {}),
  ...(row?.description ? { description: row.description } : {}),
});
