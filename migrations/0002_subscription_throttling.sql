ALTER TABLE `subscriptions` ADD `held_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `gone_since` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `disabled_reason` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `disabled_at` integer;