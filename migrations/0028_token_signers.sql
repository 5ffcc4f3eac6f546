CREATE TABLE `revocations` (
	`at` integer NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`at`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `token_signers` (
	`kid` text NOT NULL,
	`alg` text NOT NULL,
	`issuer` text NOT NULL,
	`seen_at` integer NOT NULL,
	`retired_at` integer,
	PRIMARY KEY(`kid`, `alg`, `issuer`)
) WITHOUT ROWID;
