CREATE TABLE `oauth_resources` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`identifier` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`settings` text NOT NULL,
	`secret_hash` text,
	`secret_prefix` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_resources_by_identifier` ON `oauth_resources` (`identifier`);--> statement-breakpoint
CREATE INDEX `oauth_resources_by_tenant` ON `oauth_resources` (`tenant_id`);--> statement-breakpoint
ALTER TABLE `tenants` ADD `unlisted_apps` text;--> statement-breakpoint
ALTER TABLE `oauth_clients` ADD `tenant_id` text DEFAULT 'platform' NOT NULL;--> statement-breakpoint
ALTER TABLE `oauth_clients` ADD `kind` text DEFAULT 'registered' NOT NULL;--> statement-breakpoint
ALTER TABLE `oauth_clients` ADD `host` text;--> statement-breakpoint
ALTER TABLE `oauth_clients` ADD `document_hash` text;--> statement-breakpoint
ALTER TABLE `oauth_consents` ADD `document_hash` text;