/** Which paths a redirect may lead to. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { ACCOUNT_PATH, CONSOLE_PATH, OAUTH_PATH } from "../../base/paths";
import { isForApps } from "./mount";

/** The path travels in a cookie between password and code. */
const MAX_PATH_CHARACTERS = 1_000;
const [OWN_PATH, PATH_FOR_APPS] = [CONSOLE_PATH, ACCOUNT_PATH].map(
  (base) => new RegExp(`^${base}(/[\\w/.-]*)?(\\?[\\w=&.%+*-]*)?$`),
) as [RegExp, RegExp];

/** Dots could lead above the base. */
const isOwn = (pattern: RegExp, path: string): boolean =>
  path.length <= MAX_PATH_CHARACTERS && pattern.test(path) && !path.includes("..");

/**
 * Returns `path` if it is one of the console's own, otherwise the overview: no link may redirect to another site after
 * sign-in.
 */
export const safePath = (path: string): string => (isOwn(OWN_PATH, path) ? path : CONSOLE_PATH);

/** The address that goes on with what an app has asked for. `request` is sealed. */
export const goingOn = (request: string): string => `${OAUTH_PATH}/authorize?r=${request}`;

const GOING_ON = /^\/oauth\/authorize\?r=[\w.-]{1,20000}$/;

/** Whether a form that ends in this path goes on to an app. */
export const leadsToApp = (c: Context<AppEnv>, path: string): boolean => isForApps(c) && GOING_ON.test(path);

/** As `safePath`; on the pages for apps, the path is one of theirs, or goes on with what an app has asked for. */
export function returnPath(c: Context<AppEnv>, path: string): string {
  if (!isForApps(c)) return safePath(path);
  return leadsToApp(c, path) || isOwn(PATH_FOR_APPS, path) ? path : ACCOUNT_PATH;
}

/** Where a page leads afterwards, by its address. */
export function requestedReturn(c: Context<AppEnv>): string {
  const { to = "", r } = c.req.query();
  return isForApps(c) && r !== undefined ? goingOn(r) : to;
}
