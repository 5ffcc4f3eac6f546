CREATE TABLE `feed_consumers` (
	`tenant_id` text NOT NULL,
	`feed_id` text NOT NULL,
	`name` text NOT NULL,
	`position` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `feed_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `feed_entries` (
	`tenant_id` text NOT NULL,
	`position` integer NOT NULL,
	`event_id` text NOT NULL,
	`type` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `feed_logs` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`trimmed_to` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `feed_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`feed_id` text NOT NULL,
	`prefix` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `feed_tokens_by_tenant` ON `feed_tokens` (`tenant_id`,`feed_id`);--> statement-breakpoint
CREATE TABLE `feed_types` (
	`tenant_id` text NOT NULL,
	`event_type` text NOT NULL,
	`feed_id` text NOT NULL,
	`from_position` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `event_type`, `feed_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `feeds` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`events` text NOT NULL,
	`trimmed_to` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
) WITHOUT ROWID;
