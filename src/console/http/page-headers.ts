/** The headers of the console's pages. */
import type { MiddlewareHandler } from "hono";
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

/** What a page may use of the browser: passkeys, and the clipboard for its copy buttons. */
const PERMISSIONS = {
  publickeyCredentialsCreate: ["self"],
  publickeyCredentialsGet: ["self"],
  clipboardWrite: ["self"],
  camera: [],
  displayCapture: [],
  geolocation: [],
  microphone: [],
  payment: [],
  usb: [],
};

/** Only the named policy of console.browser.js makes HTML of text. The script of Turnstile has no policy. */
const TRUSTED_TYPES = { requireTrustedTypesFor: ["'script'"], trustedTypes: ["postern"] };

const WITH_TURNSTILE = { scriptSrc: [NONCE, TURNSTILE_ORIGIN], frameSrc: [TURNSTILE_ORIGIN] };

/** The policies by what a page loads from elsewhere. */
const policies = new Map<string, MiddlewareHandler>();

function policyFor(hasCaptcha: boolean, logoOrigin: string | null): MiddlewareHandler {
  const key = `${hasCaptcha} ${logoOrigin}`;
  const known = policies.get(key);
  if (known) return known;
  const policy = secureHeaders({
    permissionsPolicy: PERMISSIONS,
    contentSecurityPolicy: {
      ...DIRECTIVES,
      ...(logoOrigin === null ? {} : { imgSrc: ["'self'", logoOrigin] }),
      ...(hasCaptcha ? WITH_TURNSTILE : TRUSTED_TYPES),
    },
  });
  policies.set(key, policy);
  return policy;
}

/**
 * A page loads from our own host only, and runs only the script and the style sheet that carry its nonce. Where
 * Turnstile is set up, the pages with its widget load that too, and all pages load the logo of the brand.
 */
export const contentSecurityPolicy = createMiddleware<AppEnv>((c, next) => {
  const { logoUrl } = c.get("deps").config.brand;
  return policyFor(mayShowCaptcha(c), logoUrl === null ? null : new URL(logoUrl).origin)(c, next);
});

/** Pages show personal data, so no cache may store them; the assets set a `Cache-Control` of their own. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
});
