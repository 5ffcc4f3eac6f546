/** Redirecting to the page that confirms the session. */
import type { Context } from "hono";
import { AppError } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { redirectTo } from "./page";

/** Runs `work`. If the session must be confirmed first, redirects to that page, which leads to `to`. */
export async function orConfirm(c: Context<AppEnv>, to: string, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "STEP_UP_REQUIRED") throw error;
    return redirectTo(c, `/security/confirm?to=${encodeURIComponent(to)}`);
  }
}
