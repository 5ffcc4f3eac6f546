ALTER TABLE `episodes` ADD `probe_at` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `released_to` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `release_rate` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `released_at` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `dropped_to` integer;