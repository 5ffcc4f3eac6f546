/** Every metric of `/metrics`. The docs show this table. */

interface Metric {
  /** A gauge unless it says that it only grows. */
  type?: "counter";
  labels: readonly string[];
  unit: string;
  help: string;
}

export const METRICS = {
  postern_requests_total: {
    type: "counter",
    labels: ["status"],
    unit: "requests",
    help: "Requests that were answered, by the class of their status: 2xx, 3xx, 4xx, 5xx.",
  },
  postern_logins_total: {
    type: "counter",
    labels: ["result"],
    unit: "sign-ins",
    help: "Sign-ins: success (a session was opened), or failed (a wrong password, code or second factor).",
  },
  postern_mails_total: {
    type: "counter",
    labels: ["result"],
    unit: "mails",
    help:
      "Mails that the email provider took (sent), will never take (refused), or could not take for now (failed; each " +
      "try counts).",
  },
  postern_shard_up: {
    labels: ["shard"],
    unit: "1 or 0",
    help: "Whether the delivery database answers. If it does not, its other metrics are missing.",
  },
  postern_shard_used_bytes: {
    labels: ["shard"],
    unit: "bytes",
    help: "The size of the delivery database, as last read by the hourly cron.",
  },
  postern_shard_used_ratio: {
    labels: ["shard"],
    unit: "0 to 1",
    help: "The size as a share of the largest size that a database can have.",
  },
  postern_deliveries_open: {
    labels: ["shard", "state"],
    unit: "deliveries",
    help:
      "Deliveries that should have been sent: due (waiting), leased (being sent), backlog (waiting apart, because " +
      "their subscription does not keep up), held (until a user or an operator releases them). At most 300 due or " +
      "leased ones are counted, oldest first, and 200 in backlogs or held.",
  },
  postern_oldest_due_seconds: {
    labels: ["shard"],
    unit: "seconds",
    help: "How long the oldest due delivery has waited, without backlogs; 0 if none is due.",
  },
  postern_events_waiting_fan_out: {
    labels: ["shard"],
    unit: "events",
    help:
      "Events whose deliveries have not all been created yet: operational events, and events to more than 500 " +
      "subscriptions. At most 100 are counted.",
  },
  postern_subscriptions: {
    labels: ["shard", "state"],
    unit: "subscriptions",
    help:
      "Subscriptions by their state: healthy, failing (ten attempts in a row), slow, disabled (by the service) or " +
      "paused (by a user).",
  },
  postern_attempts: {
    labels: ["shard", "result"],
    unit: "attempts",
    help: "Attempts that ended in the last full hour: success or failed.",
  },
  postern_attempts_within: {
    labels: ["shard", "seconds"],
    unit: "attempts",
    help: "Attempts of that hour that were answered within this many seconds; +Inf includes timeouts.",
  },
  postern_attempts_hour_timestamp_seconds: {
    labels: ["shard"],
    unit: "Unix time",
    help: "When that hour began.",
  },
  postern_cron_age_seconds: {
    labels: [],
    unit: "seconds",
    help: "How long ago the cron trigger of every minute began its work; missing before its first run.",
  },
  postern_queue_backlog: {
    labels: ["queue"],
    unit: "messages",
    help:
      "Messages that wait in the queue: deliveries, deliveries-slow or mail, and deliveries-n and deliveries-n-slow " +
      "for a delivery database with queues of its own.",
  },
  postern_queue_oldest_seconds: {
    labels: ["queue"],
    unit: "seconds",
    help: "The age of the oldest message in the queue; missing if there is none.",
  },
  postern_dead_letters: {
    labels: ["queue"],
    unit: "messages",
    help: "Messages that the queue gave up in this hour and the previous one: deliveries or mail.",
  },
  postern_connections: {
    labels: ["kind", "state"],
    unit: "connections",
    help:
      "Connections to identity providers of tenants: draft, ready, active or disabled, where sign-on is on. At most " +
      "500 are counted.",
  },
  postern_directory_records: {
    labels: ["state"],
    unit: "people",
    help: "People whom the directories of the first 500 connections have: active, inactive or held.",
  },
  postern_sign_on_refused_last_hour: {
    labels: [],
    unit: "sign-ons",
    help: "Sign-ons of the last 60 minutes that were refused, where sign-on is on. At most 500 are counted.",
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;
