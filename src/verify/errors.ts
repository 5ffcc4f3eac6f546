/** Why a delivery was refused. */
export type DeliveryErrorReason =
  | "MISSING_HEADER"
  | "MALFORMED_TIMESTAMP"
  | "TIMESTAMP_TOO_OLD"
  | "TIMESTAMP_TOO_NEW"
  | "SIGNATURE_MISMATCH"
  | "BODY_TOO_LARGE"
  | "BODY_ALREADY_READ"
  | "MALFORMED_BODY";

const MESSAGES: Record<DeliveryErrorReason, string> = {
  MISSING_HEADER: "A header is missing.",
  MALFORMED_TIMESTAMP: "The header webhook-timestamp is not a number of seconds.",
  TIMESTAMP_TOO_OLD: "The delivery was signed too long ago.",
  TIMESTAMP_TOO_NEW: "The delivery was signed in the future: one of the clocks is wrong.",
  SIGNATURE_MISMATCH: "None of the secrets gives this signature.",
  BODY_TOO_LARGE: "The body is too large.",
  BODY_ALREADY_READ: "The body has been read already: verify first, or pass the bytes as they came.",
  MALFORMED_BODY: "The body is not JSON in UTF-8.",
};

/**
 * The request is not a genuine delivery: answer 400 and do not act on it. `reason` is for a log.
 *
 * @example
 * try {
 *   const delivery = await verifyDelivery(request, secret);
 * } catch (error) {
 *   if (error instanceof DeliveryError) return new Response(error.reason, { status: 400 });
 *   throw error;
 * }
 */
export class DeliveryError extends Error {
  readonly reason: DeliveryErrorReason;

  /** Takes a message of its own instead of the usual one for the reason. */
  constructor(reason: DeliveryErrorReason, message: string = MESSAGES[reason]) {
    super(message);
    this.name = "DeliveryError";
    this.reason = reason;
  }
}
