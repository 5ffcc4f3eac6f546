DROP INDEX `sessions_by_connection`;--> statement-breakpoint
CREATE INDEX `sessions_by_connection` ON `sessions` (`connection_id`,`idp_sid`) WHERE connection_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `failing_since` integer;--> statement-breakpoint
ALTER TABLE `connections` ADD `failing_told_at` integer;--> statement-breakpoint
CREATE INDEX `connections_active` ON `connections` (`tenant_id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `sign_on_traces_refused` ON `sign_on_traces` (`at`) WHERE ring = 'refusal';