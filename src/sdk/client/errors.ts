/** Every failure of a call, as one class with a stable `code`. */

/** The codes that the service answers with; its page `/docs/errors` explains each, at the `docsUrl` of the error. */
export type ErrorCode =
  | "VALIDATION_FAILED"
  | "INVALID_JSON"
  | "INVALID_TOKEN"
  | "TOKEN_EXPIRED"
  | "TWO_FACTOR_ALREADY_ENABLED"
  | "TWO_FACTOR_NOT_STARTED"
  | "TWO_FACTOR_NOT_ENABLED"
  | "UNAUTHENTICATED"
  | "WRONG_PASSWORD"
  | "INVALID_TOTP"
  | "INVALID_CODE"
  | "REFRESH_TOKEN_INVALID"
  | "REFRESH_TOKEN_EXPIRED"
  | "REFRESH_TOKEN_REUSED"
  | "FORBIDDEN"
  | "EMAIL_NOT_VERIFIED"
  | "CAPTCHA_REQUIRED"
  | "TOTP_REQUIRED"
  | "STEP_UP_REQUIRED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONFLICT"
  | "LAST_OWNER"
  | "EMAIL_TAKEN"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "ACCOUNT_LOCKED"
  | "RATE_LIMITED"
  | "INTERNAL_ERROR"
  | "SERVICE_UNAVAILABLE";

/**
 * The service's codes, and three for calls that the service did not answer: NETWORK_ERROR (no response), TIMEOUT (no
 * response within `timeoutMs`), BAD_RESPONSE (a response that is not the service's, such as a proxy's error page).
 */
export type PosternErrorCode = ErrorCode | "NETWORK_ERROR" | "TIMEOUT" | "BAD_RESPONSE";

/** What is wrong with one field of a request. */
export interface ErrorDetail {
  /** Where the field is in the body, such as `events.0`. */
  path: string;
  /** Why it was refused, for people. */
  message: string;
}

/** What a `PosternError` is made from; useful in your own tests. */
export interface PosternErrorFields {
  code: PosternErrorCode;
  message: string;
  /** The HTTP status; 0 when there was no response. */
  status: number;
  /** Identifies the request in the service's log. */
  requestId?: string | undefined;
  /** What is wrong with which field, for VALIDATION_FAILED. */
  details?: ErrorDetail[] | undefined;
  /** When to try again, for RATE_LIMITED, ACCOUNT_LOCKED and SERVICE_UNAVAILABLE. */
  retryAfterSeconds?: number | undefined;
  /** The exception behind NETWORK_ERROR and TIMEOUT. */
  cause?: unknown;
  /** The address of the service, for `docsUrl`. */
  baseUrl?: string | undefined;
}

/**
 * What every method of the client throws. Switch on `code`; `message` is for people and may change.
 *
 * @example
 * try {
 *   await client.auth.login({ email, password });
 * } catch (error) {
 *   if (!(error instanceof PosternError)) throw error;
 *   if (error.code === "TOTP_REQUIRED") return askForCode();
 *   if (error.code === "RATE_LIMITED") return waitSeconds(error.retryAfterSeconds);
 *   showMessage(error.message);
 * }
 */
export class PosternError extends Error {
  readonly code: PosternErrorCode;
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** What is wrong with which field; empty unless the code is VALIDATION_FAILED. */
  readonly details: ErrorDetail[];
  /** When to try again, if the service said so. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * Where the documentation of the service explains the code, such as
   * `https://postern.example.com/docs/errors#RATE_LIMITED`.
   */
  readonly docsUrl: string;

  constructor(fields: PosternErrorFields) {
    super(fields.message, { cause: fields.cause });
    this.name = "PosternError";
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.details = fields.details ?? [];
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.docsUrl = `${fields.baseUrl ?? ""}/docs/errors#${fields.code}`;
  }
}
