/** The values of an attempt's `error`, besides `status` with a number and the connection errors. */

export const TIMED_OUT = "timeout";
export const CONNECTION_LOST = "connection refused or lost";
export const CONNECTION_FAILED = "connection failed: unknown host or no TLS";
/** The subscription was paused when the attempt was due. Nothing was sent. */
export const PAUSED = "paused";
/** The consumer died during the attempt. Nobody knows whether it was sent. */
export const INTERRUPTED = "interrupted";
/** The answer was 410, which ended the delivery. */
export const GONE = "gone";
/** The answer had the header `webhook-delivery: abort`, which ended the delivery. */
export const ABORTED = "aborted";
/** The schedule was shortened while the delivery waited, so no attempt was left. Nothing was sent. */
export const EXHAUSTED = "exhausted";
/** The delivery was held for too long, or as one of too many. Nothing was sent. */
export const HOLD_OVERFLOW = "hold overflow";
/** A user enabled the subscription without what it held. Nothing was sent. */
export const DROPPED = "dropped";
const BLOCKED = "blocked address: ";

const NOT_SENT: readonly string[] = [PAUSED, INTERRUPTED, EXHAUSTED, HOLD_OVERFLOW, DROPPED];

/** Returns the `error` of an attempt whose URL may not be called. Nothing was sent. */
export const blocked = (refusal: string) => `${BLOCKED}${refusal}`;

/** Whether an attempt that ended with this `error` tried to send its request; null stands for a success. */
export const wasSent = (error: string | null) =>
  error === null || !(NOT_SENT.includes(error) || error.startsWith(BLOCKED));
