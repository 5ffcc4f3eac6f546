/** The messages of the log about events, deliveries and subscriptions; see log-lines.ts. */
import type { LogLine } from "./log-levels";

export const DELIVERY_LOG_LINES = {
  attempt: {
    level: ["info", "warn"],
    meaning:
      "An attempt ended, with a warning if it failed. `reason` says why it failed. `interrupted` means that its " +
      "consumer died; such an attempt does not count.",
  },
  "deliveries swept": {
    level: "warn",
    meaning: "Deliveries were overdue and have been queued again.",
    advice: "Nothing, unless it persists.",
  },
  "fan-outs swept": {
    level: "warn",
    meaning: "Fan-outs to more than 500 subscriptions had stopped and now continue.",
    advice: "Nothing, unless it persists.",
  },
  "fan-out held up": {
    level: "error",
    meaning: "One page of a fan-out failed and will be tried again.",
    advice: "Nothing, unless it persists.",
  },
  "batch not claimed": {
    level: "error",
    meaning: "D1 failed before anything was sent. The messages return in 5 seconds.",
    advice: "Check D1.",
  },
  "listener not reached": {
    level: "warn",
    meaning: "The Durable Object of a listener failed. The delivery waits 30 seconds and uses up no attempt.",
    advice: "Nothing, unless it persists.",
  },
  "listener not noted": {
    level: "error",
    meaning:
      "The Durable Object of a listener could not write whether it has a socket, or could not read whether its user " +
      "may still listen. It tries again after five seconds.",
    advice: "Check D1.",
  },
  "owners not read": {
    level: "warn",
    meaning:
      "D1 did not say whether the tenants of `count` deliveries have verified owners, so they count as on trial.",
    advice: "Nothing, unless it persists.",
  },
  "throttle not reached": {
    level: "warn",
    meaning:
      "The Durable Object of a limited subscription failed. Its `count` deliveries wait 5 seconds; nothing is " +
      "sent without it.",
    advice: "Nothing, unless it persists.",
  },
  "no delivery called to a permit": {
    level: "warn",
    meaning: "D1 failed when a request of a subscription with `maxConcurrent` had ended. The next one starts later.",
    advice: "Nothing, unless it persists.",
  },
  "subscriptions not read again": {
    level: "error",
    meaning: "D1 failed before anything was sent. The deliveries return to their queue.",
    advice: "Check D1.",
  },
  "attempts not recorded": {
    level: "error",
    meaning: "D1 failed three times after the deliveries were sent. The sweep will send them again.",
    advice: "Check D1.",
  },
  "delivery could not be sent": {
    level: "error",
    meaning:
      "A secret could not be decrypted, or the runtime failed. Tried again after 5 minutes or 30 s; uses up " +
      "no attempt.",
    advice: "[Put the key back](#key-rotation).",
  },
  "delivery not sent": {
    level: "error",
    meaning: "A fault of the consumer. The sweep sends the delivery again.",
    advice: "Report it.",
  },
  "messages not sent": {
    level: "error",
    meaning: "The queue was down when retries were due. The sweep finds them.",
    advice: "Nothing, unless it persists.",
  },
  "deliveries with an attempt that has ended": {
    level: "error",
    meaning: "A delivery waited for an attempt that had ended; it was given a new one.",
    advice: "Report it.",
  },
  "sweep failed": {
    level: "error",
    meaning: "D1 or a queue failed. The next sweep runs within 15 seconds.",
    advice: "Check D1.",
  },
  "replay held up": {
    level: "error",
    meaning: "D1 or the queue failed during a replay. It continues at its cursor within 15 seconds.",
    advice: "Check D1.",
  },
  "upkeep not started": {
    level: "error",
    meaning:
      "The [upkeep object](#upkeep) of a database could not be reached. The cron tries again every minute, and for " +
      "the hourly jobs every hour.",
    advice: "Nothing, unless it persists.",
  },
  "upkeep failed": {
    level: "error",
    meaning: "D1 or a queue failed in `job`. Within a minute, the job continues where it was.",
    advice: "Check D1.",
  },
  "more than 1,000 statements in an invocation": {
    level: "warn",
    meaning: "An invocation sent D1 more statements than it may send queries, should those of a batch count.",
    advice: "Report it. If D1 refuses the others, the work goes on in the next run.",
  },
  "upkeep does not keep up": {
    level: "warn",
    meaning: "`job` of a database has not ended within an hour. It goes on.",
    advice: "If it persists, [add a delivery database](#delivery-databases) or lower `RETENTION_DAYS`.",
  },
  "sweeper not started": {
    level: "error",
    meaning: "The Durable Object that sweeps a database could not be reached. The cron tries again every minute.",
    advice: "Nothing, unless it persists.",
  },
  "held deliveries not released": {
    level: "error",
    meaning: "D1 failed. The next try is a minute later.",
    advice: "Check D1.",
  },
  "held deliveries dropped": {
    level: "warn",
    meaning:
      "A subscription held more than 100,000 deliveries or some older than the retention, or a user dropped them.",
  },
  "expired signing keys removed": {
    level: "info",
    meaning: "`count` former secrets and Ed25519 keys have expired; their secrets were removed.",
  },
  "old rows removed": { level: "info", meaning: "`count` rows of `table` older than `RETENTION_DAYS` were removed." },
  "signing keys could not be removed": {
    level: "error",
    meaning: "D1 failed while expired signing keys were removed. They sign nothing any more.",
    advice: "Check D1.",
  },
} as const satisfies Record<string, LogLine>;
