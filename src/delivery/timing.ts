/** Every delay in the life of a delivery. */

/** The sweep re-queues a delivery whose message has not arrived after this time. */
export const QUEUE_GRACE_MS = 30_000;
