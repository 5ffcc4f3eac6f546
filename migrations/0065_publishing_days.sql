ALTER TABLE `publishers` ADD `newest_day` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `publishers` ADD `days` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- By hand from here: the day since which the days are known, and the trigger that notes them, in place of the former one.
UPDATE `publishers` SET `newest_day` = unixepoch() / 86400 WHERE `tenant_id` = '';--> statement-breakpoint
CREATE TRIGGER `events_published_on` AFTER INSERT ON `events`
WHEN NOT EXISTS (SELECT 1 FROM `publishers` WHERE `tenant_id` = NEW.`tenant_id`
	AND ((`days` >> (`newest_day` - NEW.`created_at` / 86400000)) & 1))
BEGIN
	INSERT INTO `publishers` (`tenant_id`, `since`, `newest_day`, `days`)
		VALUES (NEW.`tenant_id`, NEW.`created_at`, NEW.`created_at` / 86400000, 1)
	ON CONFLICT (`tenant_id`) DO UPDATE SET
		`days` = iif(excluded.`newest_day` > `newest_day`,
			((`days` << (excluded.`newest_day` - `newest_day`)) & 9223372036854775807) | 1,
			`days` | ((1 << (`newest_day` - excluded.`newest_day`)) & 9223372036854775807)),
		`newest_day` = max(`newest_day`, excluded.`newest_day`);
END;--> statement-breakpoint
DROP TRIGGER `events_published`;
