/** Which paths a redirect may lead to. */
import { CONSOLE_PATH } from "../../base/paths";

/** The path travels in a cookie between password and code. */
const MAX_PATH_CHARACTERS = 1_000;
const OWN_PATH = /^\/console(\/[\w/.-]*)?(\?[\w=&.%+*-]*)?$/;

/**
 * Returns `path` if it is one of the console's own, otherwise the overview: no link may redirect to another site after
 * sign-in.
 */
export const safePath = (path: string): string =>
  path.length <= MAX_PATH_CHARACTERS && OWN_PATH.test(path) ? path : CONSOLE_PATH;
