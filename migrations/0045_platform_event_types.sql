CREATE TABLE `platform_rules` (
	`id` integer PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
);
