CREATE TABLE `purges` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`part_of` text,
	`shard` integer,
	`email` text,
	`mail_to` text,
	`name` text,
	`members` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	`step` text DEFAULT '' NOT NULL,
	`cursor` text DEFAULT '' NOT NULL,
	`run_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `purges_by_run` ON `purges` (`run_at`);--> statement-breakpoint
CREATE INDEX `purges_by_part` ON `purges` (`part_of`) WHERE part_of IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `confirmed_at` integer;