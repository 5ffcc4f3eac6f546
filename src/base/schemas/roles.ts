/** The only table of roles and their permissions. */

/** The permissions, each with what it allows. An API key has them as its scopes. */
export const PERMISSION_TEXTS = {
  "webhook.create": "Create subscriptions and event types, and feeds with webhook.read",
  "webhook.read": "Read subscriptions, events, statistics and the delivery log",
  "webhook.update": "Change, pause, resume and test subscriptions, and resend deliveries",
  "webhook.delete": "Delete subscriptions",
  "event.publish": "Publish events",
  "source.manage": "Test and delete sources, and create and change them with event.publish",
  "member.read": "See members and invitations",
  "member.manage": "Invite and remove people, and change their roles",
  "audit.read": "Read and export the audit log",
} as const satisfies Record<string, string>;

export type Permission = keyof typeof PERMISSION_TEXTS;

export const PERMISSIONS = Object.keys(PERMISSION_TEXTS) as [Permission, ...Permission[]];

const ROLES = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  operator: ["webhook.read", "webhook.update"],
  developer: ["webhook.create", "webhook.read", "webhook.update", "webhook.delete", "event.publish", "source.manage"],
  viewer: ["webhook.read"],
  member: [],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof ROLES;

/** What a role is for, in a few words. */
export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  owner: "Everything, also making owners and deleting the tenant",
  admin: "Everything but what owners alone may do",
  operator: "Watches subscriptions, and changes, pauses and resends",
  developer: "Creates subscriptions and sources, and publishes events",
  viewer: "Sees subscriptions and the delivery log, and changes nothing",
  member: "Manages their own account only",
};

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

/** The roles with the permission member.manage. */
export const MANAGERS = ROLE_NAMES.filter(managesMembers);

/**
 * Which roles a holder of each role may give and take away. It takes the permission member.manage, and only owners
 * manage owners.
 */
export const ROLES_MANAGED_BY: Partial<Record<Role, readonly Role[]>> = Object.fromEntries(
  MANAGERS.map((role) => [role, role === "owner" ? ROLE_NAMES : ROLE_NAMES.filter((managed) => managed !== "owner")]),
);
