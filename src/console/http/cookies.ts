/** The cookies of the console and, under other names, those of portals and setup links. None sees another's. */
import type { Context } from "hono";
import { deleteOwnCookie, getOwnCookie, setOwnCookie } from "../../base/http/cookies";
import type { AppEnv } from "../../base/http/env";
import { isForGuests, isPortal, isSetup } from "./mount";

/**
 * The session, a sign-in that waits for its two-factor code, the state of a mailed code, and the flash message for the
 * next page.
 */
export type CookieName = "session" | "sign-in" | "mail-code" | "flash";

const nameHere = (c: Context<AppEnv>, name: CookieName): string => {
  if (!isForGuests(c)) return name;
  const place = isSetup(c) ? "setup" : "portal";
  return name === "session" ? place : `${place}-${name}`;
};

const isFramed = (c: Context<AppEnv>): boolean => isPortal(c) && c.get("deps").config.portalOrigins.length > 0;

/** Sets a cookie; without `expiresAt` (Unix ms) the browser drops it when it closes. */
export function setConsoleCookie(c: Context<AppEnv>, name: CookieName, value: string, expiresAt?: number): void {
  setOwnCookie(c, nameHere(c, name), value, expiresAt, isFramed(c));
}

export const getConsoleCookie = (c: Context<AppEnv>, name: CookieName): string | undefined =>
  getOwnCookie(c, nameHere(c, name));

export const deleteConsoleCookie = (c: Context<AppEnv>, name: CookieName): void =>
  deleteOwnCookie(c, nameHere(c, name), isFramed(c));
