-- drizzle-kit does not know WITHOUT ROWID: it stands here by hand.
CREATE TABLE `alarms` (
	`finding` text PRIMARY KEY NOT NULL,
	`noted_at` integer NOT NULL,
	`since` integer NOT NULL,
	`ended_at` integer,
	`is_told` integer DEFAULT false NOT NULL,
	`claimed_until` integer DEFAULT 0 NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `key_checks` (
	`id` integer PRIMARY KEY NOT NULL,
	`ring` text NOT NULL,
	`missing` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mail_failures` (
	`id` integer PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`tries` integer NOT NULL
);
