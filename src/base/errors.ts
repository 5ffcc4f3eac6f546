/** The errors that clients can receive: one table of codes, one class. `http/errors.ts` turns them into responses. */

const TABLE = {
  VALIDATION_FAILED: [400, "The request is not valid."],
  INVALID_JSON: [400, "The body is not valid JSON."],
  INVALID_TOKEN: [400, "Invalid or expired token."],
  TOKEN_EXPIRED: [400, "Token has expired."],
  TWO_FACTOR_ALREADY_ENABLED: [400, "Two-factor authentication is already enabled."],
  TWO_FACTOR_NOT_STARTED: [400, "Call POST /auth/2fa/enable first."],
  TWO_FACTOR_NOT_ENABLED: [400, "Two-factor authentication is not enabled."],
  UNAUTHENTICATED: [401, "Authentication required."],
  WRONG_PASSWORD: [401, "Current password is incorrect."],
  INVALID_TOTP: [401, "Invalid TOTP code."],
  INVALID_CODE: [401, "Invalid or expired code."],
  REFRESH_TOKEN_INVALID: [401, "Invalid refresh token."],
  REFRESH_TOKEN_EXPIRED: [401, "Refresh token has expired."],
  REFRESH_TOKEN_REUSED: [401, "Refresh token has already been used."],
  FORBIDDEN: [403, "You do not have permission to do this."],
  EMAIL_NOT_VERIFIED: [403, "Verify your email before logging in."],
  CAPTCHA_REQUIRED: [403, "Confirm that you are human."],
  NO_TENANT: [403, "You are a member of no tenant. Ask for an invitation."],
  TOTP_REQUIRED: [403, "Two-factor code required."],
  SECOND_FACTOR_REQUIRED: [
    403,
    "This tenant requires a second factor. Turn on two-factor authentication, or sign in or confirm with a passkey.",
  ],
  SIGN_ON_REQUIRED: [403, "Your organisation requires single sign-on."],
  STEP_UP_REQUIRED: [403, "Confirm your password to continue."],
  NOT_FOUND: [404, "Not found"],
  METHOD_NOT_ALLOWED: [405, "Method not allowed."],
  CONFLICT: [409, "Conflict."],
  LAST_OWNER: [409, "The last owner cannot leave. Make somebody else an owner first."],
  EMAIL_TAKEN: [409, "An account with this email already exists."],
  PAYLOAD_TOO_LARGE: [413, "The body is too large."],
  UNSUPPORTED_MEDIA_TYPE: [415, "Send the body as application/json."],
  ACCOUNT_LOCKED: [423, "Account locked. Try again later."],
  RATE_LIMITED: [429, "Too many requests. Try again later."],
  INTERNAL_ERROR: [500, "Internal error."],
  SERVICE_UNAVAILABLE: [503, "Temporarily unavailable. Try again later."],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof TABLE;
export const ERROR_CODES = Object.keys(TABLE) as [ErrorCode, ...ErrorCode[]];

/** The status of a code, and its message unless the error brings its own. */
export function describeCode(code: ErrorCode): { status: number; message: string } {
  const [status, message] = TABLE[code];
  return { status, message };
}

/** What is wrong with one field. `path` is its path in the body, such as `events.0`. */
export interface ErrorDetail {
  path: string;
  message: string;
}

interface ErrorOptions {
  message?: string;
  details?: ErrorDetail[];
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An error with a stable `code`. Code below the routes throws it; the error handler turns it into the response. */
export class AppError extends Error {
  readonly status: (typeof TABLE)[ErrorCode][0];
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    options: ErrorOptions = {},
  ) {
    super(options.message ?? TABLE[code][1], { cause: options.cause });
    this.name = "AppError";
    this.status = TABLE[code][0];
    this.details = options.details;
    this.headers = { ...options.headers };
    if (options.retryAfterSeconds !== undefined) this.headers["Retry-After"] = String(options.retryAfterSeconds);
  }
}

/** A 400 about one field. `path` is its path in the body, such as `events.0`. */
export const invalidField = (path: string, message: string): AppError =>
  new AppError("VALIDATION_FAILED", { details: [{ path, message }] });

/** Throws a 400 if there is anything wrong. */
export function refuseInvalid(details: ErrorDetail[]): void {
  if (details.length > 0) throw new AppError("VALIDATION_FAILED", { details });
}

/** Returns what was looked up. Throws NOT_FOUND if it is missing. */
export function orNotFound<T extends object>(row: T | null | undefined, thing: string): T {
  if (!row) throw notFound(thing);
  return row;
}

/** A 404 that is the same whether the thing is missing or belongs to another tenant. */
export function notFound(thing: string): AppError {
  return new AppError("NOT_FOUND", { message: `${thing} not found` });
}

/** A 409 for a change that was made while another one was. */
export const changedMeanwhile = (thing: string): AppError =>
  new AppError("CONFLICT", { message: `The ${thing} was changed at the same time. Try again.` });

const RETRY_WHEN_DOWN_SECONDS = 5;

/** A 503 for a part of the service that is down for now. */
export const unavailable = (options: Pick<ErrorOptions, "message" | "cause">) =>
  new AppError("SERVICE_UNAVAILABLE", { retryAfterSeconds: RETRY_WHEN_DOWN_SECONDS, ...options });

/** The 403 for actions that require a verified email address. */
export const emailNotVerified = () => new AppError("EMAIL_NOT_VERIFIED", { message: "Verify your email to go on." });

/** Who sends thousands of mistakes is told of these. */
const MAX_DETAILS = 100;

/**
 * A 400 with one detail for each of the first issues that zod found. `root` names what was validated when it is not the
 * body.
 */
export function invalid(error: { issues: { path: PropertyKey[]; message: string }[] }, root?: string): AppError {
  const details = error.issues.slice(0, MAX_DETAILS).map((issue) => ({
    path: [...(root === undefined ? [] : [root]), ...issue.path].map(String).join("."),
    message: issue.message,
  }));
  return new AppError("VALIDATION_FAILED", { details });
}
