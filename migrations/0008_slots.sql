ALTER TABLE `outbox` ADD `slot_at` integer;--> statement-breakpoint
CREATE INDEX `outbox_in_line` ON `outbox` (`subscription_id`,`slot_at`) WHERE slot_at IS NOT NULL;