ALTER TABLE `connections` ADD `directory_left` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `directory_left_since` integer;