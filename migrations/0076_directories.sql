-- By hand: WITHOUT ROWID, which drizzle-kit does not know, and the triggers, which count records and keep groups right.
CREATE TABLE `directory_groups` (
	`connection_id` text NOT NULL,
	`id` text NOT NULL,
	`name_key` text NOT NULL,
	`display_name` text NOT NULL,
	`external_id` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`connection_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `directory_groups_by_name` ON `directory_groups` (`connection_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `directory_groups_by_external_id` ON `directory_groups` (`connection_id`,`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `directory_jobs` (
	`connection_id` text NOT NULL,
	`kind` text NOT NULL,
	`tenant_id` text NOT NULL,
	`cursor` text NOT NULL,
	`input` text,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`connection_id`, `kind`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `directory_jobs_due` ON `directory_jobs` (`due_at`);--> statement-breakpoint
CREATE INDEX `directory_jobs_by_tenant` ON `directory_jobs` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `directory_members` (
	`connection_id` text NOT NULL,
	`group_id` text NOT NULL,
	`person_id` text NOT NULL,
	PRIMARY KEY(`connection_id`, `group_id`, `person_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `directory_members_by_person` ON `directory_members` (`connection_id`,`person_id`);--> statement-breakpoint
CREATE TABLE `directory_users` (
	`connection_id` text NOT NULL,
	`id` text NOT NULL,
	`name_key` text,
	`external_id` text,
	`email` text,
	`user_id` text,
	`is_maker` integer DEFAULT 0 NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`state_at` integer NOT NULL,
	`record` text NOT NULL,
	`has_more_emails` integer DEFAULT 0 NOT NULL,
	`version` integer NOT NULL,
	`write_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`connection_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `directory_users_by_name` ON `directory_users` (`connection_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `directory_users_by_external_id` ON `directory_users` (`connection_id`,`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `directory_users_by_email` ON `directory_users` (`connection_id`,`email`);--> statement-breakpoint
CREATE INDEX `directory_users_by_account` ON `directory_users` (`user_id`) WHERE user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `directory_users_by_change` ON `directory_users` (`connection_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `directory_users_with_more_emails` ON `directory_users` (`connection_id`,`id`) WHERE has_more_emails = 1;--> statement-breakpoint
CREATE INDEX `directory_users_that_left` ON `directory_users` (`state_at`) WHERE state IN ('inactive', 'removed');--> statement-breakpoint
CREATE TABLE `scim_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`connection_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`told_days` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `scim_tokens_by_connection` ON `scim_tokens` (`connection_id`);--> statement-breakpoint
CREATE INDEX `scim_tokens_by_tenant` ON `scim_tokens` (`tenant_id`);--> statement-breakpoint
CREATE INDEX `scim_tokens_that_end` ON `scim_tokens` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_active` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_inactive` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_held` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_groups` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_requested_at` integer;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_told_at` integer;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_alarmed_at` integer;--> statement-breakpoint
CREATE INDEX `connections_with_directory` ON `connections` (`directory_requested_at`) WHERE directory_requested_at IS NOT NULL;--> statement-breakpoint
CREATE TRIGGER `directory_users_counted` AFTER INSERT ON `directory_users` WHEN NEW.`state` <> 'removed' BEGIN
	UPDATE `connections` SET `directory_active` = `directory_active` + (NEW.`state` = 'active'),
		`directory_inactive` = `directory_inactive` + (NEW.`state` = 'inactive'),
		`directory_held` = `directory_held` + (NEW.`state` = 'held') WHERE `id` = NEW.`connection_id`;
END;--> statement-breakpoint
CREATE TRIGGER `directory_users_recounted` AFTER UPDATE OF `state` ON `directory_users` WHEN NEW.`state` <> OLD.`state` BEGIN
	UPDATE `connections` SET `directory_active` = `directory_active` + (NEW.`state` = 'active') - (OLD.`state` = 'active'),
		`directory_inactive` = `directory_inactive` + (NEW.`state` = 'inactive') - (OLD.`state` = 'inactive'),
		`directory_held` = `directory_held` + (NEW.`state` = 'held') - (OLD.`state` = 'held') WHERE `id` = NEW.`connection_id`;
END;--> statement-breakpoint
CREATE TRIGGER `directory_users_uncounted` AFTER DELETE ON `directory_users` WHEN OLD.`state` <> 'removed' BEGIN
	UPDATE `connections` SET `directory_active` = `directory_active` - (OLD.`state` = 'active'),
		`directory_inactive` = `directory_inactive` - (OLD.`state` = 'inactive'),
		`directory_held` = `directory_held` - (OLD.`state` = 'held') WHERE `id` = OLD.`connection_id`;
END;--> statement-breakpoint
CREATE TRIGGER `directory_users_left_groups` AFTER UPDATE OF `state` ON `directory_users` WHEN NEW.`state` = 'removed' AND OLD.`state` <> 'removed' BEGIN
	UPDATE `directory_groups` SET `version` = `version` + 1 WHERE `connection_id` = NEW.`connection_id` AND `id` IN
		(SELECT `group_id` FROM `directory_members` WHERE `connection_id` = NEW.`connection_id` AND `person_id` = NEW.`id`);
	DELETE FROM `directory_members` WHERE `connection_id` = NEW.`connection_id` AND `person_id` = NEW.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `directory_users_purged_from_groups` AFTER DELETE ON `directory_users` BEGIN
	DELETE FROM `directory_members` WHERE `connection_id` = OLD.`connection_id` AND `person_id` = OLD.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `directory_groups_counted` AFTER INSERT ON `directory_groups` BEGIN
	UPDATE `connections` SET `directory_groups` = `directory_groups` + 1 WHERE `id` = NEW.`connection_id`;
END;--> statement-breakpoint
CREATE TRIGGER `directory_groups_uncounted` AFTER DELETE ON `directory_groups` BEGIN
	UPDATE `connections` SET `directory_groups` = `directory_groups` - 1 WHERE `id` = OLD.`connection_id`;
END;
