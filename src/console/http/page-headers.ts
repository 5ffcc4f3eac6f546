/** The headers of the console's pages. */
import { createMiddleware } from "hono/factory";
import { NONCE, secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "../../platform/http/env";
import { mayShowCaptcha } from "./captcha";

const DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: [NONCE],
  styleSrc: [NONCE],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

const TURNSTILE_ORIGIN = "https://challenges.cloudflare.com";

const ownOnly = secureHeaders({ contentSecurityPolicy: DIRECTIVES });
const withTurnstile = secureHeaders({
  contentSecurityPolicy: {
    ...DIRECTIVES,
    scriptSrc: [NONCE, TURNSTILE_ORIGIN],
    frameSrc: [TURNSTILE_ORIGIN],
  },
});

/**
 * A page loads from our own host only, and runs only the script and the style sheet that carry its nonce. Where
 * Turnstile is set up, the pages with its widget load that too.
 */
export const contentSecurityPolicy = createMiddleware<AppEnv>((c, next) =>
  mayShowCaptcha(c) ? withTurnstile(c, next) : ownOnly(c, next),
);

/** Pages show personal data, so no cache may store them; the assets set a `Cache-Control` of their own. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
});
