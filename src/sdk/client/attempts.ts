/** The delivery log: attempts to deliver, and their counts. */
import type { Timestamp } from "./types";

/** The summary of an attempt, as the list of a delivery's attempts has it. */
export interface AttemptSummary {
  _id: string;
  status: "failed" | "pending" | "success";
  /** The HTTP status of the subscriber; missing when it did not answer. */
  responseCode?: number | undefined;
  /** Why it failed, such as `timeout`. */
  error?: string | undefined;
  /** 1 for the first attempt of its delivery. */
  attemptCount: number;
  attemptedAt: Timestamp;
  completedAt?: Timestamp | undefined;
}

/** One attempt to deliver an event: one row of the delivery log. */
export interface Attempt extends AttemptSummary {
  webhookId: string;
  /** Sent as `webhook-id`, the same for every attempt of a delivery. */
  deliveryId: string;
  eventType: string;
  /**
   * What was sent: any JSON value. Null for `postern.audit`, and once the event has been removed because of its age.
   */
  payload: unknown;
  /** The first 16 KiB of the subscriber's answer. */
  responseBody?: string | undefined;
}

/** One attempt with its headers and the other attempts of its delivery. */
export interface AttemptDetail extends Attempt {
  eventId: string;
  /** What its delivery was queued for: an event, a manual retry, a test, or a replay of all events. */
  kind: "event" | "retry" | "test" | "replay";
  /** Of the event. */
  correlationId?: string | undefined;
  /**
   * As sent, signed again with the keys of that time; missing while the attempt is pending, and if nothing was sent.
   */
  headers?: Record<string, string> | undefined;
  /**
   * Why `headers` lacks a signature that was sent: since then, a key has ended, the subscription's signature or format
   * was changed, or the event, which was signed, was removed because of its age.
   */
  missingSignatures?: "secret-ended" | "settings-changed" | "event-removed" | undefined;
  /** All attempts of its delivery, oldest first, at most 50. */
  attempts: AttemptSummary[];
}

/** Which attempts of a log to return. */
export interface LogFilter {
  /** Attempts on a page, 1 to 100; 50 unless given. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
  status?: Attempt["status"] | undefined;
  eventType?: string | undefined;
  /** ISO 8601 with any offset: attempts that started then or later. */
  since?: string | undefined;
  /** ISO 8601 with any offset: attempts that started before then. */
  until?: string | undefined;
}

/** How many attempts a subscription has had, by status. */
export interface AttemptCounts {
  total: number;
  success: number;
  failed: number;
  pending: number;
  /** What waits because of the subscription's limits; missing if it has none. */
  throttle?: Throttle | undefined;
}

/** The deliveries that wait because of a subscription's limits. */
export interface Throttle {
  /** How many wait, at most 100,000. */
  waiting: number;
  /** ISO 8601: by when the first of them is sent; null if none waits. */
  nextSlotAt: Timestamp | null;
}

/** Which failed deliveries to send again. */
export interface RetryFailedRequest {
  /** ISO 8601 with any offset: deliveries of events published then or later. */
  since: string;
  /** The `nextCursor` of the previous result. */
  cursor?: string | undefined;
}

/** What `retryFailed` has queued. */
export interface RetryFailedResult {
  /** How many deliveries were queued, as a sentence for people. */
  message: string;
  /** Leads to the remaining deliveries; null when there are none. */
  nextCursor: string | null;
}
