CREATE TABLE `platform_feed` (
	`id` integer PRIMARY KEY NOT NULL,
	`published_to` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_events_for_platform` ON `audit_events` (`id`) WHERE action IN ('auth.registered', 'user.created', 'auth.name_changed', 'auth.email_changed', 'auth.2fa_enabled', 'auth.2fa_disabled', 'auth.2fa_removed', 'user.updated', 'auth.password_reset', 'notice.undone', 'auth.email_verified', 'user.suspended', 'operator.person_suspended', 'user.resumed', 'operator.person_resumed', 'auth.account_deleted', 'tenant.created', 'tenant.updated', 'tenant.suspended', 'operator.tenant_suspended', 'tenant.resumed', 'operator.tenant_resumed', 'tenant.deleted', 'member.added', 'member.joined', 'member.role_changed', 'member.removed', 'member.left', 'session.revoked', 'auth.logout', 'auth.logout_all', 'auth.refresh_reused', 'operator.sessions_ended');