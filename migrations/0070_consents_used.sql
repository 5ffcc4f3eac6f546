ALTER TABLE `oauth_consents` ADD `used_at` integer;--> statement-breakpoint
CREATE INDEX `oauth_consents_by_use` ON `oauth_consents` (`used_at`) WHERE used_at IS NOT NULL;