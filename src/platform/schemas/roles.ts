/** The only table of roles and their permissions. */

export const PERMISSIONS = [
  "webhook.create",
  "webhook.read",
  "webhook.update",
  "webhook.delete",
  "event.publish",
  "member.read",
  "member.manage",
  "audit.read",
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

/** The permissions of a role; none for a role that this version does not know. */
export function permissionsOf(role: string): readonly Permission[] {
  return isRole(role) ? ROLES[role] : [];
}

export function isRole(role: string): role is Role {
  return Object.hasOwn(ROLES, role);
}

/** Whether a role manages members. Owners are told who gets and who loses such a role. */
export const managesMembers = (role: string): boolean => permissionsOf(role).includes("member.manage");

/** The roles that manage members. */
export const MANAGERS = ROLE_NAMES.filter(managesMembers);

/**
 * Which roles a holder of each role may give and take away. It takes the permission member.manage, and only owners
 * manage owners.
 */
export const ROLES_MANAGED_BY: Partial<Record<Role, readonly Role[]>> = Object.fromEntries(
  MANAGERS.map((role) => [role, role === "owner" ? ROLE_NAMES : ROLE_NAMES.filter((managed) => managed !== "owner")]),
);
