-- By hand: WITHOUT ROWID and expressions with commas, which drizzle-kit does not know, and the triggers. They count the
-- writes of code that does not know `updated_at`.
CREATE TABLE `platform_key_hashes` (
	`hash` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`expires_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `platform_key_hashes_by_key` ON `platform_key_hashes` (`key_id`);--> statement-breakpoint
CREATE INDEX `platform_key_hashes_by_expiry` ON `platform_key_hashes` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `platform_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`scopes` text NOT NULL,
	`tenants` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `platform_keys_by_revocation` ON `platform_keys` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `platform_keys_by_expiry` ON `platform_keys` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `platform_sequences` (
	`subject_id` text PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `owner` text DEFAULT 'user' NOT NULL;--> statement-breakpoint
ALTER TABLE `tenants` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `trusted_at` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `updated_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_by_external_id` ON `tenants` (`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tenants_by_update` ON `tenants` (coalesce(updated_at, created_at), `id`);--> statement-breakpoint
ALTER TABLE `users` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `users` ADD `updated_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_external_id` ON `users` (`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `users_by_update` ON `users` (coalesce(updated_at, created_at), `id`);--> statement-breakpoint
CREATE TRIGGER `tenants_updated` AFTER UPDATE OF `name`, `external_id`, `suspended_at`, `suspended_reason` ON `tenants`
WHEN OLD.`name` IS NOT NEW.`name`
	OR OLD.`external_id` IS NOT NEW.`external_id`
	OR OLD.`suspended_at` IS NOT NEW.`suspended_at`
	OR OLD.`suspended_reason` IS NOT NEW.`suspended_reason`
BEGIN
	UPDATE `tenants` SET `updated_at` = max(CAST(unixepoch('subsec') * 1000 AS integer), coalesce(OLD.`updated_at`, OLD.`created_at`) + 1) WHERE `id` = NEW.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `users_updated` AFTER UPDATE OF `email`, `name`, `external_id`, `email_verified_at`, `totp_enabled_at`, `suspended_at`, `suspended_reason` ON `users`
WHEN OLD.`email` IS NOT NEW.`email`
	OR OLD.`name` IS NOT NEW.`name`
	OR OLD.`external_id` IS NOT NEW.`external_id`
	OR OLD.`email_verified_at` IS NOT NEW.`email_verified_at`
	OR OLD.`totp_enabled_at` IS NOT NEW.`totp_enabled_at`
	OR OLD.`suspended_at` IS NOT NEW.`suspended_at`
	OR OLD.`suspended_reason` IS NOT NEW.`suspended_reason`
BEGIN
	UPDATE `users` SET `updated_at` = max(CAST(unixepoch('subsec') * 1000 AS integer), coalesce(OLD.`updated_at`, OLD.`created_at`) + 1) WHERE `id` = NEW.`id`;
END;
