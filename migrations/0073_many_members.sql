-- By hand: WITHOUT ROWID, which drizzle-kit does not know, and the counter, whose triggers count what older code does too.
CREATE TABLE `purge_members` (
	`purge_id` text NOT NULL,
	`position` integer NOT NULL,
	`members` text NOT NULL,
	PRIMARY KEY(`purge_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `memberships_by_joining` ON `memberships` (`tenant_id`,`created_at`,`user_id`);--> statement-breakpoint
CREATE INDEX `memberships_of_owners` ON `memberships` (`tenant_id`,`created_at`,`user_id`) WHERE role = 'owner';--> statement-breakpoint
CREATE INDEX `memberships_of_admins` ON `memberships` (`tenant_id`,`user_id`) WHERE role = 'admin';--> statement-breakpoint
ALTER TABLE `tenants` ADD `member_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER `memberships_counted` AFTER INSERT ON `memberships` BEGIN
	UPDATE `tenants` SET `member_count` = `member_count` + 1 WHERE `id` = NEW.`tenant_id`;
END;--> statement-breakpoint
CREATE TRIGGER `memberships_uncounted` AFTER DELETE ON `memberships` BEGIN
	UPDATE `tenants` SET `member_count` = `member_count` - 1 WHERE `id` = OLD.`tenant_id`;
END;--> statement-breakpoint
UPDATE `tenants` SET `member_count` = (SELECT count(*) FROM `memberships` m WHERE m.`tenant_id` = `tenants`.`id`);
