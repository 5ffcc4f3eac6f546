/** The settings of a tenant's event types: which can be published, and whether everybody can see them. */
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import type { ActingIn } from "../../base/schemas/actor";
import type { TenantStanding } from "../../base/schemas/principal";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { catalogueView, changeCatalogue } from "./catalogue/change";
import { findCatalogue } from "./catalogue/store";
import { updateMode } from "./change-store";
import type { Settings, SettingsChange } from "./schemas";
import { readMode } from "./store";

/** Reads them in both databases. */
export async function readSettings(deps: Deps, tenant: TenantRef): Promise<Settings> {
  const [mode, catalogue] = await Promise.all([readMode(deps, tenant), findCatalogue(deps, tenant)]);
  return { mode, catalog: catalogueView(catalogue) };
}

/** Changes the given settings, the catalogue first, which may be refused. Throws like `changeCatalogue`. */
export async function changeSettings(
  deps: Deps,
  tenant: ActingIn & Pick<TenantStanding, "hasVerifiedOwner">,
  { mode, catalog }: SettingsChange,
): Promise<Settings> {
  const before = await readSettings(deps, tenant);
  if (tenant.tenantId === PLATFORM_TENANT && mode !== undefined && mode !== "open") throw nobodyPublishes();
  const after = catalog === undefined ? before.catalog : await changeCatalogue(deps, tenant, catalog);
  if (mode !== undefined && mode !== before.mode) await updateMode(deps, tenant, mode);
  return { mode: mode ?? before.mode, catalog: after };
}

const nobodyPublishes = () =>
  invalidField("mode", "Must be open: only the service publishes in the tenant of the platform");
