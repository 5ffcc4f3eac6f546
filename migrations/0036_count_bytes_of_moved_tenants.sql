ALTER TABLE `tenant_moves` ADD `stored_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `tenant_moves_storing` ON `tenant_moves` (`from_shard`) WHERE stored_bytes > 0;