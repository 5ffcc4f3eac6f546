/** The console's cookies. */
import type { Context } from "hono";
import { deleteOwnCookie, getOwnCookie, setOwnCookie } from "../../platform/http/cookies";
import type { AppEnv } from "../../platform/http/env";

/**
 * The session, a sign-in that waits for its two-factor code, the state of a mailed code, and the flash message for the
 * next page.
 */
export type CookieName = "session" | "sign-in" | "mail-code" | "flash";

/** Sets a cookie; without `expiresAt` (Unix ms) the browser drops it when it closes. */
export function setConsoleCookie(c: Context<AppEnv>, name: CookieName, value: string, expiresAt?: number): void {
  setOwnCookie(c, name, value, expiresAt);
}

export const getConsoleCookie = (c: Context<AppEnv>, name: CookieName): string | undefined => getOwnCookie(c, name);

export const deleteConsoleCookie = (c: Context<AppEnv>, name: CookieName): void => deleteOwnCookie(c, name);
