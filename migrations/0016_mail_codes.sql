-- drizzle-kit does not know WITHOUT ROWID.
CREATE TABLE `mail_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`tries` integer NOT NULL
) WITHOUT ROWID;
