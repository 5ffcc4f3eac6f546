/** Every error becomes the same response body: `{ code, message, requestId, details? }`. */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ConfigError } from "../config/config-error";
import { isTransient } from "../db/faults";
import { AppError, unavailable } from "../errors";
import { describeError, log } from "../log/log";
import type { AppEnv } from "./env";

/** Answers in the one shape of errors. What is not an `AppError` becomes one by `toAppError`. */
export function errorResponse(c: Context<AppEnv>, error: unknown): Response {
  const failure = toAppError(c, error);
  const body = {
    code: failure.code,
    message: failure.message,
    requestId: c.get("clientRequestId") ?? c.get("requestId"),
    ...(failure.details ? { details: failure.details } : {}),
  };
  return c.json(body, failure.status as ContentfulStatusCode, failure.headers);
}

const idsOf = (c: Context<AppEnv>) => ({ requestId: c.get("requestId"), clientRequestId: c.get("clientRequestId") });

/**
 * The error that the client sees. An unexpected one is logged with its stack and becomes INTERNAL_ERROR, which reveals
 * nothing.
 */
export function toAppError(c: Context<AppEnv>, error: unknown): AppError {
  if (error instanceof AppError && error.code !== "INTERNAL_ERROR") return error;
  if (error instanceof HTTPException && error.status === 400) return new AppError("INVALID_JSON");
  if (isTransient(error)) {
    log("error", "database unavailable", { ...idsOf(c), ...describeError(error) });
    return unavailable({ cause: error });
  }
  if (!(error instanceof ConfigError)) {
    log("error", "unexpected error", { ...idsOf(c), ...describeError(error) });
  }
  return new AppError("INTERNAL_ERROR", { cause: error });
}
