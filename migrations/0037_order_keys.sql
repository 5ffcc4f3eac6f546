CREATE TABLE `order_sequences` (
	`tenant_id` text NOT NULL,
	`key` text NOT NULL,
	`last` integer NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `events` ADD `order_key` text;--> statement-breakpoint
ALTER TABLE `events` ADD `order_sequence` integer;
