ALTER TABLE `tenants` ADD `second_factor` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `second_factor_grace_days` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `second_factor_from` integer;