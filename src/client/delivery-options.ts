/** How a subscription's deliveries are sent. */

/** The options to change: what is left out stays as it is, null sets the default. */
export interface DeliveryChange {
  /** When failed deliveries are tried again. */
  retry?: RetryChange | null | undefined;
  /**
   * The signatures in `webhook-signature`: of the secret (`"v1"`, the default), or also of an Ed25519 key (`"v1+v1a"`), whose public key
   * is at `/.well-known/webhook-keys/<id>`.
   */
  signature?: "v1" | "v1+v1a" | null | undefined;
}

export interface RetryChange {
  /**
   * The waits before the second, third, ... attempt, in whole seconds: up to 20 of 1 to 86,400, together at most 604,800 and one day
   * less than deliveries are kept. `"standard"` makes 10 attempts within 75 hours. By default `[5, 10]`.
   */
  schedule?: number[] | "standard" | null | undefined;
  /**
   * Whether `Retry-After` can make a wait longer, up to a day, and whether 429 and 503 with it hold back all deliveries of the subscription
   * for up to an hour. By default only with a schedule.
   */
  respectRetryAfter?: boolean | null | undefined;
  /**
   * What 410 does. `disable` ends the delivery; a second 410, a minute or more later and without a success between, disables the
   * subscription. By default `disable` with a schedule, otherwise `retry`.
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
}

export interface RetryOptions {
  /** The waits between attempts, in seconds. */
  schedule?: number[] | undefined;
  respectRetryAfter?: boolean | undefined;
  onGone?: "disable" | "retry" | undefined;
  abortHeader?: boolean | undefined;
}
