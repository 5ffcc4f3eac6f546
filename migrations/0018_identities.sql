CREATE TABLE `identities` (
	`issuer` text NOT NULL,
	`sub` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`provider` text NOT NULL,
	`email` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	PRIMARY KEY(`issuer`, `sub`)
);
--> statement-breakpoint
CREATE INDEX `identities_by_user` ON `identities` (`user_id`);