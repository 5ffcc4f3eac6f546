CREATE TABLE `catalogs` (
	`slug` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`is_public` integer NOT NULL,
	`title` text,
	`description` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `catalogs_by_tenant` ON `catalogs` (`tenant_id`);