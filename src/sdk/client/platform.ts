/** `/platform`: what the product does with a platform key, and the keys themselves. */
import type { Call } from "./call";
import type {
  PlatformClientMethods,
  PlatformImportMethods,
  PlatformKeyMethods,
  PlatformMemberMethods,
  PlatformTenantMethods,
  PlatformUserMethods,
} from "./generated-methods";
import {
  platformClientMethods,
  platformImportMethods,
  platformKeyMethods,
  platformMemberMethods,
  platformTenantMethods,
  platformUserMethods,
} from "./generated-requests";

/** `client.platform`, by noun. */
export interface Platform {
  tenants: PlatformTenantMethods;
  users: PlatformUserMethods;
  members: PlatformMemberMethods;
  imports: PlatformImportMethods;
  clients: PlatformClientMethods;
  keys: PlatformKeyMethods;
}

export const platformOf = (call: Call): Platform => ({
  tenants: platformTenantMethods(call),
  users: platformUserMethods(call),
  members: platformMemberMethods(call),
  imports: platformImportMethods(call),
  clients: platformClientMethods(call),
  keys: platformKeyMethods(call),
});
