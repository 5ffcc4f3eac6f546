CREATE TABLE `audit_feeds` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`published_to` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `audit_feeds` SELECT DISTINCT `tenant_id`, unixepoch() * 1000 FROM `subscription_events` WHERE `event_type` IN ('postern.*', 'postern.audit');
--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `known_devices`;
