CREATE TABLE `departed_tenants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tenant_moves` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`from_shard` integer NOT NULL,
	`to_shard` integer NOT NULL,
	`step` text NOT NULL,
	`cursor` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`moved_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenant_moves_open` ON `tenant_moves` (`tenant_id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `tenant_moves_by_tenant` ON `tenant_moves` (`tenant_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `tenants` ADD `former_shard` integer;--> statement-breakpoint
ALTER TABLE `purges` ADD `former_shard` integer;