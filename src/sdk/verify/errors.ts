/**
 * Why a delivery was refused. KEYS_UNAVAILABLE says nothing about the delivery itself: answer 503 then, and 400
 * otherwise.
 */
export type DeliveryErrorReason =
  | "MISSING_HEADER"
  | "MALFORMED_TIMESTAMP"
  | "TIMESTAMP_TOO_OLD"
  | "TIMESTAMP_TOO_NEW"
  | "SIGNATURE_MISMATCH"
  | "KEYS_UNAVAILABLE"
  | "BODY_TOO_LARGE"
  | "BODY_ALREADY_READ"
  | "MALFORMED_BODY";

const MESSAGES: Record<DeliveryErrorReason, string> = {
  MISSING_HEADER: "A header is missing.",
  MALFORMED_TIMESTAMP: "The header webhook-timestamp is not a number of seconds.",
  TIMESTAMP_TOO_OLD: "The delivery was signed too long ago.",
  TIMESTAMP_TOO_NEW: "The delivery was signed in the future: one of the clocks is wrong.",
  SIGNATURE_MISMATCH: "None of the keys has made this signature.",
  KEYS_UNAVAILABLE: "The public keys could not be fetched.",
  BODY_TOO_LARGE: "The body is too large.",
  BODY_ALREADY_READ: "The body has been read already: verify first, or pass the bytes as they came.",
  MALFORMED_BODY: "The body is not JSON in UTF-8.",
};

/**
 * The request is not known to be a genuine delivery: do not act on it. `reason` is for a log.
 *
 * @example
 * try {
 *   const delivery = await verifyDelivery(request, secret);
 * } catch (error) {
 *   if (!(error instanceof DeliveryError)) throw error;
 *   return new Response(error.reason, { status: error.reason === "KEYS_UNAVAILABLE" ? 503 : 400 });
 * }
 */
export class DeliveryError extends Error {
  readonly reason: DeliveryErrorReason;

  /** `message` replaces the usual one for the reason. */
  constructor(reason: DeliveryErrorReason, options: { message?: string; cause?: unknown } = {}) {
    super(options.message ?? MESSAGES[reason], { cause: options.cause });
    this.name = "DeliveryError";
    this.reason = reason;
  }
}
