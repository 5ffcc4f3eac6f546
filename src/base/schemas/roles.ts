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
  "client.manage": "Manage the tenant's own apps and APIs, see which apps members use, and block them",
} as const satisfies Record<string, string>;

export type Permission = keyof typeof PERMISSION_TEXTS;

export const PERMISSIONS = Object.keys(PERMISSION_TEXTS) as [Permission, ...Permission[]];

const BUILT_IN = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  operator: ["webhook.read", "webhook.update"],
  developer: ["webhook.create", "webhook.read", "webhook.update", "webhook.delete", "event.publish", "source.manage"],
  viewer: ["webhook.read"],
  member: [],
} as const satisfies Record<string, readonly Permission[]>;

export type BuiltInRole = keyof typeof BUILT_IN;

/** A role of ours, or one that the setting ROLES adds. */
export type Role = BuiltInRole | (string & Record<never, never>);

/** What a role of ours is for, in a few words. */
export const ROLE_TEXTS: Readonly<Record<BuiltInRole, string>> = {
  owner: "Everything, also making owners and deleting the tenant",
  admin: "Everything but what owners alone may do",
  operator: "Watches subscriptions, and changes, pauses and resends",
  developer: "Creates subscriptions and sources, and publishes events",
  viewer: "Sees subscriptions and the delivery log, and changes nothing",
  member: "Manages their own account only",
};

export const BUILT_IN_ROLES = Object.keys(BUILT_IN) as [BuiltInRole, ...BuiltInRole[]];

/** Whether the column `role` has one that ROLES adds, in SQL. An index has this condition to the letter. */
export const IS_OF_PRODUCT = `role NOT IN (${BUILT_IN_ROLES.map((role) => `'${role}'`).join(", ")})`;

export const isBuiltIn = (role: string): role is BuiltInRole => Object.hasOwn(BUILT_IN, role);

/** What the setting ROLES says of a role. */
export interface RoleOfProduct {
  /** What it is for; null for a role of ours. */
  title: string | null;
  /** Of ours; none for a role of ours, which keeps its own. */
  permissions: readonly Permission[];
  /** Permissions of the product, which only tokens name. */
  app: readonly string[];
}

let ofProduct: Readonly<Record<string, RoleOfProduct>> = {};

/** Sets what ROLES says, in this isolate. */
export function setRolesOfProduct(roles: Readonly<Record<string, RoleOfProduct>>): void {
  ofProduct = roles;
}

/** All roles, those of the product last. */
export const roleNames = (): readonly Role[] => [
  ...BUILT_IN_ROLES,
  ...Object.keys(ofProduct).filter((role) => !isBuiltIn(role)),
];

/** What a role is for. */
export const roleText = (role: Role): string =>
  isBuiltIn(role) ? ROLE_TEXTS[role] : (roleOfProduct(role)?.title ?? ROLE_TEXTS.member);

const roleOfProduct = (role: string): RoleOfProduct | undefined =>
  Object.hasOwn(ofProduct, role) ? ofProduct[role] : undefined;

/** The permissions of a role; none for a role that there is not. */
export const permissionsOf = (role: string): readonly Permission[] =>
  isBuiltIn(role) ? BUILT_IN[role] : (roleOfProduct(role)?.permissions ?? []);

/** The product's own permissions of a role. */
export const appPermissionsOf = (role: string): readonly string[] => roleOfProduct(role)?.app ?? [];

export const isRole = (role: string): role is Role => isBuiltIn(role) || roleOfProduct(role) !== undefined;

/** The role that a stored one counts as: ROLES may have lost it. */
export const knownRole = (role: string): Role => (isRole(role) ? role : "member");

/** Whether a role manages members. Owners are told who gets and who loses such a role. */
export const managesMembers = (role: string): boolean => permissionsOf(role).includes("member.manage");

/** The roles with the permission member.manage. */
export const managers = (): readonly Role[] => roleNames().filter(managesMembers);

/**
 * Which roles a holder of `role` may give and take away. It takes the permission member.manage; only owners manage
 * owners, and a role of the product manages those that may do no more than it may itself.
 */
export function rolesManagedBy(role: Role): readonly Role[] {
  if (!managesMembers(role)) return [];
  if (role === "owner") return roleNames();
  const others = roleNames().filter((managed) => managed !== "owner");
  return role === "admin" ? others : others.filter((managed) => isWithin(managed, role));
}

const isWithin = (role: Role, other: Role): boolean =>
  permissionsOf(role).every((permission) => permissionsOf(other).includes(permission)) &&
  appPermissionsOf(role).every((permission) => appPermissionsOf(other).includes(permission));
