CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`external_id` text,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`auth` text NOT NULL,
	`enabled` integer NOT NULL,
	`secret_hash` text,
	`secret_prefix` text,
	`previous_hash` text,
	`previous_expires_at` integer,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revoked_at` integer,
	`last_used_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_clients_by_external_id` ON `oauth_clients` (`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `oauth_consents` (
	`user_id` text NOT NULL,
	`client_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `client_id`, `tenant_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `oauth_consents_by_tenant` ON `oauth_consents` (`tenant_id`,`client_id`);--> statement-breakpoint
CREATE TABLE `oauth_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`client_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`issued_at` integer NOT NULL,
	`issued_to` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_grants_by_session` ON `oauth_grants` (`session_id`,`client_id`,`tenant_id`);--> statement-breakpoint
CREATE INDEX `oauth_grants_by_user` ON `oauth_grants` (`user_id`);--> statement-breakpoint
CREATE INDEX `oauth_grants_by_tenant` ON `oauth_grants` (`tenant_id`);--> statement-breakpoint
CREATE TRIGGER `sessions_end_grants` AFTER DELETE ON `sessions` BEGIN
	DELETE FROM `oauth_grants` WHERE `session_id` = OLD.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `oauth_grants_revoke` AFTER DELETE ON `oauth_grants` WHEN OLD.`issued_at` > (unixepoch() - 960) * 1000 BEGIN
	INSERT OR IGNORE INTO `revocations` (`at`, `key`, `user_id`)
		VALUES (CAST(unixepoch('subsec') + 0.999 AS INTEGER), 's:' || OLD.`id` || ':' || OLD.`tenant_id`, OLD.`user_id`);
END;
