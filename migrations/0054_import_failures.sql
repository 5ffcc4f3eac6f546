ALTER TABLE `imports` ADD `without_password` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `failures` integer DEFAULT 0 NOT NULL;