/** The console's door: what a page may load, where a write may come from, and who is let in. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { randomBytes, toBase64 } from "../../crypto/encoding";
import { AppError } from "../../errors";
import type { AppEnv } from "../../http/env";
import { authenticateVisitor, type Visitor } from "../../sessions/authenticate";
import { dropCookie, takeCookie } from "./cookies";

export const CONSOLE = "/console";
const NONCE_BYTES = 16;
/** It travels in a cookie between password and code. */
const MAX_PATH_CHARACTERS = 1_000;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Our own host only, and of its scripts and styles only those that the page names. */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Makes the page's nonce and guards whatever page comes of it. */
export const pageHeaders = createMiddleware<AppEnv>(async (c, next) => {
  const nonce = toBase64(randomBytes(NONCE_BYTES));
  c.set("nonce", nonce);
  await next();
  c.res.headers.set("Content-Security-Policy", policy(nonce));
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
});

/** 403 for a write that another site's page sent, 415 for one that is no form. */
export const ownForms = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    if (!comesFromUs(c)) throw new AppError("FORBIDDEN", { message: "This form was not sent by the console." });
    const type = c.req.header("content-type");
    if (type !== undefined && !FORM_TYPE.test(type)) {
      throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the form as application/x-www-form-urlencoded." });
    }
  }
  await next();
});

/**
 * `Origin` names us; or it is `null`, which `Referrer-Policy: no-referrer` makes of it, and the browser says `same-origin` in
 * `Sec-Fetch-Site`, which no page can set.
 */
function comesFromUs(c: Context<AppEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = c.req.header("origin");
  return origin === "null" || origin === undefined ? site === "same-origin" : origin === new URL(c.req.url).origin;
}

/** Who has a live session, for pages that anybody may see; null when nobody does. */
export async function peekVisitor(c: Context<AppEnv>): Promise<Visitor | null> {
  const token = takeCookie(c, "session");
  return token === undefined ? null : authenticateVisitor(c.get("deps"), token);
}

/** Lets in whoever has a live session; others go to the sign-in page, and back when they came to read. */
export const requireVisitor = createMiddleware<AppEnv>(async (c, next) => {
  const visitor = await peekVisitor(c);
  if (!visitor) {
    if (takeCookie(c, "session") !== undefined) dropCookie(c, "session");
    return c.redirect(signInPath(c), 303);
  }
  c.set("visitor", visitor);
  c.set("principal", visitor.principal);
  await next();
});

function signInPath(c: Context<AppEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  const isHome = pathname === CONSOLE;
  if (c.req.method !== "GET" || isHome) return `${CONSOLE}/sign-in`;
  return `${CONSOLE}/sign-in?to=${encodeURIComponent(pathname + search)}`;
}

/** A path of the console to go on to; anything else, another site above all, becomes the overview. */
export const safePath = (path: string): string =>
  path.length <= MAX_PATH_CHARACTERS && /^\/console(\/[\w/.-]*)?(\?[\w=&.%-]*)?$/.test(path) ? path : CONSOLE;
