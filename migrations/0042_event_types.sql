CREATE TABLE `event_type_versions` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`schema` text,
	`examples` text,
	`breaks` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`, `version`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `event_types` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`heading` text,
	`enforce` text NOT NULL,
	`is_archived` integer DEFAULT 0 NOT NULL,
	`deprecated` text,
	`latest_version` integer NOT NULL,
	`warned_count` integer DEFAULT 0 NOT NULL,
	`warned_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `publish_rules` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`mode` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `tenants` ADD `rules_revision` integer;