/** Whatever was raised becomes the one body: `{ code, message, requestId, details? }`. */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ConfigError } from "../config";
import { AppError } from "../errors";
import { describeError, log } from "../log";
import type { AppEnv } from "./env";

/** The error response of `error`; unexpected ones are logged with their stack and tell the client nothing. */
export function errorResponse(c: Context<AppEnv>, error: unknown): Response {
  const failure = toAppError(error);
  const requestId = c.get("requestId");
  if (failure.code === "INTERNAL_ERROR" && !(error instanceof ConfigError)) {
    log("error", "unexpected error", { requestId, ...describeError(error) });
  }
  const body = {
    code: failure.code,
    message: failure.message,
    requestId,
    ...(failure.details ? { details: failure.details } : {}),
  };
  return c.json(body, failure.status as ContentfulStatusCode, failure.headers);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HTTPException && error.status === 400) return new AppError("INVALID_JSON");
  return new AppError("INTERNAL_ERROR", { cause: error });
}
