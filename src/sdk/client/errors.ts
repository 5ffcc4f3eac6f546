/** Every failure of a call, as one class with a stable `code`. */
import type { ErrorCode, ErrorDetail } from "./generated";

/**
 * The service's codes, and three for calls that the service did not answer: NETWORK_ERROR (no response), TIMEOUT (no
 * response within `timeoutMs`), BAD_RESPONSE (a response that is not the service's, such as a proxy's error page).
 */
export type PosternErrorCode = ErrorCode | "NETWORK_ERROR" | "TIMEOUT" | "BAD_RESPONSE";

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
