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

/** The person behind a session, and the tenant, by name. Times are Unix ms. */
export interface Account {
  email: string;
  name: string | null;
  emailVerifiedAt: number | null;
  totpEnabledAt: number | null;
  createdAt: number;
  tenantName: string;
}

/** Who calls, in which tenant, and what they may do there now. */
export interface Principal {
  kind: "session" | "api-key";
  userId: string;
  tenantId: string;
  /** The session of a bearer token; null for an API key. */
  sessionId: string | null;
  /** Of a session; null for an API key. */
  account: Account | null;
  role: Role;
  permissions: ReadonlySet<Permission>;
}

/** The permissions of a role; a role that this version does not know holds none. */
export function permissionsOf(role: string): readonly Permission[] {
  return isRole(role) ? ROLES[role] : [];
}

export function isRole(role: string): role is Role {
  return Object.hasOwn(ROLES, role);
}
