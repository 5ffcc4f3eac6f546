/** The console's cookies. `__Host-` and Secure everywhere but on plain-http localhost, where not every browser takes them. */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppEnv } from "../../http/env";

/** The session, a sign-in that waits for its code, and what the next page says. */
export type CookieName = "session" | "sign-in" | "said";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

function isPlainLocalhost(c: Context<AppEnv>): boolean {
  const { protocol, hostname } = new URL(c.req.url);
  return protocol === "http:" && LOOPBACK.test(hostname);
}

const nameFor = (name: CookieName, plain: boolean) => `${plain ? "" : "__Host-"}postern-${name}`;

/** Sets a cookie that scripts can't read; without `expiresAt` (Unix ms) it goes with the browser. */
export function putCookie(c: Context<AppEnv>, name: CookieName, value: string, expiresAt?: number): void {
  const plain = isPlainLocalhost(c);
  setCookie(c, nameFor(name, plain), value, {
    path: "/",
    httpOnly: true,
    secure: !plain,
    sameSite: "Lax",
    ...(expiresAt === undefined ? {} : { expires: new Date(expiresAt) }),
  });
}

export function takeCookie(c: Context<AppEnv>, name: CookieName): string | undefined {
  return getCookie(c, nameFor(name, isPlainLocalhost(c)));
}

export function dropCookie(c: Context<AppEnv>, name: CookieName): void {
  const plain = isPlainLocalhost(c);
  deleteCookie(c, nameFor(name, plain), { path: "/", secure: !plain });
}
