/** The pages of a tenant below another path: the links of a page lead to where the page itself is. */

/** The pages of a tenant that the tenant of the platform has too. */
const PAGES = "(webhooks|events|activity)";
/** In attributes: of text, the quotation marks are escaped. */
const LINK = new RegExp(`([a-z-]="/console/)${PAGES}(?=[/"?#])`, "g");
const REDIRECT = new RegExp(`(/console/|%2Fconsole%2F)${PAGES}(?=/|%|\\?|#|$)`);

/** Leads the links of a page or a part of one below `/console/platform`, but not those of the navigation. */
export function withPlatformLinks(html: string): string {
  const start = Math.max(0, html.indexOf("<main"));
  return html.slice(0, start) + html.slice(start).replace(LINK, "$1platform/$2");
}

/** The same for a redirect, also one that first leads to another page and then back. */
export const withPlatformRedirect = (location: string): string =>
  location.replace(
    REDIRECT,
    (_, before: string, page: string) => `${before}platform${before.slice(-1) === "/" ? "/" : "%2F"}${page}`,
  );
