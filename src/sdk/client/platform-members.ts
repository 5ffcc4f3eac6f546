/** Members of the product's tenants: all methods of the API, and one in other words. */
import type { Call, CallOptions } from "./call";
import type { PlatformMember, Role } from "./generated";
import type { PlatformMemberEndpoints } from "./generated-methods";
import { platformMemberEndpoints } from "./generated-requests";

/**
 * `client.platform.members`, with a platform key. Tenants and users are named as in `platform.tenants` and
 * `platform.users`.
 *
 * @example
 * await client.platform.members.add("ext:customer-42", { user: "ext:user-7", role: "owner" });
 */
export interface PlatformMemberMethods extends PlatformMemberEndpoints {
  /**
   * Gives a member another role, as `update` does.
   *
   * @throws PosternError as `update`.
   */
  changeRole(tenant: string, user: string, role: Role, options?: CallOptions): Promise<PlatformMember>;
}

export const platformMemberMethods = (call: Call): PlatformMemberMethods => {
  const endpoints = platformMemberEndpoints(call);
  return {
    ...endpoints,
    changeRole: (tenant, user, role, options) => endpoints.update(tenant, user, { role }, options),
  };
};
