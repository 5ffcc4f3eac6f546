-- drizzle-kit knows neither WITHOUT ROWID nor the comma within the indexed expression: both stand here by hand.
CREATE TABLE `audit_events` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`action` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`target_kind` text,
	`target_id` text,
	`ip` text,
	`user_agent` text,
	`request_id` text,
	`session_id` text,
	`meta` text,
	PRIMARY KEY(`tenant_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `audit_events_by_account` ON `audit_events` (coalesce(`actor_id`, `target_id`),`id`);