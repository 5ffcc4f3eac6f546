/** Which pages of other origins may read an answer (the Fetch standard's CORS protocol). */
import type { HonoRequest, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Config } from "../config/config";
import type { Access } from "../operation";

const MAX_AGE_SECONDS = 600;
const LIMIT_HEADERS = ["X-Request-Id", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Documents that say the same to everybody are read without credentials, so any page may read them. */
const PUBLIC = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD"],
  allowHeaders: ["If-None-Match"],
  exposeHeaders: ["ETag", ...LIMIT_HEADERS],
  maxAge: MAX_AGE_SECONDS,
});

/** What apps call from the browser, with their own credentials. */
const FOR_APPS = cors({
  origin: "*",
  allowMethods: ["GET", "POST"],
  allowHeaders: ["Authorization", "Content-Type", "DPoP"],
  exposeHeaders: ["WWW-Authenticate", "DPoP-Nonce", ...LIMIT_HEADERS],
  maxAge: MAX_AGE_SECONDS,
});

/** Programs send no origin, so nobody needs the other headers; a cache learns that pages get another answer. */
const FOR_PROGRAMS: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("Vary", "Origin", { append: true });
};

/** Answers preflights too, by the request that they announce. */
export function corsOf(
  request: HonoRequest,
  access: Access,
  { corsOrigins, portalOrigins }: Config,
): MiddlewareHandler {
  if (access.isPublicDocument) return PUBLIC;
  if (access.isOpenToAllOrigins) return FOR_APPS;
  if (request.method !== "OPTIONS" && request.header("origin") === undefined) return FOR_PROGRAMS;
  const withCookies = access.takesCookiesAcrossOrigins === true;
  const isAllowed = (origin: string) =>
    corsOrigins.includes(origin) || (!withCookies && portalOrigins.includes(origin));
  return cors({
    origin: (origin) => (isAllowed(origin) ? origin : null),
    allowHeaders: [
      "Authorization",
      "Content-Type",
      "Idempotency-Key",
      "If-None-Match",
      "Postern-Tenant",
      "traceparent",
      "X-API-Key",
      "X-Request-Id",
    ],
    exposeHeaders: ["ETag", ...LIMIT_HEADERS, "X-Postern-Warning", "Deprecation"],
    maxAge: MAX_AGE_SECONDS,
    // Cookies bind a sign-in with a provider to one browser.
    credentials: withCookies,
  });
}
