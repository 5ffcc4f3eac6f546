-- By hand: WITHOUT ROWID, the row since when publishers are known, and the trigger, which notes those of older code too.
CREATE TABLE `publishers` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `publishers` (`tenant_id`, `since`) VALUES ('', CAST(unixepoch('subsec') * 1000 AS integer));--> statement-breakpoint
CREATE TRIGGER `events_published` AFTER INSERT ON `events`
WHEN NOT EXISTS (SELECT 1 FROM `publishers` WHERE `tenant_id` = NEW.`tenant_id`)
BEGIN
	INSERT INTO `publishers` (`tenant_id`, `since`) VALUES (NEW.`tenant_id`, NEW.`created_at`);
END;--> statement-breakpoint
CREATE INDEX `api_keys_by_tenant` ON `api_keys` (`tenant_id`);--> statement-breakpoint
CREATE INDEX `invitations_by_email` ON `invitations` (`email`);--> statement-breakpoint
CREATE INDEX `invitations_by_inviter` ON `invitations` (`invited_by`);--> statement-breakpoint
CREATE INDEX `invitations_by_guest` ON `invitations` (`accepted_by`) WHERE accepted_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tenants_by_maker` ON `tenants` (`created_by`);--> statement-breakpoint
CREATE INDEX `portal_links_by_maker` ON `portal_links` (`maker_id`);