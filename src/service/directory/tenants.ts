/** What a platform key does with tenants. */

import { violates } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { pageOf } from "../../base/schemas/time-page-schemas";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { requireTenant } from "../../identity/platform-keys/subjects";
import type { TenantRecord } from "../../tenancy/directory/schemas";
import { tenantView } from "../../tenancy/directory/view";
import { resumeEverywhere, suspendEverywhere } from "../operators/suspend-tenant";
import type { NewPlatformTenant, TenantChange, TenantQuery } from "./schemas";
import { insertTenant, listTenants, readTenant, updateTenant } from "./tenants-store";

type Key = PlatformKeyPrincipal;

/** A page of the tenants that the key sees, least recently updated first. */
export async function tenantsOf(deps: Deps, key: Key, { limit, cursor, updatedSince, externalId }: TenantQuery) {
  const rows = await listTenants(deps, key, { limit, after: cursor, updatedSince, externalId });
  return pageOf(rows, limit, ({ updatedAt, id }) => ({ at: updatedAt, id }), tenantView);
}

/** Throws NOT_FOUND. */
export async function tenantOf(deps: Deps, key: Key, name: string): Promise<TenantRecord> {
  const row = await readTenant(deps, (await requireTenant(deps, key, name)).tenantId);
  if (!row) throw notFound("Tenant");
  return tenantView(row);
}

const taken = () => new AppError("CONFLICT", { message: "Another tenant has this externalId." });

/**
 * Creates a tenant. The same external id again returns the tenant that is there. Throws FORBIDDEN for a key that sees
 * only some tenants, CONFLICT if that tenant has another name.
 */
export async function createTenant(
  deps: Deps,
  key: Key,
  {
    name,
    externalId = null,
    ...more
  }: Omit<NewPlatformTenant, "externalId"> & { externalId?: string | null | undefined },
): Promise<{ tenant: TenantRecord; isNew: boolean }> {
  if (key.tenants !== null) {
    throw new AppError("FORBIDDEN", { message: "This platform key is limited to tenants and cannot create others." });
  }
  const { row, isNew } = await insertTenant(deps, key, { ...more, id: newId(), name, externalId }, deps.now());
  if (!row) throw new Error("the tenant was not created");
  if (row.name !== name) throw taken();
  return { tenant: tenantView(row), isNew };
}

/** Throws NOT_FOUND, and CONFLICT if another tenant has the external id. */
export async function changeTenant(
  deps: Deps,
  key: Key,
  ref: string,
  { name, externalId, ...more }: TenantChange,
): Promise<TenantRecord> {
  const { tenantId } = await requireTenant(deps, key, ref);
  try {
    const row = await updateTenant(deps, key, tenantId, { ...more, name, externalId });
    if (!row) throw notFound("Tenant");
    return tenantView(row);
  } catch (error) {
    if (violates(error, "UNIQUE", "tenants.external_id")) throw taken();
    throw error;
  }
}

/** Suspends a tenant: its credentials are refused, and its deliveries wait. Throws NOT_FOUND. */
export async function suspendTenantBy(deps: Deps, key: Key, ref: string, reason: string): Promise<void> {
  const tenant = await requireTenant(deps, key, ref);
  await suspendEverywhere(deps, tenant, reason, aboutTenant(key, tenant, "tenant.suspended", reason));
}

/** Ends the suspension of a tenant; its waiting deliveries are sent. Throws NOT_FOUND. */
export async function resumeTenantBy(deps: Deps, key: Key, ref: string, reason: string): Promise<void> {
  const tenant = await requireTenant(deps, key, ref);
  await resumeEverywhere(deps, tenant, aboutTenant(key, tenant, "tenant.resumed", reason));
}

const aboutTenant = (
  key: Key,
  { tenantId }: TenantRef,
  action: "tenant.suspended" | "tenant.resumed",
  reason: string,
) => inTenant(key, tenantId, action, { kind: "tenant", id: tenantId }, { reason });
