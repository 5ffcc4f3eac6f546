-- drizzle-kit knows no WITHOUT ROWID: it stands here by hand at each table of src/db/delivery-schema.ts.
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`key_hash` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_key_hash_unique` ON `api_keys` (`key_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_by_user` ON `api_keys` (`user_id`,`tenant_id`);--> statement-breakpoint
CREATE TABLE `email_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`subject_id` text NOT NULL,
	`action` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `email_tokens_by_subject` ON `email_tokens` (`subject_id`,`purpose`);--> statement-breakpoint
CREATE INDEX `email_tokens_by_expiry` ON `email_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`invited_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`accepted_by` text,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `invitations_by_tenant` ON `invitations` (`tenant_id`);--> statement-breakpoint
CREATE INDEX `invitations_by_expiry` ON `invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`last_used_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `memberships_by_user` ON `memberships` (`user_id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`user_id`, `code_hash`)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`generation` integer NOT NULL,
	`refresh_token_hash` text NOT NULL,
	`rotated_at` integer NOT NULL,
	`rotation_key_hash` text,
	`device_name` text,
	`browser` text,
	`operating_system` text,
	`platform` text,
	`ip_address` text,
	`location` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_activity_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `shards` (
	`shard` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`noted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`shard` integer DEFAULT 0 NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`name` text,
	`password_hash` text NOT NULL,
	`email_verified_at` integer,
	`verification_mailed_at` integer,
	`totp_secret_encrypted` text,
	`totp_enrolment_id` text,
	`totp_enabled_at` integer,
	`totp_last_step` integer DEFAULT 0 NOT NULL,
	`known_devices` text DEFAULT '[]' NOT NULL,
	`created_from` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`subscription_id` text NOT NULL,
	`id` text NOT NULL,
	`delivery_id` text,
	`event_id` text NOT NULL,
	`event_type` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`claim` text,
	`response_code` integer,
	`response_body` text,
	`error` text,
	`attempt_count` integer NOT NULL,
	`attempted_at` integer NOT NULL,
	`completed_at` integer,
	`next_id` text,
	PRIMARY KEY(`subscription_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`type` text NOT NULL,
	`payload` text NOT NULL,
	`correlation_id` text,
	`delivery_count` integer NOT NULL,
	`fan_out_after` text,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `events_to_fan_out` ON `events` (`created_at`) WHERE fan_out_after IS NOT NULL;--> statement-breakpoint
CREATE TABLE `hourly_stats` (
	`subscription_id` text NOT NULL,
	`hour` integer NOT NULL,
	`succeeded` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`failure_count` integer DEFAULT 0 NOT NULL,
	`latency_0` integer DEFAULT 0 NOT NULL,
	`latency_1` integer DEFAULT 0 NOT NULL,
	`latency_2` integer DEFAULT 0 NOT NULL,
	`latency_3` integer DEFAULT 0 NOT NULL,
	`latency_4` integer DEFAULT 0 NOT NULL,
	`latency_5` integer DEFAULT 0 NOT NULL,
	`latency_6` integer DEFAULT 0 NOT NULL,
	`latency_7` integer DEFAULT 0 NOT NULL,
	`latency_8` integer DEFAULT 0 NOT NULL,
	`latency_9` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`subscription_id`, `hour`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`tenant_id` text NOT NULL,
	`key` text NOT NULL,
	`event_id` text NOT NULL,
	`request_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `manual_retries` (
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`delivery_id` text NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`subscription_id`, `event_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `outbox` (
	`queue` text NOT NULL,
	`due_at` integer NOT NULL,
	`id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`kind` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`interruptions` integer DEFAULT 0 NOT NULL,
	`attempt_id` text,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`queue`, `due_at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `subscription_events` (
	`tenant_id` text NOT NULL,
	`event_type` text NOT NULL,
	`subscription_id` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `event_type`, `subscription_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`secret_digest` text NOT NULL,
	`enabled` integer NOT NULL,
	`is_deleted` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`slow_until` integer DEFAULT 0 NOT NULL,
	`has_backlog` integer DEFAULT false NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriptions_by_tenant` ON `subscriptions` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `subscriptions_with_backlog` ON `subscriptions` (`has_backlog`) WHERE has_backlog = 1;--> statement-breakpoint
CREATE INDEX `subscriptions_deleted` ON `subscriptions` (`is_deleted`) WHERE is_deleted = 1;