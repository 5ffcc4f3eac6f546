CREATE TABLE `connection_identities` (
	`connection_id` text NOT NULL,
	`generation` integer NOT NULL,
	`subject` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`email` text,
	`is_maker` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`removed_at` integer,
	PRIMARY KEY(`connection_id`, `generation`, `subject`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `connection_identities_by_user` ON `connection_identities` (`user_id`,`connection_id`,`generation`);--> statement-breakpoint
CREATE TABLE `connections` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`provider` text NOT NULL,
	`state` text NOT NULL,
	`needs_review` integer DEFAULT 0 NOT NULL,
	`version` integer NOT NULL,
	`generation` integer NOT NULL,
	`settings` text NOT NULL,
	`document` text,
	`document_read_at` integer,
	`secret_sealed` text,
	`secret_last4` text,
	`tested_at` integer,
	`tested_version` integer,
	`last_sign_on_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `connections_by_tenant` ON `connections` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `sign_on_traces` (
	`connection_id` text NOT NULL,
	`ring` text NOT NULL,
	`slot` integer NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`outcome` text NOT NULL,
	`version` integer NOT NULL,
	`step` text NOT NULL,
	`reason` text,
	`facts` text,
	`claims_sealed` text,
	`would` text,
	PRIMARY KEY(`connection_id`, `ring`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `memberships` ADD `connection_id` text;--> statement-breakpoint
ALTER TABLE `memberships` ADD `role_by` text;--> statement-breakpoint
CREATE INDEX `memberships_by_connection` ON `memberships` (`connection_id`) WHERE connection_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `connection_id` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `idp_acr` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `idp_sid` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `ends_at` integer;--> statement-breakpoint
CREATE INDEX `sessions_by_connection` ON `sessions` (`connection_id`) WHERE connection_id IS NOT NULL;