/**
 * The actions of the audit log, each with what its actor did, in the words of the console and the documentation. A text
 * is a template of `audit-sentences.ts`: `{target|a member}` is the name of what it was done to, or the words without
 * one, which the third part precedes; another name in braces is a member of `meta`; brackets hold what is left out
 * without it.
 */

export const AUDIT_ACTIONS = {
  "auth.registered": "created an account[ with {provider}]",
  "auth.login": "signed in[ with {method}][ by a {via} of tenants]",
  "auth.login_failed": "tried to sign in with a wrong password or code[, {count} more times]",
  "auth.locked": "locked {target|an account} by wrong guesses",
  "auth.logout": "signed out",
  "auth.logout_all": "signed out everywhere",
  "auth.refresh_reused": "used a refresh token, or a replaced cookie of the console, again, which ended the session",
  "auth.email_verified": "verified an email address",
  "auth.password_reset_requested": "asked for a password reset",
  "auth.password_reset": "reset a password",
  "auth.password_changed": "changed a password",
  "auth.name_changed": "changed their name",
  "auth.email_change_requested": "asked for another email address",
  "auth.email_changed": "changed their email address",
  "auth.2fa_enabled": "turned two-factor authentication on",
  "auth.2fa_disabled": "turned two-factor authentication off",
  "auth.recovery_used": "used a recovery code",
  "auth.recovery_codes_renewed": "replaced the recovery codes",
  "auth.passkey_added": "added a passkey",
  "auth.passkey_removed": "removed a passkey",
  "auth.identity_linked": "added a sign-in with {provider|a provider}",
  "auth.identity_unlinked": "removed a sign-in with {provider|a provider}",
  "auth.account_deleted": "deleted their account",
  "auth.exported": "exported the data of their account",
  "auth.step_up": "confirmed the session with the password or a code",
  "auth.2fa_removed": "followed a mailed link to remove a lost second factor",
  "notice.undone": 'followed a link for "this was not me"',
  "session.revoked": "ended a session",
  "api_key.created": "created {target|an API key|the API key }[ for {scopes}]",
  "api_key.deleted": "revoked {target|an API key|the API key }",
  "member.invited": "invited {target|somebody}[ as {role}]",
  "member.invitation_revoked": "revoked {target|an invitation|the invitation of }",
  "member.joined": "joined the tenant[ as {role}]",
  "member.role_changed": "changed the role of {target|a member}[ from {from}][ to {to}]",
  "member.removed": "removed {target|a member}",
  "member.left": "left the tenant",
  "member.added": "added {target|a member}[ as {role}] with a platform key",
  "tenant.created": "created a tenant",
  "tenant.updated": "changed a tenant with a platform key",
  "tenant.suspended": "suspended a tenant with a platform key",
  "tenant.resumed": "resumed a tenant with a platform key",
  "tenant.deleted": "deleted a tenant",
  "tenant.security_changed":
    "changed who needs a second factor in the tenant[ to {requireSecondFactor}][, after {graceDays} days]",
  "tenant.settings_changed": "changed[ {changed} of] the rules for event types",
  "tenant.exported": "exported the data of the tenant",
  "user.created": "created an account with {method|a platform key}",
  "user.updated": "changed an account with {method|a platform key}",
  "user.suspended": "suspended a person with a platform key",
  "user.resumed": "resumed a person with a platform key",
  "platform_key.created": "created a platform key[ for {scopes}]",
  "platform_key.rotated": "replaced a platform key, or ended the former one",
  "platform_key.revoked": "revoked a platform key",
  "import.started": "started an import of[ {rows}] people",
  "import.stopped": "stopped an import of people",
  "import.finished": "finished an import of people",
  "webhook.created": "created {target|a subscription|the subscription }",
  "webhook.updated": "changed[ {changed} of] {target|a subscription|the subscription }",
  "webhook.deleted": "deleted {target|a subscription|the subscription }",
  "webhook.paused": "paused {target|a subscription|the subscription }",
  "webhook.resumed": "resumed {target|a subscription|the subscription }",
  "webhook.secret_rotated": "gave {target|a subscription|the subscription } a new secret or key",
  "webhook.secret_ended": "ended the former secrets of {target|a subscription|the subscription }",
  "webhook.disabled": "disabled {target|a subscription|the subscription }",
  "webhook.replayed": "started a replay[ of {which} deliveries] to {target|a subscription|the subscription }",
  "source.created": "created a source",
  "source.updated": "changed[ {changed} of] a source",
  "source.deleted": "deleted a source",
  "source.secret_added": "added a secret to a source",
  "source.secret_removed": "removed a secret of a source",
  "feed.created": "created a feed",
  "feed.updated": "changed[ {changed} of] a feed",
  "feed.deleted": "deleted a feed",
  "feed.token_rotated": "gave a feed a new token",
  "feed.consumer_moved": "moved[ {consumer},] a consumer of a feed",
  "listen.opened": "opened a listener",
  "listen.closed": "closed a listener",
  "event_type.created": "declared an event type",
  "event_type.updated": "changed[ {changed} of] an event type",
  "event_type.version_added": "added a version[ {version}] to the schema of an event type",
  "event_type.deleted": "deleted an event type",
  "event_type.imported": "imported event types[, {created} of them new]",
  "operator.searched": "searched the service as an operator",
  "operator.status_read": "looked at the status of the service as an operator",
  "operator.tenant_read": "looked at the tenant as an operator",
  "operator.tenant_suspended": "suspended the tenant as an operator",
  "operator.tenant_resumed": "resumed the tenant as an operator",
  "operator.person_read": "looked at {target|a person} as an operator",
  "operator.person_suspended": "suspended {target|a person} as an operator",
  "operator.person_resumed": "resumed {target|a person} as an operator",
  "operator.sessions_ended": "ended all sessions of {target|a person} as an operator",
  "operator.2fa_removal_mailed": "mailed {target|a person} a link to remove a lost second factor, as an operator",
  "operator.sends_held": "held sends as an operator",
  "operator.tenant_moved": "began to move the tenant to another database as an operator",
  "operator.sends_released": "released held sends as an operator",
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]];

/** The groups that a filter takes, such as `webhook.*`. */
export const ACTION_GROUPS = [...new Set(ACTION_NAMES.map((name) => `${name.slice(0, name.indexOf("."))}.*`))];

export const TARGET_KINDS = [
  "user",
  "session",
  "identity",
  "api-key",
  "invitation",
  "webhook",
  "source",
  "feed",
  "event-type",
  "tenant",
  "platform-key",
  "import",
] as const;

export type TargetKind = (typeof TARGET_KINDS)[number];

export const ACTOR_KINDS = ["user", "api-key", "platform-key", "operator", "system", "anonymous"] as const;

export type ActorKind = (typeof ACTOR_KINDS)[number];
