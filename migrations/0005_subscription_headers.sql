ALTER TABLE `subscriptions` ADD `headers_sealed` text;
