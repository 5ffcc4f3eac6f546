/** Why a delivery was refused. */
const REASONS = {
  MISSING_HEADER: "A header is missing.",
  MALFORMED_TIMESTAMP: "The header webhook-timestamp is not a number of seconds.",
  TIMESTAMP_TOO_OLD: "The delivery was signed too long ago.",
  TIMESTAMP_TOO_NEW: "The delivery was signed in the future: one of the clocks is wrong.",
  SIGNATURE_MISMATCH: "No secret gives this signature.",
  BODY_TOO_LARGE: "The body is too large.",
  BODY_ALREADY_READ: "The body was read before: verify first, or give the bytes as they came.",
  MALFORMED_BODY: "The body is not JSON in UTF-8.",
} as const;

export type DeliveryErrorReason = keyof typeof REASONS;

/** The request is no delivery to act on; `reason` says why, for a log. */
export class DeliveryError extends Error {
  readonly reason: DeliveryErrorReason;

  constructor(reason: DeliveryErrorReason, message: string = REASONS[reason]) {
    super(message);
    this.name = "DeliveryError";
    this.reason = reason;
  }
}
