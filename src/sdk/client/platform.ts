/** `/platform`: what the product does with a platform key, and the keys themselves. */
import type { Call } from "./call";
import type {
  PlatformAppMethods,
  PlatformClientMethods,
  PlatformConnectionMethods,
  PlatformDomainMethods,
  PlatformImportMethods,
  PlatformKeyMethods,
  PlatformResourceMethods,
  PlatformSetupLinkMethods,
  PlatformTenantMethods,
  PlatformUsageMethods,
  PlatformUserMethods,
} from "./generated-methods";
import {
  platformAppMethods,
  platformClientMethods,
  platformConnectionMethods,
  platformDomainMethods,
  platformImportMethods,
  platformKeyMethods,
  platformResourceMethods,
  platformSetupLinkMethods,
  platformTenantMethods,
  platformUsageMethods,
  platformUserMethods,
} from "./generated-requests";
import { type PlatformMemberMethods, platformMemberMethods } from "./platform-members";

/** `client.platform`, by noun. */
export interface Platform {
  tenants: PlatformTenantMethods;
  users: PlatformUserMethods;
  members: PlatformMemberMethods;
  connections: PlatformConnectionMethods;
  domains: PlatformDomainMethods;
  setupLinks: PlatformSetupLinkMethods;
  imports: PlatformImportMethods;
  clients: PlatformClientMethods;
  resources: PlatformResourceMethods;
  apps: PlatformAppMethods;
  usage: PlatformUsageMethods;
  keys: PlatformKeyMethods;
}

export const platformOf = (call: Call): Platform => ({
  tenants: platformTenantMethods(call),
  users: platformUserMethods(call),
  members: platformMemberMethods(call),
  connections: platformConnectionMethods(call),
  domains: platformDomainMethods(call),
  setupLinks: platformSetupLinkMethods(call),
  imports: platformImportMethods(call),
  clients: platformClientMethods(call),
  resources: platformResourceMethods(call),
  apps: platformAppMethods(call),
  usage: platformUsageMethods(call),
  keys: platformKeyMethods(call),
});
