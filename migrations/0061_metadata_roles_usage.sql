CREATE TABLE `monthly_usage` (
	`tenant_id` text NOT NULL,
	`month` text NOT NULL,
	`events` integer NOT NULL,
	`deliveries` integer NOT NULL,
	`bytes` integer NOT NULL,
	`counted_to` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `month`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `memberships` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `memberships` ADD `public_metadata` text;--> statement-breakpoint
CREATE INDEX `memberships_by_role_of_product` ON `memberships` (`role`) WHERE role NOT IN ('owner', 'admin', 'operator', 'developer', 'viewer', 'member');--> statement-breakpoint
ALTER TABLE `tenants` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `public_metadata` text;--> statement-breakpoint
ALTER TABLE `users` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `users` ADD `public_metadata` text;--> statement-breakpoint
ALTER TABLE `shards` ADD `counted_to` text;--> statement-breakpoint
CREATE TRIGGER `tenants_metadata_updated` AFTER UPDATE OF `metadata`, `public_metadata` ON `tenants`
WHEN OLD.`metadata` IS NOT NEW.`metadata` OR OLD.`public_metadata` IS NOT NEW.`public_metadata`
BEGIN
	UPDATE `tenants` SET `updated_at` = max(CAST(unixepoch('subsec') * 1000 AS integer), coalesce(OLD.`updated_at`, OLD.`created_at`) + 1) WHERE `id` = NEW.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `users_metadata_updated` AFTER UPDATE OF `metadata`, `public_metadata` ON `users`
WHEN OLD.`metadata` IS NOT NEW.`metadata` OR OLD.`public_metadata` IS NOT NEW.`public_metadata`
BEGIN
	UPDATE `users` SET `updated_at` = max(CAST(unixepoch('subsec') * 1000 AS integer), coalesce(OLD.`updated_at`, OLD.`created_at`) + 1) WHERE `id` = NEW.`id`;
END;
