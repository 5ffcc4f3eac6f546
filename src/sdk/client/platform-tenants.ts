/** `/platform/tenants`: the tenants of the product. */
import type { Call, CallOptions } from "./call";
import type { NewPlatformTenant, PlatformReason, PlatformTenant, PlatformTenantChange } from "./generated";
import { type Paged, paged } from "./pages";
import { query, segment } from "./path";

/** Which tenants are listed, and from where on. */
export interface PlatformTenantFilter {
  limit?: number | undefined;
  cursor?: string | undefined;
  /** Only what has changed at this time or later, ISO 8601. */
  updatedSince?: string | undefined;
  externalId?: string | undefined;
}

/**
 * `client.platform.tenants`, with a platform key. A tenant is named by its id or as `ext:<externalId>`; one that the
 * key does not see throws NOT_FOUND.
 *
 * @example
 * const tenant = await client.platform.tenants.create({ name: "Analytical Engines", externalId: "customer-42" });
 */
export interface PlatformTenantMethods {
  /**
   * Creates a tenant without members, or returns the one that has this `externalId`. Throws FORBIDDEN,
   * VALIDATION_FAILED, and CONFLICT if that one has another name.
   */
  create(body: NewPlatformTenant, options?: CallOptions): Promise<PlatformTenant>;
  /** Returns a tenant. Throws FORBIDDEN, NOT_FOUND. */
  get(tenant: string, options?: CallOptions): Promise<PlatformTenant>;
  /** Returns tenants, the least recently updated first. Throws FORBIDDEN, VALIDATION_FAILED. */
  list(filter?: PlatformTenantFilter, options?: CallOptions): Paged<PlatformTenant>;
  /**
   * Changes the name or the `externalId` and returns the tenant. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED, and
   * CONFLICT for an `externalId` that another tenant has.
   */
  update(tenant: string, body: PlatformTenantChange, options?: CallOptions): Promise<PlatformTenant>;
  /**
   * Suspends a tenant: its credentials are refused, and its deliveries wait. Returns the service's confirmation. Throws
   * FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  suspend(tenant: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /** Ends the suspension. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  resume(tenant: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /**
   * Deletes a tenant with all its data. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED, and CONFLICT for a suspended one.
   */
  delete(tenant: string, body: PlatformReason, options?: CallOptions): Promise<string>;
}

export function platformTenantMethods(call: Call): PlatformTenantMethods {
  const at = (tenant: string, rest = "") => `/platform/tenants/${segment(tenant)}${rest}`;
  return {
    create: (body, options) => call.data("POST /platform/tenants", { ...options, body }),
    get: (tenant, options) => call.data(`GET ${at(tenant)}`, options),
    list: (filter, options) =>
      paged((cursor) => call.answer(`GET /platform/tenants${query({ ...filter, cursor })}`, options), filter?.cursor),
    update: (tenant, body, options) => call.data(`PATCH ${at(tenant)}`, { ...options, body }),
    suspend: (tenant, body, options) => call.message(`POST ${at(tenant, "/suspend")}`, { ...options, body }),
    resume: (tenant, body, options) => call.message(`POST ${at(tenant, "/resume")}`, { ...options, body }),
    delete: (tenant, body, options) => call.message(`DELETE ${at(tenant)}`, { ...options, body }),
  };
}
