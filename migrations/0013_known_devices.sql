-- drizzle-kit does not know WITHOUT ROWID, and the last statement stands here by hand: it keeps the kinds of device that were known so far.
CREATE TABLE `known_devices` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `known_devices_by_last_seen` ON `known_devices` (`last_seen_at`);
--> statement-breakpoint
INSERT OR IGNORE INTO `known_devices` SELECT u.`id`, 'kind:' || j.value, unixepoch() * 1000 FROM `users` u, json_each(u.`known_devices`) j;
