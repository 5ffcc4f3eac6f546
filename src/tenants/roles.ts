/** Roles and what they hold: the one table (decisions.md section 2). */

export const PERMISSIONS = [
  "webhook.create",
  "webhook.read",
  "webhook.update",
  "webhook.delete",
  "event.publish",
  "member.read",
  "member.manage",
] as const;

export type Permission = (typeof PERMISSIONS)[number];

const ROLES = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  operator: ["webhook.read", "webhook.update"],
  developer: ["webhook.create", "webhook.read", "webhook.update", "webhook.delete", "event.publish"],
  viewer: ["webhook.read"],
  member: [],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

/** The permissions of a role; a role that this version does not know holds none. */
export function permissionsOf(role: string): readonly Permission[] {
  return isRole(role) ? ROLES[role] : [];
}

export function isRole(role: string): role is Role {
  return Object.hasOwn(ROLES, role);
}
