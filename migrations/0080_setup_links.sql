ALTER TABLE `portal_links` ADD `connection_id` text;--> statement-breakpoint
ALTER TABLE `portal_links` ADD `email` text;--> statement-breakpoint
ALTER TABLE `domains` ADD `needs_review` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sign_on_traces` ADD `setup_id` text;