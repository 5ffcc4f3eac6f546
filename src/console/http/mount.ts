/** Where the page of a request is mounted: in the console, below it, or in a portal. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../base/http/env";
import { ACCOUNT_PATH, addressBelow, CONSOLE_PATH, PORTAL_PATH, SETUP_PATH, withRequest } from "../../base/paths";
import type { CurrentUser, Portal, Principal } from "../../base/schemas/principal";
import { readCatalogue } from "../../base/texts/catalogue";
import { type Language, localeOf, textsIn } from "../../base/texts/texts";
import type { Mount } from "../components/mount";
import { type Term, wordedIn } from "../wording";

/** For the pages that are mounted at `base`. Those that are mounted nowhere else are the console's. */
export const mountedAt = (base: string) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("mountedAt", base);
    await next();
  });

const baseOf = (c: Context<AppEnv>): string => {
  const base: string | undefined = c.get("mountedAt");
  return base ?? CONSOLE_PATH;
};

/** Whether the request is for a page of a portal. */
export const isPortal = (c: Context<AppEnv>): boolean => baseOf(c) === PORTAL_PATH;

/** Whether the request is for a page of a setup link. */
export const isSetup = (c: Context<AppEnv>): boolean => baseOf(c) === SETUP_PATH;

/** Whether the request is for a page of a portal or of a setup link, whose readers have no account. */
export const isForGuests = (c: Context<AppEnv>): boolean => isPortal(c) || isSetup(c);

/** Whether the request is for a page on which people sign in to apps. */
export const isForApps = (c: Context<AppEnv>): boolean => baseOf(c) === ACCOUNT_PATH;

/** What the request's portal or setup link shows of itself; undefined without a session. */
export function portalOf(c: Context<AppEnv>): Portal | undefined {
  const principal: Principal | undefined = c.get("principal");
  if (principal?.kind === "setup") return principal.setup;
  return principal?.kind === "portal" ? principal.portal : undefined;
}

const TERMS = { webhooks: "webhook", endpoints: "endpoint" } as const satisfies Record<string, Term>;

/** What an app has asked for, as the address of a page says; undefined without. It is sealed, or invented. */
const requestOf = (c: Context<AppEnv>): string | undefined => {
  const request = isForApps(c) ? c.req.query("r") : undefined;
  return request !== undefined && SEALED.test(request) ? request : undefined;
};

const SEALED = /^[\w.-]{1,20000}$/;

export async function mountOf(c: Context<AppEnv>): Promise<Mount> {
  const term = isPortal(c) ? TERMS[portalOf(c)?.theme?.wording ?? "webhooks"] : "subscription";
  return { base: baseOf(c), request: requestOf(c), term, texts: await textsOf(c, term) };
}

/**
 * The texts in the language that the browser asks for, on the pages for accounts and in portals. The console behind
 * the sign-in is in English, and so are its pages that a setup link shows.
 */
async function textsOf(c: Context<AppEnv>, term: Term): Promise<Language> {
  const deps = c.get("deps");
  const { defaultLocale, texts } = deps.config;
  const user: CurrentUser | undefined = c.get("currentUser");
  const isConsole = isSetup(c) || (user !== undefined && !isForApps(c) && !isPortal(c));
  const wanted = isConsole ? "en" : (localeOf(c.req.header("accept-language")) ?? defaultLocale);
  const catalogue = await readCatalogue(deps, wanted);
  return textsIn(catalogue, texts, (text) => wordedIn(catalogue.locale, text, term));
}

/** An address of our own, with what an app has asked for if the requested page has that. */
export function passingOn(c: Context<AppEnv>, address: string): string {
  const request = requestOf(c);
  return request === undefined ? address : withRequest(address, request);
}

/** The address of a page by its path below the mount; "" is the first page. */
export const hrefOf = (c: Context<AppEnv>, to: string): string => addressBelow(baseOf(c), to, requestOf(c));

/** The path of the requested page below its mount. */
export const pathHere = (c: Context<AppEnv>): string => c.req.path.slice(baseOf(c).length);
