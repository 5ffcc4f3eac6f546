/** Every failure of a call, as one class with a stable `code`. */
import type { ErrorCode, ErrorDetail } from "./types";

/** The service's codes, and three for calls that got no answer of the service. */
export type PosternErrorCode = ErrorCode | "NETWORK_ERROR" | "TIMEOUT" | "BAD_RESPONSE";

export interface PosternErrorFields {
  code: PosternErrorCode;
  message: string;
  /** The HTTP status; 0 when no answer came. */
  status: number;
  /** Names the request in the service's log. */
  requestId?: string | undefined;
  /** What is wrong with which field, for VALIDATION_FAILED. */
  details?: ErrorDetail[] | undefined;
  /** When to try again, for RATE_LIMITED, ACCOUNT_LOCKED and SERVICE_UNAVAILABLE. */
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** `switch` on `code`; `message` may be shown to people. */
export class PosternError extends Error {
  readonly code: PosternErrorCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: PosternErrorFields) {
    super(fields.message, { cause: fields.cause });
    this.name = "PosternError";
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.details = fields.details ?? [];
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}
