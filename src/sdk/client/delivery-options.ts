/** How a subscription's deliveries are sent. */

/** The options to change: what is left out stays as it is, null sets the default. */
export interface DeliveryChange {
  /** When failed deliveries are tried again. */
  retry?: RetryChange | null | undefined;
  /**
   * The signatures in `webhook-signature`: of the secret (`"v1"`, the default), or also of an Ed25519 key (`"v1+v1a"`),
   * whose public key is at `/.well-known/webhook-keys/<id>`.
   */
  signature?: "v1" | "v1+v1a" | null | undefined;
  /**
   * The body: the event's payload (`"payload"`, the default), or `{ type, timestamp, data }` with the payload as `data`
   * (`"standard"`). A change also applies to open deliveries, from their next attempt on.
   */
  format?: "payload" | "standard" | null | undefined;
  /**
   * Headers that each delivery carries, by name; null removes one, and those left out stay. At most 20, together 4 KiB.
   * When the URL's origin changes, each must be given again or set to null.
   */
  headers?: Record<string, string | null> | null | undefined;
  /**
   * After how many hours without a success it is disabled, 24 to 720, if at least 20 attempts have failed; false for
   * never. By default what the deployment sets, usually 120.
   */
  autoDisable?: false | { afterHours: number } | null | undefined;
  /**
   * What happens to events that are published while it is paused: they are not sent to it (`"skip"`, the default), or
   * their deliveries are held and sent when it is resumed (`"hold"`). At most 100,000 are held. A change applies from
   * the next pause on.
   */
  onPause?: "skip" | "hold" | null | undefined;
  /** The same choice for the time while the service has disabled it. With a `retry.schedule` it is always `"hold"`. */
  onDisable?: "skip" | "hold" | null | undefined;
  /**
   * The most requests that are sent in any second, minute or hour, retries and tests included. Further requests wait
   * and use no attempt. By default there is no limit.
   */
  rateLimit?: RateLimit | null | undefined;
  /** The most requests that are in progress at the same time: 1 to 100. By default there is no limit. */
  maxConcurrent?: number | null | undefined;
}

/** A number of requests per unit of time. */
export interface RateLimit {
  /** 1 to 10,000. */
  limit: number;
  per: "second" | "minute" | "hour";
}

/** How failed deliveries are tried again; null sets a member back to its default. */
export interface RetryChange {
  /**
   * The waits before the second, third, ... attempt, in whole seconds: up to 20 of 1 to 86,400. Together they are at
   * most 604,800, and at least one day shorter than the retention. `"standard"` makes 10 attempts within 75 hours. By
   * default `[5, 10]`.
   */
  schedule?: number[] | "standard" | null | undefined;
  /**
   * Whether `Retry-After` can make a wait longer, up to a day, and whether 429 and 503 with it hold back all deliveries
   * of the subscription for up to an hour. By default only with a schedule.
   */
  respectRetryAfter?: boolean | null | undefined;
  /**
   * What 410 does. `disable` ends the delivery; a second 410, a minute or more later and without a success between,
   * disables the subscription. By default `disable` with a schedule, otherwise `retry`.
   */
  onGone?: "disable" | "retry" | null | undefined;
  /** Whether the response header `webhook-delivery: abort` ends a delivery that failed. By default false. */
  abortHeader?: boolean | null | undefined;
}

/** The options that are set. */
export interface DeliveryOptions {
  retry?: RetryOptions | undefined;
  /** `"v1+v1a"`: an Ed25519 key signs too. */
  signature?: "v1" | "v1+v1a" | undefined;
  /** `"standard"`: the body is `{ type, timestamp, data }`. */
  format?: "payload" | "standard" | undefined;
  /**
   * The names of the headers that are set, with the end of values of 12 characters or more. Values are never returned.
   */
  headers?: Record<string, { set: true; last4?: string | undefined }> | undefined;
  /** After how many hours without a success it is disabled; false for never. */
  autoDisable?: false | { afterHours: number } | undefined;
  /** `"hold"`: events published during a pause are sent when it is resumed. */
  onPause?: "skip" | "hold" | undefined;
  /** `"hold"`: the same while the service has disabled it. */
  onDisable?: "skip" | "hold" | undefined;
  /** The most requests that are sent in any unit of time. */
  rateLimit?: RateLimit | undefined;
  /** The most requests that are in progress at the same time. */
  maxConcurrent?: number | undefined;
}

/** The retry options that are set. */
export interface RetryOptions {
  /** The waits between attempts, in seconds. */
  schedule?: number[] | undefined;
  respectRetryAfter?: boolean | undefined;
  onGone?: "disable" | "retry" | undefined;
  abortHeader?: boolean | undefined;
}
