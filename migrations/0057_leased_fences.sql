ALTER TABLE `departed_tenants` ADD `lapses_at` integer;--> statement-breakpoint
ALTER TABLE `tenant_moves` ADD `lapses` integer DEFAULT 0 NOT NULL;