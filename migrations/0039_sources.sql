CREATE TABLE `source_errors` (
	`source_id` text NOT NULL,
	`reason` text NOT NULL,
	`slot` integer NOT NULL,
	`at` integer NOT NULL,
	`count` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`source_id`, `reason`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sources` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`provider` text NOT NULL,
	`secrets_sealed` text NOT NULL,
	`options` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_event_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sources_by_tenant` ON `sources` (`tenant_id`);