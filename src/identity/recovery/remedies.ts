/**
 * What becomes of what an account has done, when its owner says that it was somebody else: of each action of the audit
 * log. Whoever adds an action decides it here.
 */
import type { AuditAction } from "../../base/schemas/audit-actions";

export type Remedy =
  /** The link undoes it, or pauses or disables it. */
  | { undoneBy: string }
  /** The mail names it, with a link to the page of the console where it is ended or changed back. */
  | { seenAt: string }
  /** Nothing is left to undo, for this reason. */
  | { harmless: string };

const ENDS = { undoneBy: "revert-store: the link ends or restores what opens the account" } as const;
const PAUSED = { undoneBy: "subscriptions/suspects-store: the subscription is paused" } as const;
const ONLY_READ = { harmless: "it changed nothing" } as const;
const ONLY_CLOSED = { harmless: "it ended access, or can be done again" } as const;
const SECURITY = { seenAt: "/security" } as const;
const PEOPLE = { seenAt: "/people" } as const;
const TENANTS = { seenAt: "/tenants" } as const;
const CONNECTIONS = { seenAt: "/connections" } as const;
const PLATFORM = { seenAt: "/operator/keys" } as const;
const OPERATOR = { seenAt: "/operator" } as const;
/** Operators manage them by the API. */
const CLIENTS = { seenAt: "/operator" } as const;
const DOMAINS = { seenAt: "/domains" } as const;
const APPS = { seenAt: "/apps" } as const;
/** The id of the target follows. */
const TYPES = { seenAt: "/event-types/named/" } as const;

