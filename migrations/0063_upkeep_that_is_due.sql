-- By hand: the expressions of the indexes of mails.
ALTER TABLE `shards` ADD `storage_count` text;--> statement-breakpoint
CREATE INDEX `subscriptions_slow` ON `subscriptions` (`id`) WHERE slow_until > 0;--> statement-breakpoint
CREATE INDEX `alert_mails_by_tenant` ON `alert_mails` (substr(`id`, -73, 36));--> statement-breakpoint
CREATE INDEX `alert_mails_by_person` ON `alert_mails` (substr(`id`, -36));--> statement-breakpoint
CREATE INDEX `platform_keys_of_tenants` ON `platform_keys` (`id`) WHERE tenants IS NOT NULL;