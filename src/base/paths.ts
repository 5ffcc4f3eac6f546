/** Where `app.ts` serves the console. APP_URL ends with it, unless another client is used. */
export const CONSOLE_PATH = "/console";

/** Where `app.ts` serves the pages of portals. */
export const PORTAL_PATH = "/portal";

/** Whether a path is that of a portal's page. */
export const isPortalPath = (path: string): boolean => path === PORTAL_PATH || path.startsWith(`${PORTAL_PATH}/`);
