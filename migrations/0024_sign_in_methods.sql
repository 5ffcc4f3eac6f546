ALTER TABLE `memberships` ADD `owner_since` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `amr` text;--> statement-breakpoint
ALTER TABLE `users` ADD `email_verified_by` text;