CREATE TABLE `oauth_endings` (
	`client_id` text NOT NULL,
	`at` integer NOT NULL,
	`is_deleted` integer NOT NULL,
	PRIMARY KEY(`client_id`, `at`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `oauth_endings_by_time` ON `oauth_endings` (`at`);--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `device` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `scopes` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `generation` integer;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `ends_at` integer;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `sign_in_id` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `amr` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `authenticated_at` integer;--> statement-breakpoint
CREATE INDEX `oauth_grants_by_expiry` ON `oauth_grants` (`expires_at`) WHERE expires_at IS NOT NULL;