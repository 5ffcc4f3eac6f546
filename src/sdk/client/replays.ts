/** Replays: sending the events of a period to a subscription again. */
import type { CallOptions } from "./call";
import type { Timestamp } from "./types";

/** Which events to count or to send again. */
export interface ReplayPeriod {
  /** ISO 8601 with any offset: events published then or later. Not before the oldest event that is kept. */
  since: string;
  /** ISO 8601 with any offset: events published before then; now unless given. */
  until?: string | undefined;
  /**
   * `failed`: deliveries that have failed, under the same `webhook-id`. `missing`: events that the subscription wants
   * today and was never sent, because it was paused or did not list the type. `all`: every event that it wants today,
   * under a new `webhook-id` and with the header `webhook-replay`.
   */
  which: "failed" | "missing" | "all";
  /** Only events of these types, 1 to 100. */
  eventTypes?: string[] | undefined;
  /** `missing` also sends events from before the subscription was created. */
  includeBefore?: boolean | undefined;
}

/** A replay to start. */
export interface NewReplay extends ReplayPeriod {
  /** How many deliveries are queued per minute, 1 to 6,000; 600 unless given. */
  ratePerMinute?: number | undefined;
}

/** A replay, and how far it has come. */
export interface Replay {
  id: string;
  webhookId: string;
  status: "running" | "finished" | "stopped";
  which: "failed" | "missing" | "all";
  since: Timestamp;
  until: Timestamp;
  eventTypes?: string[] | undefined;
  includeBefore?: boolean | undefined;
  ratePerMinute: number;
  /** How many deliveries it has queued so far. */
  queued: number;
  /** How far it has come, from `since` to `until`. */
  reached: Timestamp;
  createdAt: Timestamp;
  /** When it finished or was stopped. */
  endedAt?: Timestamp | undefined;
}

/** What a replay would send. */
export interface ReplayPreview {
  /** How many deliveries it would queue. */
  matched: number;
  /** True if there may be more: counting stops at 10,000 and at a bounded number of events. */
  isPartial: boolean;
}

/** Options of `client.webhooks.replay`. */
export interface ReplayOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters. For 24 hours the same key with the same body returns the first replay and
   * starts no other.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `client.webhooks.replays`. */
export interface ReplayListOptions extends CallOptions {
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}
