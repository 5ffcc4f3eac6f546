-- drizzle-kit knows neither WITHOUT ROWID nor the commas within the indexed expression: both stand here by hand.
CREATE TABLE `dead_letters` (
	`hour` integer NOT NULL,
	`queue` text NOT NULL,
	`messages` integer NOT NULL,
	PRIMARY KEY(`hour`, `queue`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sends_held` (
	`tenant_id` text NOT NULL,
	`cause` text NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `cause`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `tenants` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `suspended_reason` text;--> statement-breakpoint
CREATE INDEX `tenants_by_name` ON `tenants` (lower(name));--> statement-breakpoint
ALTER TABLE `users` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `suspended_reason` text;--> statement-breakpoint
CREATE INDEX `subscriptions_by_host` ON `subscriptions` (lower(substr(url, instr(url, '://') + 3, 255))) WHERE is_deleted = 0;