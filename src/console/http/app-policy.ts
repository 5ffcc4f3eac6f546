/** What a page for an app may do beyond the console's: show the app's logo, or send a form to the app. */
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../base/http/env";

/** Stands before the policy, which is written after the page. */
export const widenPolicy = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const uses = c.get("pageUses");
  const policy = c.res.headers.get("Content-Security-Policy");
  if (!uses || policy === null) return;
  const { imageOrigin, anyFormAction } = uses;
  const shown =
    imageOrigin === undefined ? policy : policy.replace(/img-src [^;]*/, (images) => `${images} ${imageOrigin}`);
  c.res.headers.set("Content-Security-Policy", anyFormAction ? shown.replace(/form-action [^;]*; ?/, "") : shown);
});
