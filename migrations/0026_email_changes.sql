ALTER TABLE `email_tokens` ADD `email` text;--> statement-breakpoint
CREATE INDEX `email_tokens_by_email` ON `email_tokens` (`email`) WHERE email IS NOT NULL;