CREATE TABLE `alert_mails` (
	`id` text PRIMARY KEY NOT NULL,
	`claimed_at` integer NOT NULL,
	`sent_at` integer
);
--> statement-breakpoint
CREATE TABLE `episodes` (
	`subscription_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`failing_since` integer,
	`stage` integer DEFAULT 0 NOT NULL,
	`mailed_stage` integer DEFAULT 0 NOT NULL,
	`mailed_at` integer DEFAULT 0 NOT NULL,
	`is_mail_waiting` integer DEFAULT false NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `memberships` ADD `alerts` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `hourly_stats` ADD `failing_since` integer;--> statement-breakpoint
ALTER TABLE `hourly_stats` ADD `sent_failures` integer DEFAULT 0 NOT NULL;