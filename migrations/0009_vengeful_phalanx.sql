CREATE TABLE `replay_jobs` (
	`subscription_id` text NOT NULL,
	`id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`spec` text NOT NULL,
	`state` text NOT NULL,
	`cursor` text NOT NULL,
	`queued` integer DEFAULT 0 NOT NULL,
	`paced_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`idempotency_key` text,
	`request_hash` text,
	PRIMARY KEY(`subscription_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `replay_jobs_running` ON `replay_jobs` (`subscription_id`) WHERE state = 'running';