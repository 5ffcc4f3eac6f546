/** What a platform key may do, and what that allows in a tenant that it names. */
import type { Permission } from "./roles";

export const PLATFORM_SCOPES = [
  "tenants.read",
  "tenants.write",
  "users.read",
  "users.write",
  "members.read",
  "members.write",
  "events.publish",
  "webhooks.read",
  "webhooks.write",
  "audit.read",
] as const;

export type PlatformScope = (typeof PLATFORM_SCOPES)[number];

const PERMISSIONS_OF: Partial<Record<PlatformScope, readonly Permission[]>> = {
  "events.publish": ["event.publish"],
  "webhooks.read": ["webhook.read"],
  "webhooks.write": ["webhook.create", "webhook.update", "webhook.delete"],
  "audit.read": ["audit.read"],
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
