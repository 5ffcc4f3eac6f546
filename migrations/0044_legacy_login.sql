CREATE TABLE `legacy_login_failures` (
	`id` integer PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`tries` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `users` ADD `password_removed_at` integer;--> statement-breakpoint
CREATE TRIGGER `users_password_removed` AFTER UPDATE OF `password_hash` ON `users`
WHEN OLD.`password_hash` <> '' AND NEW.`password_hash` = ''
BEGIN
	UPDATE `users` SET `password_removed_at` = CAST(unixepoch('subsec') * 1000 AS integer) WHERE `id` = NEW.`id`;
END;
