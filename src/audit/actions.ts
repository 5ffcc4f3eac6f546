/** What the audit log records. */

export const AUDIT_ACTIONS = [
  "auth.registered",
  "auth.login",
  "auth.login_failed",
  "auth.locked",
  "auth.logout",
  "auth.logout_all",
  "auth.refresh_reused",
  "auth.email_verified",
  "auth.password_reset_requested",
  "auth.password_reset",
  "auth.password_changed",
  "auth.2fa_enabled",
  "auth.2fa_disabled",
  "auth.recovery_used",
  "auth.recovery_codes_renewed",
  "notice.undone",
  "session.revoked",
  "api_key.created",
  "api_key.deleted",
  "member.invited",
  "member.invitation_revoked",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "member.left",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.paused",
  "webhook.resumed",
  "webhook.secret_rotated",
  "webhook.secret_ended",
  "webhook.disabled",
  "webhook.replayed",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const TARGET_KINDS = ["user", "session", "api-key", "invitation", "webhook"] as const;

export type TargetKind = (typeof TARGET_KINDS)[number];

export const ACTOR_KINDS = ["user", "api-key", "system", "anonymous"] as const;

export type ActorKind = (typeof ACTOR_KINDS)[number];
