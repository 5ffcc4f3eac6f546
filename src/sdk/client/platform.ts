/** `/platform`: what the product does with a platform key, and the keys themselves. */
import type { Call } from "./call";
import { type PlatformImportMethods, platformImportMethods } from "./platform-imports";
import { type PlatformKeyMethods, platformKeyMethods } from "./platform-keys";
import { type PlatformMemberMethods, platformMemberMethods } from "./platform-members";
import { type PlatformTenantMethods, platformTenantMethods } from "./platform-tenants";
import { type PlatformUserMethods, platformUserMethods } from "./platform-users";

/** `client.platform`, by noun. */
export interface Platform {
  tenants: PlatformTenantMethods;
  users: PlatformUserMethods;
  members: PlatformMemberMethods;
  imports: PlatformImportMethods;
  keys: PlatformKeyMethods;
}

export const platformOf = (call: Call): Platform => ({
  tenants: platformTenantMethods(call),
  users: platformUserMethods(call),
  members: platformMemberMethods(call),
  imports: platformImportMethods(call),
  keys: platformKeyMethods(call),
});
