/** Which paths a redirect may lead to, and which are those of a portal. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { CONSOLE_PATH, isPortalPath } from "../../base/paths";

/** The path travels in a cookie between password and code. */
const MAX_PATH_CHARACTERS = 1_000;
const OWN_PATH = /^\/console(\/[\w/.-]*)?(\?[\w=&.%+*-]*)?$/;

/**
 * Returns `path` if it is one of the console's own, otherwise the overview: no link may redirect to another site after
 * sign-in.
 */
export const safePath = (path: string): string =>
  path.length <= MAX_PATH_CHARACTERS && OWN_PATH.test(path) ? path : CONSOLE_PATH;

/** Whether the request is for a page of a portal. */
export const isPortal = (c: Context<AppEnv>): boolean => isPortalPath(c.req.path);
