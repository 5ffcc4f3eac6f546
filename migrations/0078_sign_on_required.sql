ALTER TABLE `tenants` ADD `sign_on` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `sign_on_grace_days` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `sign_on_from` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `sign_on_begun_at` integer;--> statement-breakpoint
CREATE INDEX `tenants_sign_on` ON `tenants` (`id`) WHERE sign_on_from IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tenants_sign_on_begins` ON `tenants` (`sign_on_from`) WHERE sign_on_from IS NOT NULL AND sign_on_begun_at IS NULL;--> statement-breakpoint
ALTER TABLE `sign_on_traces` ADD `user_id` text;