export const REMEDIES = {
  "auth.registered": { harmless: "it made the account" },
  "auth.login": ENDS,
  "auth.login_failed": ONLY_READ,
  "auth.locked": ONLY_CLOSED,
  "auth.logout": ONLY_CLOSED,
  "auth.logout_all": ONLY_CLOSED,
  "auth.refresh_reused": ONLY_CLOSED,
  "auth.email_verified": ENDS,
  "auth.password_reset_requested": ENDS,
  "auth.password_reset": ENDS,
  "auth.password_changed": ENDS,
  "auth.name_changed": SECURITY,
  "auth.email_change_requested": ENDS,
  "auth.email_changed": ENDS,
  "auth.2fa_enabled": ENDS,
  "auth.2fa_disabled": SECURITY,
  "auth.recovery_used": SECURITY,
  "auth.recovery_codes_renewed": SECURITY,
  "auth.passkey_added": ENDS,
  "auth.passkey_removed": SECURITY,
  "auth.identity_linked": ENDS,
  "auth.identity_unlinked": SECURITY,
  "auth.account_deleted": { harmless: "no link works without the account" },
  "auth.exported": SECURITY,
  "auth.step_up": ENDS,
  "auth.2fa_removed": SECURITY,
  "notice.undone": ONLY_CLOSED,
  "session.revoked": ONLY_CLOSED,
  "api_key.created": { undoneBy: "revert-store and made-credentials-store: the key is revoked" },
  "api_key.deleted": { seenAt: "/api-keys" },
  "portal.link_created": { undoneBy: "revert-store: the links and tokens of the account end" },
  "portal.link_opened": { undoneBy: "revert-store: what a link has opened ends with it" },
  "portal.link_revoked": ONLY_CLOSED,
  "setup.link_created": { undoneBy: "revert-store: the links and tokens of the account end" },
  "setup.link_opened": { undoneBy: "revert-store: what a link has opened ends with it" },
  "setup.link_revoked": ONLY_CLOSED,
  "member.invited": { undoneBy: "tenant-changes-store: the invitation is revoked, or the guest leaves" },
  "member.invitation_revoked": PEOPLE,
  "member.joined": TENANTS,
  "member.role_changed": { undoneBy: "tenant-changes-store: the former role is given back" },
  "member.removed": PEOPLE,
  "member.left": TENANTS,
  "member.added": PEOPLE,
  "member.updated": PEOPLE,
  "tenant.created": TENANTS,
  "tenant.updated": TENANTS,
  "tenant.suspended": OPERATOR,
  "tenant.resumed": OPERATOR,
  "tenant.deleted": TENANTS,
  "tenant.security_changed": { seenAt: "/tenants/security" },
  "tenant.settings_changed": { seenAt: "/event-types" },
  "tenant.exported": TENANTS,
  "user.created": OPERATOR,
  "user.updated": OPERATOR,
  "user.suspended": OPERATOR,
  "user.resumed": OPERATOR,
  "platform_key.created": { undoneBy: "made-credentials-store: the key is revoked" },
  "platform_key.rotated": { undoneBy: "made-credentials-store: the key is revoked" },
  "platform_key.revoked": PLATFORM,
  "client.created": CLIENTS,
  "client.updated": CLIENTS,
  "client.deleted": CLIENTS,
  "client.secret_rotated": CLIENTS,
  "client.secret_ended": CLIENTS,
  "client.tokens_revoked": ONLY_CLOSED,
  "resource.created": CLIENTS,
  "resource.updated": CLIENTS,
  "resource.deleted": CLIENTS,
  "resource.secret_rotated": CLIENTS,
  "connection.created": CONNECTIONS,
  "connection.updated": CONNECTIONS,
  "connection.activated": CONNECTIONS,
  "connection.disabled": CONNECTIONS,
  "connection.deleted": CONNECTIONS,
  "connection.token_created": CONNECTIONS,
  "connection.token_revoked": CONNECTIONS,
  "directory.held": { harmless: "it lets nobody in" },
  "directory.released": CONNECTIONS,
  "app.connected": { undoneBy: "revert-store: all grants end, and what was allowed since is taken back" },
  "app.device_approved": { undoneBy: "revert-store: all grants end" },
  "app.disconnected": ONLY_CLOSED,
  "app.allowed": APPS,
  "app.blocked": APPS,
  "app.refresh_reused": ONLY_CLOSED,
  "app.code_reused": ONLY_CLOSED,
  "domain.claimed": DOMAINS,
  "domain.proved": DOMAINS,
  "domain.lost": { harmless: "nobody did it" },
  "domain.removed": DOMAINS,
  "import.started": { seenAt: "/operator/imports" },
  "import.stopped": { seenAt: "/operator/imports" },
  "import.finished": { seenAt: "/operator/imports" },
  "webhook.created": PAUSED,
  "webhook.updated": PAUSED,
  "webhook.deleted": { seenAt: "/webhooks" },
  "webhook.paused": { seenAt: "/webhooks" },
  "webhook.resumed": PAUSED,
  "webhook.secret_rotated": PAUSED,
  "webhook.secret_ended": PAUSED,
  "webhook.disabled": { seenAt: "/webhooks" },
  "webhook.replayed": { seenAt: "/webhooks" },
  "source.created": { undoneBy: "made-credentials-store: the source is disabled" },
  "source.updated": { undoneBy: "made-credentials-store: the source is disabled" },
  "source.deleted": { seenAt: "/sources" },
  "source.secret_added": { undoneBy: "made-credentials-store: the source is disabled" },
  "source.secret_removed": { seenAt: "/sources" },
  "feed.created": { undoneBy: "feeds/suspects-store: the token ends" },
  "feed.updated": { seenAt: "/feeds" },
  "feed.deleted": { seenAt: "/feeds" },
  "feed.token_rotated": { undoneBy: "feeds/suspects-store: the token ends" },
  "feed.consumer_moved": { seenAt: "/feeds" },
  "listen.opened": { undoneBy: "listen-socket: the connection ends with the session or the key" },
  "listen.closed": ONLY_CLOSED,
  "event_type.created": TYPES,
  "event_type.updated": TYPES,
  "event_type.version_added": TYPES,
  "event_type.deleted": { seenAt: "/event-types" },
  "event_type.imported": { seenAt: "/event-types" },
  "operator.searched": ONLY_READ,
  "operator.status_read": ONLY_READ,
  "operator.tenant_read": ONLY_READ,
  "operator.tenant_suspended": OPERATOR,
  "operator.tenant_resumed": OPERATOR,
  "operator.person_read": ONLY_READ,
  "operator.person_suspended": OPERATOR,
  "operator.person_resumed": OPERATOR,
  "operator.sessions_ended": ONLY_CLOSED,
  "operator.2fa_removal_mailed": OPERATOR,
  "operator.import_read": ONLY_READ,
  "operator.sends_held": OPERATOR,
  "operator.tenant_moved": OPERATOR,
  "operator.move_cancelled": OPERATOR,
  "operator.domain_moved": OPERATOR,
  "operator.sign_on_ended": OPERATOR,
  "operator.sends_released": OPERATOR,
} as const satisfies Record<AuditAction, Remedy>;

/** The page on which what an action has done is seen; null for an action that the mail does not name. */
export function pageOf(action: AuditAction, targetId: string | null): string | null {
  const remedy: Remedy = REMEDIES[action];
  if (!("seenAt" in remedy)) return null;
  return remedy.seenAt.endsWith("/") ? `${remedy.seenAt}${encodeURIComponent(targetId ?? "")}` : remedy.seenAt;
}

/** The actions that the mail names. */
export const NAMED_ACTIONS = (Object.keys(REMEDIES) as AuditAction[]).filter(
  (action) => "seenAt" in (REMEDIES[action] as Remedy),
);
