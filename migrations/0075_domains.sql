CREATE TABLE `domains` (
	`tenant_id` text NOT NULL,
	`domain` text NOT NULL,
	`state` text NOT NULL,
	`proved_by` text,
	`proved_value` text,
	`proved_at` integer,
	`checked_at` integer,
	`last_error` text,
	`denied_days` integer NOT NULL,
	`denied_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `domain`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_proved` ON `domains` (`domain`) WHERE state = 'proved';