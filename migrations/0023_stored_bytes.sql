ALTER TABLE `tenants` ADD `stored_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `tenants_storing` ON `tenants` (`shard`) WHERE stored_bytes > 0;