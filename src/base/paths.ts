/** Where `app.ts` serves the console. APP_URL ends with it, unless another client is used. */
export const CONSOLE_PATH = "/console";

/** Where `app.ts` serves the pages of portals. */
export const PORTAL_PATH = "/portal";

/** Where `app.ts` serves the pages of setup links. */
export const SETUP_PATH = "/setup";

/** Where `app.ts` serves the pages on which people sign in to apps. */
export const ACCOUNT_PATH = "/account";

/** The pages of the console that are called something else where people sign in to apps. */
const NAMES_FOR_APPS: readonly (readonly [inConsole: RegExp, forApps: string])[] = [
  [/^\/register(?=[/?]|$)/, "/sign-up"],
  [/^\/security\/confirm(?=[/?]|$)/, "/confirm"],
  [/^\/security\/two-factor(?=[/?]|$)/, "/second-factor"],
  [/^\/security(?=[/?#]|$)/, "/second-factor"],
];

/** An address with what an app has asked for, which the pages for apps pass on to each other. */
export function withRequest(address: string, request: string): string {
  return /[?&]r=/.test(address) ? address : `${address}${address.includes("?") ? "&" : "?"}r=${request}`;
}

/**
 * The address of a page by its path in the console, where its pages are mounted at `base`. The pages for apps pass
 * `request` on, which is what an app has asked for, sealed; undefined without.
 */
export function addressBelow(base: string, path: string, request?: string): string {
  if (base !== ACCOUNT_PATH) return base + path;
  const address = base + NAMES_FOR_APPS.reduce((at, [name, other]) => at.replace(name, other), path);
  return request === undefined ? address : withRequest(address, request);
}

/** Where the API is. */
export const API_PATH = "/api/v1";

/** Where the API says how it is reached (RFC 9728). */
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${API_PATH}`;

/** Where `app.ts` serves apps that sign people in. */
export const OAUTH_PATH = "/oauth";

/** Where tenants' directories keep their people and groups (RFC 7644). */
export const SCIM_PATH = "/scim/v2";

/** Below which connections by SAML 2.0 have their entity IDs and their metadata. */
export const SAML_PATH = "/saml";

const PATHS_FOR_APPS = [
  ACCOUNT_PATH,
  OAUTH_PATH,
  "/api/v1/platform/clients",
  "/api/v1/platform/apps",
  "/api/v1/platform/resources",
  RESOURCE_METADATA_PATH,
  "/api/v1/tenant/apps",
  "/api/v1/tenant/clients",
  "/api/v1/tenant/resources",
  "/api/v1/auth/apps",
  `${CONSOLE_PATH}/apps`,
  `${CONSOLE_PATH}/operator/apps`,
];

/** The page that a mailed link of a sign-on opens, also where no apps sign people in. */
const SIGN_ON_LINK_PATH = `${ACCOUNT_PATH}/sign-on`;

/** Whether a path is of what `OAUTH_SERVER` switches on. */
export const isPathForApps = (path: string): boolean =>
  path !== SIGN_ON_LINK_PATH && PATHS_FOR_APPS.some((base) => path === base || path.startsWith(`${base}/`));

const PATHS_FOR_SIGN_ON = [
  /^\/api\/v1\/(tenant\/|platform\/tenants\/[^/]+\/)(connections|domains|setup-links)(\/|$)/,
  /^\/api\/v1\/auth\/sign-on(\/|$)/,
  /^\/(api\/v1|console)\/operator\/(domains\/|tenants\/[^/]+\/sign-on\/)/,
  /^\/(\.well-known\/connections|scim\/v2|saml)\//,
  /^(\/console\/(connections|domains|setup-links)|\/setup)(\/|$)/,
];

/** From an address to its provider. */
const PAGES_FOR_SIGN_ON = /^\/(console|account)\/sign-in\/(address|sign-on)$|^\/account\/sign-on(\/|$)/;

/** Whether a path is of what `SIGN_ON` switches on. */
export const isPathForSignOn = (path: string): boolean =>
  [...PATHS_FOR_SIGN_ON, PAGES_FOR_SIGN_ON].some((paths) => paths.test(path));

/** Whether a path is that of a portal's page. */
export const isPortalPath = (path: string): boolean => path === PORTAL_PATH || path.startsWith(`${PORTAL_PATH}/`);
