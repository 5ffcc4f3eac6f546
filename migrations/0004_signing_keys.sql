CREATE TABLE `signing_keys` (
	`subscription_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`sealed` text NOT NULL,
	`public` text,
	`starts_at` integer NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`subscription_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `signing_keys_to_end` ON `signing_keys` (`expires_at`) WHERE sealed <> '' AND expires_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `secret_since` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `format_since` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `former_secrets_until` integer DEFAULT 0 NOT NULL;
