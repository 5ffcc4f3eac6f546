/**
 * Our cookies. The `__Host-` prefix binds them to this host and to https. On localhost without TLS it is left out,
 * because some browsers refuse it there.
 */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Cookies } from "../operation";
import type { AppEnv } from "./env";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

function prefixFor(c: Context<AppEnv>): "host" | undefined {
  const { protocol, hostname } = new URL(c.req.url);
  return protocol === "http:" && LOOPBACK.test(hostname) ? undefined : "host";
}

/** In a frame of another site, browsers keep only such a cookie. */
const FRAMED = { sameSite: "None", secure: true, partitioned: true } as const;

function options(c: Context<AppEnv>, isFramed: boolean) {
  const prefix = prefixFor(c);
  return { ...(prefix ? { prefix } : {}), ...(isFramed ? FRAMED : { sameSite: "Lax" as const }) };
}

/**
 * Sets a cookie that scripts can't read; without `expiresAt` (Unix ms) the browser drops it when it closes. `isFramed`:
 * for pages in a frame of another site.
 */
export function setOwnCookie(
  c: Context<AppEnv>,
  name: string,
  value: string,
  expiresAt?: number,
  isFramed = false,
): void {
  setCookie(c, `postern-${name}`, value, {
    ...options(c, isFramed),
    httpOnly: true,
    ...(expiresAt === undefined ? {} : { expires: new Date(expiresAt) }),
  });
}

export function getOwnCookie(c: Context<AppEnv>, name: string): string | undefined {
  return getCookie(c, `postern-${name}`, prefixFor(c));
}

export function deleteOwnCookie(c: Context<AppEnv>, name: string, isFramed = false): void {
  deleteCookie(c, `postern-${name}`, options(c, isFramed));
}

/** Our cookies, for an operation that knows nothing of HTTP. */
export const cookiesOf = (c: Context<AppEnv>): Cookies => ({
  get: (name) => getOwnCookie(c, name),
  set: (name, value, expiresAt) => setOwnCookie(c, name, value, expiresAt),
  delete: (name) => deleteOwnCookie(c, name),
});
