CREATE TABLE `oauth_rules` (
	`tenant_id` text NOT NULL,
	`client_id` text NOT NULL,
	`state` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `client_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `oauth_rules_by_client` ON `oauth_rules` (`client_id`);--> statement-breakpoint
ALTER TABLE `oauth_clients` ADD `logout_webhook_id` text;--> statement-breakpoint
CREATE INDEX `audit_events_of_apps` ON `audit_events` (`id`) WHERE action IN ('app.connected', 'app.disconnected');--> statement-breakpoint
CREATE TRIGGER `sessions_expire_grants` BEFORE DELETE ON `sessions` WHEN OLD.`expires_at` <= unixepoch() * 1000 BEGIN
	DELETE FROM `oauth_grants` WHERE `session_id` = OLD.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `oauth_grants_log_out` AFTER DELETE ON `oauth_grants` WHEN OLD.`session_id` <> OLD.`id`
	AND EXISTS (SELECT 1 FROM `oauth_clients` WHERE `id` = OLD.`client_id` AND `enabled` = 1 AND `logout_webhook_id` IS NOT NULL)
	AND NOT EXISTS (SELECT 1 FROM `sessions` WHERE `id` = OLD.`session_id` AND `expires_at` <= unixepoch() * 1000)
BEGIN
	INSERT INTO `events` (`id`, `tenant_id`, `type`, `payload`, `delivery_count`, `created_at`)
		SELECT substr(printf('%012x', t.ms), 1, 8) || '-' || substr(printf('%012x', t.ms), 9) || substr(OLD.`id`, 14),
			s.`tenant_id`, 'postern.logout', json_object('clientId', c.`id`, 'sid', OLD.`id`, 'alg', c.`settings` ->> '$.idTokenAlgorithm'), 1, t.ms
		FROM `oauth_clients` c CROSS JOIN `subscriptions` s ON s.`id` = c.`logout_webhook_id`
			CROSS JOIN (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS ms) t
		WHERE c.`id` = OLD.`client_id` AND s.`is_deleted` = 0 AND (s.`enabled` = 1 OR s.`released_to` IS NOT NULL);
	INSERT OR IGNORE INTO `outbox` (`queue`, `due_at`, `id`, `tenant_id`, `subscription_id`, `event_id`, `kind`, `bytes`)
		SELECT iif(s.`has_backlog`, s.`id`, ''), e.`created_at`, substr(e.`id`, 1, 23) || '-' || substr(s.`id`, 25), s.`tenant_id`, s.`id`, e.`id`,
			'event', length(e.`payload`)
		FROM (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS ms) t
			CROSS JOIN `events` e ON e.`id` = substr(printf('%012x', t.ms), 1, 8) || '-' || substr(printf('%012x', t.ms), 9) || substr(OLD.`id`, 14)
			CROSS JOIN `oauth_clients` c ON c.`id` = OLD.`client_id` CROSS JOIN `subscriptions` s ON s.`id` = c.`logout_webhook_id`;
END;
