ALTER TABLE `sessions` ADD `tenant_since` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `cookie_generation` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `cookie_replaced_at` integer;