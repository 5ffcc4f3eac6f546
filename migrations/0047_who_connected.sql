ALTER TABLE `sources` ADD `set_up_by` text;--> statement-breakpoint
ALTER TABLE `feed_tokens` ADD `made_by` text;