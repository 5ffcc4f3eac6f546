CREATE TABLE `catalog_files` (
	`tenant_id` text NOT NULL,
	`format` text NOT NULL,
	`made_of` text DEFAULT '' NOT NULL,
	`etag` text,
	`body` text,
	`taken_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `format`)
) WITHOUT ROWID;
