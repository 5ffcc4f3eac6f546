ALTER TABLE `attempts` ADD `long_body` blob;--> statement-breakpoint
ALTER TABLE `events` ADD `long_bytes` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `long_payload` blob;--> statement-breakpoint
ALTER TABLE `shards` ADD `compresses_from` integer;