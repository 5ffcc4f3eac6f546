/** What a platform key may do, and what that allows in a tenant that it names. */
import type { Permission } from "./roles";

/** The scopes, each with what a key may do that has it. */
export const PLATFORM_SCOPE_TEXTS = {
  "tenants.read": "List and read tenants",
  "tenants.write": "Create, change, suspend and delete tenants",
  "users.read": "List and read people",
  "users.write": "Create, change, suspend and delete people",
  "members.read": "Read who belongs to which tenant",
  "members.write": "Add and remove members, and change their roles",
  "events.publish": "Publish events in a tenant",
  "webhooks.read": "Read subscriptions, events and the delivery log of a tenant",
  "webhooks.write": "Create, change and delete subscriptions of a tenant, and resend",
  "audit.read": "Read the audit log of a tenant",
  "clients.read": "List and read the apps that people sign in to",
  "clients.write": "Register, change and delete the apps that people sign in to",
  "connections.read": "Read the domains and the identity providers of a tenant",
  "connections.write": "Set up the domains and the identity providers of a tenant, which then speak for its people",
} as const satisfies Record<string, string>;

export type PlatformScope = keyof typeof PLATFORM_SCOPE_TEXTS;

export const PLATFORM_SCOPES = Object.keys(PLATFORM_SCOPE_TEXTS) as [PlatformScope, ...PlatformScope[]];

const PERMISSIONS_OF: Partial<Record<PlatformScope, readonly Permission[]>> = {
  "events.publish": ["event.publish"],
  "webhooks.read": ["webhook.read"],
  "webhooks.write": ["webhook.create", "webhook.update", "webhook.delete"],
  "audit.read": ["audit.read"],
  "clients.write": ["client.manage"],
};

/** The permissions that scopes give in a tenant. */
export const permissionsOfScopes = (scopes: readonly PlatformScope[]): ReadonlySet<Permission> =>
  new Set(scopes.flatMap((scope) => PERMISSIONS_OF[scope] ?? []));

const groupOf = (scope: PlatformScope): string => `${scope.slice(0, scope.indexOf("."))}.*`;

/** The groups that are taken and stored spelled out, such as `tenants.*`. */
export const SCOPE_GROUPS = [...new Set(PLATFORM_SCOPES.map(groupOf))];

/** The scopes that each name stands for: itself, or those of a group. */
export const spelledOut = (names: readonly string[]): PlatformScope[] => [
  ...new Set(names.flatMap((name) => PLATFORM_SCOPES.filter((scope) => scope === name || groupOf(scope) === name))),
];
