ALTER TABLE `subscriptions` ADD `filter` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `filter_since` integer;--> statement-breakpoint
CREATE INDEX `subscriptions_filtered` ON `subscriptions` (`tenant_id`) WHERE filter IS NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `filtered` text;