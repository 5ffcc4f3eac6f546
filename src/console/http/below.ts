/** Pages of a tenant below another path than `/console`: the links of a page lead to where the page itself is. */
import type { Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { StatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../../base/http/env";

/** The environment of pages that are served below another path. */
export type Below = { Bindings: AppEnv["Bindings"] & { outer: Context<AppEnv> }; Variables: AppEnv["Variables"] };

/** The pages of a tenant that can be elsewhere. */
const PAGES = "(webhooks|events|activity)";
/** In attributes: of text, the quotation marks are escaped. */
const LINK = new RegExp(`([a-z-]=")/console/${PAGES}(?=[/"?#])`, "g");
/** Also one that first leads to another page and then back. */
const REDIRECT = new RegExp(`(/|%2F)console(/|%2F)${PAGES}(?=/|%|\\?|#|$)`);

/** Leads the links of a page or a part of one below `base`, but not those of the navigation. */
export function withLinksBelow(base: string, html: string): string {
  const start = Math.max(0, html.indexOf("<main"));
  return html.slice(0, start) + html.slice(start).replace(LINK, `$1${base}/$2`);
}

/** The same for a redirect. */
export const withRedirectBelow = (base: string, location: string): string =>
  location.replace(REDIRECT, (_, slash: string, __, page: string) => `${base}/${page}`.replaceAll("/", slash));

/** What the middleware outside has found out about the request. */
export const asOutside = createMiddleware<Below>(async (c, next) => {
  for (const [name, value] of Object.entries(c.env.outer.var)) c.set(name as keyof AppEnv["Variables"], value as never);
  await next();
});

/** The handler that answers with `pages`, which are below `base`. `change` changes the text of each page. */
export const answerBelow =
  (base: string, pages: Hono<Below>, change: (html: string, c: Context<AppEnv>) => string = (html) => html) =>
  async (c: Context<AppEnv>) => {
    const { url, method, raw } = c.req;
    // The body was read before the session was checked.
    const sent = method === "GET" || method === "HEAD" ? null : await c.req.arrayBuffer();
    const request = new Request(url, { method, headers: raw.headers, body: sent });
    const response = await pages.fetch(request, { ...c.env, outer: c }, c.executionCtx);
    const location = response.headers.get("location");
    const headers = new Headers(response.headers);
    if (location !== null) headers.set("location", withRedirectBelow(base, location));
    const isHtml = response.headers.get("content-type")?.startsWith("text/html") ?? false;
    const body = isHtml ? change(withLinksBelow(base, await response.text()), c) : response.body;
    return c.newResponse(body, { status: response.status as StatusCode, headers });
  };
