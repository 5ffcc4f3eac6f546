CREATE TABLE `portal_links` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`session_hash` text,
	`maker_kind` text NOT NULL,
	`maker_id` text NOT NULL,
	`permissions` text NOT NULL,
	`theme` text,
	`return_url` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`opened_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `portal_links_by_hash` ON `portal_links` (`hash`);--> statement-breakpoint
CREATE INDEX `portal_links_by_tenant` ON `portal_links` (`tenant_id`,`expires_at`);