CREATE TABLE `first_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`last_first_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `key_checks` ADD `checked_at` integer DEFAULT 0 NOT NULL;