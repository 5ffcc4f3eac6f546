/** Why an attempt failed without an answer, as its `error` tells. */

export const TIMED_OUT = "timeout";
/** It came due while its subscription was paused: nothing was sent. */
export const PAUSED = "paused";
/** Its consumer died: nobody knows whether it was sent. */
export const INTERRUPTED = "interrupted";
const BLOCKED = "blocked address: ";

/** The target may not be called: nothing was sent. */
export const blocked = (refusal: string) => `${BLOCKED}${refusal}`;

/** Whether an attempt that ended with this `error` (null: a success) tried to send its request. */
export const wasSent = (error: string | null) =>
  error !== PAUSED && error !== INTERRUPTED && !error?.startsWith(BLOCKED);
