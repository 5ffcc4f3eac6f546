/** `/platform/tenants/:tenant/members`: who belongs to a tenant. */
import type { Call, CallOptions } from "./call";
import type { NewPlatformMember, PlatformMember, Role } from "./generated";
import { type Paged, paged } from "./pages";
import { query, segment } from "./path";

/** From where on members are listed. */
export interface PlatformMemberFilter {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/**
 * `client.platform.members`, with a platform key. Tenants and users are named as in `platform.tenants` and
 * `platform.users`.
 *
 * @example
 * await client.platform.members.add("ext:customer-42", { user: "ext:user-7", role: "owner" });
 */
export interface PlatformMemberMethods {
  /**
   * Makes a user a member and returns the member. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED, and CONFLICT for a
   * member with another role and for a full tenant.
   */
  add(tenant: string, body: NewPlatformMember, options?: CallOptions): Promise<PlatformMember>;
  /** Returns the members, the oldest first. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  list(tenant: string, filter?: PlatformMemberFilter, options?: CallOptions): Paged<PlatformMember>;
  /**
   * Gives a member another role and returns the member. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED, and CONFLICT
   * for the last owner.
   */
  changeRole(tenant: string, user: string, role: Role, options?: CallOptions): Promise<PlatformMember>;
  /**
   * Removes a member; their sessions and API keys in the tenant end. Returns the service's confirmation. Throws
   * FORBIDDEN, NOT_FOUND, and CONFLICT for the last owner.
   */
  remove(tenant: string, user: string, options?: CallOptions): Promise<string>;
}

export function platformMemberMethods(call: Call): PlatformMemberMethods {
  const of = (tenant: string) => `/platform/tenants/${segment(tenant)}/members`;
  const at = (tenant: string, user: string) => `${of(tenant)}/${segment(user)}`;
  return {
    add: (tenant, body, options) => call.data(`POST ${of(tenant)}`, { ...options, body }),
    list: (tenant, filter, options) =>
      paged((cursor) => call.answer(`GET ${of(tenant)}${query({ ...filter, cursor })}`, options), filter?.cursor),
    changeRole: (tenant, user, role, options) => call.data(`PATCH ${at(tenant, user)}`, { ...options, body: { role } }),
    remove: (tenant, user, options) => call.message(`DELETE ${at(tenant, user)}`, options),
  };
}
