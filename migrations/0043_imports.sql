CREATE TABLE `hash_settings` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `import_chunks` (
	`import_id` text NOT NULL,
	`part` integer NOT NULL,
	`n` integer NOT NULL,
	`sealed` text NOT NULL,
	PRIMARY KEY(`import_id`, `part`, `n`)
);
--> statement-breakpoint
CREATE TABLE `import_parts` (
	`import_id` text NOT NULL,
	`part` integer NOT NULL,
	`hash` text NOT NULL,
	`rows` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`import_id`, `part`)
);
--> statement-breakpoint
CREATE TABLE `import_reports` (
	`import_id` text NOT NULL,
	`last_line` integer NOT NULL,
	`entries` text NOT NULL,
	PRIMARY KEY(`import_id`, `last_line`)
);
--> statement-breakpoint
CREATE TABLE `import_trials` (
	`import_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`import_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `imports` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text,
	`dry_run` integer NOT NULL,
	`on_existing` text NOT NULL,
	`state` text NOT NULL,
	`actor` text NOT NULL,
	`rows` integer NOT NULL,
	`created` integer NOT NULL,
	`updated` integer NOT NULL,
	`skipped` integer NOT NULL,
	`refused` integer NOT NULL,
	`line` integer NOT NULL,
	`position` integer NOT NULL,
	`lease` text NOT NULL,
	`leased_until` integer NOT NULL,
	`is_cleared` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `imports_not_ended` ON `imports` (`state`,`started_at`,`id`) WHERE state IN ('open', 'running');--> statement-breakpoint
CREATE INDEX `imports_to_clear` ON `imports` (`ended_at`) WHERE ended_at IS NOT NULL AND is_cleared = 0;--> statement-breakpoint
ALTER TABLE `users` ADD `password_kind` text GENERATED ALWAYS AS (iif(substr(password_hash, 1, 9) = 'imported:',
        substr(password_hash, 10, instr(substr(password_hash, 10), ':') - 1), NULL)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `users` ADD `password_import` text GENERATED ALWAYS AS (iif(substr(password_hash, 1, 9) = 'imported:',
        substr(password_hash, 10 + instr(substr(password_hash, 10), ':'), 36), NULL)) VIRTUAL;--> statement-breakpoint
CREATE INDEX `users_by_password_import` ON `users` (`password_import`) WHERE password_kind IS NOT NULL;