/** Where `app.ts` serves the console. APP_URL ends with it, unless another client is used. */
export const CONSOLE_PATH = "/console";

/** Where `app.ts` serves the pages of portals. */
export const PORTAL_PATH = "/portal";

/** Where `app.ts` serves the pages on which people sign in to apps. */
export const ACCOUNT_PATH = "/account";

/** Where `app.ts` serves apps that sign people in. */
export const OAUTH_PATH = "/oauth";

/** Whether a path is of what `OAUTH_SERVER` switches on. */
export const isPathForApps = (path: string): boolean =>
  [ACCOUNT_PATH, OAUTH_PATH, "/api/v1/platform/clients", "/api/v1/auth/apps"].some(
    (base) => path === base || path.startsWith(`${base}/`),
  );

/** Whether a path is that of a portal's page. */
export const isPortalPath = (path: string): boolean => path === PORTAL_PATH || path.startsWith(`${PORTAL_PATH}/`);
