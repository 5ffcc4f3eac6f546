/** The headers of the console's pages. */
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { NONCE, secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "../../base/http/env";
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
const MAX_POLICIES = 80;
const policies = new Map<string, MiddlewareHandler>();

interface PageLoads {
  hasCaptcha: boolean;
  logoUrl: string | null;
  /** The origins whose pages may frame it. */
  framedBy: readonly string[];
}

/**
 * Lets pages show it in a frame that are isolated from other origins (`Cross-Origin-Embedder-Policy`). Few logos say
 * that other origins may load them, and without `credentialless` they would be missing; Safari does not know it, and
 * shows no such page in an isolated one.
 */
const forIsolatedPages = (hasForeignLogo: boolean) => ({
  crossOriginResourcePolicy: "cross-origin",
  crossOriginEmbedderPolicy: hasForeignLogo ? ("credentialless" as const) : ("require-corp" as const),
});

/** The headers of a page by what it loads and who may frame it. */
export function policyFor({ hasCaptcha, logoUrl, framedBy }: PageLoads): MiddlewareHandler {
  const logoOrigin = logoUrl === null ? null : new URL(logoUrl).origin;
  const key = `${hasCaptcha} ${logoOrigin} ${framedBy.join()}`;
  const known = policies.get(key);
  if (known) return known;
  const isFramed = framedBy.length > 0;
  const policy = secureHeaders({
    xFrameOptions: !isFramed,
    ...(isFramed ? forIsolatedPages(logoOrigin !== null) : {}),
    permissionsPolicy: PERMISSIONS,
    contentSecurityPolicy: {
      ...DIRECTIVES,
      ...(logoOrigin === null ? {} : { imgSrc: ["'self'", logoOrigin] }),
      ...(isFramed ? { frameAncestors: [...framedBy] } : {}),
      ...(hasCaptcha ? WITH_TURNSTILE : TRUSTED_TYPES),
    },
  });
  // A portal's customers choose their logos.
  if (policies.size < MAX_POLICIES) policies.set(key, policy);
  return policy;
}

/**
 * A page loads from our own host only, and runs only the script and the style sheet that carry its nonce. Where
 * Turnstile is set up, the pages with its widget load that too, and all pages load the logo of the brand.
 */
export const contentSecurityPolicy = createMiddleware<AppEnv>((c, next) => {
  const { logoUrl } = c.get("deps").config.brand;
  return policyFor({ hasCaptcha: mayShowCaptcha(c), logoUrl, framedBy: [] })(c, next);
});

/** Pages show personal data, so no cache may store them; the assets set a `Cache-Control` of their own. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
});
