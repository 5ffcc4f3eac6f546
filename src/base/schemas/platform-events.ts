/** The events that tell the product of its users, tenants and members, and what in the audit log they are made of. */
import type { AuditAction } from "./audit-actions";

export const PLATFORM_EVENT_TYPES = [
  "user.created",
  "user.updated",
  "user.verified",
  "user.suspended",
  "user.resumed",
  "user.deleted",
  "tenant.created",
  "tenant.updated",
  "tenant.suspended",
  "tenant.resumed",
  "tenant.deleted",
  "member.added",
  "member.role_changed",
  "member.removed",
  "session.revoked",
  "grant.created",
  "grant.revoked",
] as const;

export type PlatformEventType = (typeof PLATFORM_EVENT_TYPES)[number];

/** In the tenant of the platform, a subscription receives these only if it names them: `*` does not match them. */
export const ONLY_IF_NAMED: PlatformEventType = "session.revoked";

/**
 * The events that each audit event can become. The index `audit_events_for_platform` has these actions, and
 * `audit_events_of_apps` those of apps, so a change here needs a migration.
 */
export const PLATFORM_SOURCES = {
  "auth.registered": ["user.created", "tenant.created", "member.added"],
  "user.created": ["user.created"],
  "auth.name_changed": ["user.updated"],
  "auth.email_changed": ["user.updated"],
  "auth.2fa_enabled": ["user.updated"],
  "auth.2fa_disabled": ["user.updated"],
  "auth.2fa_removed": ["user.updated"],
  "user.updated": ["user.updated"],
  // Both end all sessions, and can change the address, its verification or the second factor.
  "auth.password_reset": ["user.updated", "session.revoked"],
  "notice.undone": ["user.updated", "session.revoked"],
  "auth.email_verified": ["user.verified"],
  "user.suspended": ["user.suspended"],
  "operator.person_suspended": ["user.suspended"],
  "user.resumed": ["user.resumed"],
  "operator.person_resumed": ["user.resumed"],
  "auth.account_deleted": ["user.deleted"],
  "tenant.created": ["tenant.created", "member.added"],
  "tenant.updated": ["tenant.updated"],
  "tenant.suspended": ["tenant.suspended"],
  "operator.tenant_suspended": ["tenant.suspended"],
  "tenant.resumed": ["tenant.resumed"],
  "operator.tenant_resumed": ["tenant.resumed"],
  "tenant.deleted": ["tenant.deleted"],
  "member.added": ["member.added"],
  "member.joined": ["member.added"],
  "member.role_changed": ["member.role_changed"],
  "member.removed": ["member.removed"],
  "member.left": ["member.removed"],
  "session.revoked": ["session.revoked"],
  "auth.logout": ["session.revoked"],
  "auth.logout_all": ["session.revoked"],
  "auth.refresh_reused": ["session.revoked"],
  "operator.sessions_ended": ["session.revoked"],
  "app.connected": ["grant.created"],
  "app.disconnected": ["grant.revoked"],
} as const satisfies Partial<Record<AuditAction, readonly PlatformEventType[]>>;
