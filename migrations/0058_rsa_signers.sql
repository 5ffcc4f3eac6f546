ALTER TABLE `token_signers` ADD `key_id` text;--> statement-breakpoint
ALTER TABLE `token_signers` ADD `private_sealed` text;--> statement-breakpoint
CREATE UNIQUE INDEX `token_signers_by_entry` ON `token_signers` (`key_id`) WHERE private_sealed IS NOT NULL;