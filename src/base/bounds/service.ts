/** The bounds of tables that the service alone makes grow. */
import type { TableBounds } from "./bound";

export const BOUNDS_OF_SERVICE = {
  alarms: { why: "one for each kind of finding and database, until people have been told of its end" },
  mail_failures: { why: "one row while mails cannot be sent" },
  legacy_login_failures: { why: "one row while the former service does not answer" },
  key_checks: { why: "one row" },
  platform_rules: { why: "one row" },
  platform_feed: { why: "one row" },
  first_keys: { why: "one for each key that was ever the first of `SECRET_KEYS`" },
  token_signers: { why: "one for each change of the signing settings, for 90 days" },
  dead_letters: { why: "one for each queue and hour, for 90 days" },
  monthly_usage: { why: "26 for each of `tenants`: a row of a new month removes the oldest" },
  shards: { why: "one for each database" },
  alert_mails: { why: "one for each mail that must not be sent twice, within `notice` and `alertMail`, for 30 days" },
  tenant_moves: { why: "one for each move of a tenant, which an operator asks for; they go with the tenant" },
  departed_tenants: { why: "one for each tenant of which a former database has rows" },
  sends_held: { why: "two for each tenant that an operator has suspended or frozen" },
  platform_sequences: { why: "one for each of `tenants` and `users` of which a platform event told" },
  audit_feeds: { why: "one for each tenant of which a subscription receives the audit log" },
  episodes: { why: "one for each of `subscriptions` that fails" },
  publish_rules: { why: "one for each tenant with event types or a mode" },
  feed_logs: { why: "one for each tenant that has had a feed" },
} satisfies TableBounds;
