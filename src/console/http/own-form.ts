/** Protection against cross-site request forgery: a write must come from a form on one of our own pages. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";

/** The runtime's form parser throws on any charset but UTF-8. */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset=utf-8\s*)?$/i;

/** 403 for a write from another origin, 415 for one that is not a form. */
export const ownFormOnly = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    if (!isSameOrigin(c)) throw new AppError("FORBIDDEN", { message: "This form was not sent from one of our pages." });
    const type = c.req.header("content-type");
    if (type !== undefined && !FORM_TYPE.test(type)) {
      throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the form as application/x-www-form-urlencoded." });
    }
  }
  await next();
});

/**
 * Browsers send `Origin: null` with our forms, because pages have `Referrer-Policy: no-referrer`. Then `Sec-Fetch-Site`
 * decides, a header that no page can set. `hono/csrf` accepts a request when either header is good; here a bad one is
 * enough to refuse it.
 */
function isSameOrigin(c: Context<AppEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = c.req.header("origin");
  return origin === "null" || origin === undefined ? site === "same-origin" : origin === new URL(c.req.url).origin;
}
