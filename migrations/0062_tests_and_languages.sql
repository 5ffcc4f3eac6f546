ALTER TABLE `users` ADD `locale` text;--> statement-breakpoint
ALTER TABLE `events` ADD `test_of` text;--> statement-breakpoint
CREATE TRIGGER `users_locale_updated` AFTER UPDATE OF `locale` ON `users`
WHEN OLD.`locale` IS NOT NEW.`locale`
BEGIN
	UPDATE `users` SET `updated_at` = max(CAST(unixepoch('subsec') * 1000 AS integer), coalesce(OLD.`updated_at`, OLD.`created_at`) + 1) WHERE `id` = NEW.`id`;
END;
