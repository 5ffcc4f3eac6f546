/** Serves the Markdown pages under `/docs` as HTML without scripts. */
import { type Context, Hono } from "hono";
import type { Config } from "../../platform/config";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { describedRoutes } from "../openapi/document";
import { markdownPage, navigation, pageList, START_PATH } from "./catalogue";
import { renderMarkdown } from "./render";
import { type Facts, type LimitedEndpoint, withTables } from "./tables";

const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A page with fewer sections has no list of them. */
const MIN_HEADINGS = 4;

/** The pages of `app`: their tables describe its routes. Each page is rendered once per isolate. */
export function markdownRoutes(app: Hono<AppEnv>) {
  /** The limits are a setting, so pages rendered under other limits are not reused. */
  let rendered: { config: Config; pages: Map<string, string> } | undefined;

  function htmlOf(path: string, config: Config): string {
    if (rendered?.config !== config) rendered = { config, pages: new Map() };
    const html = rendered.pages.get(path) ?? pageHtml(path, { config, limited: limitedEndpoints(app) });
    rendered.pages.set(path, html);
    return html;
  }

  const serve = (c: Context<AppEnv>) => {
    if (c.req.path === "/docs/llms.txt") return c.text(pageList());
    if (c.req.path.endsWith(".md"))
      return markdownOf(c, { config: c.get("deps").config, limited: limitedEndpoints(app) });
    return c.html(htmlOf(c.req.path, c.get("deps").config), 200, { "Content-Security-Policy": CSP });
  };

  return new Hono<AppEnv>().get(START_PATH, serve).get("/docs/:page", serve);
}

function limitedEndpoints(app: Hono<AppEnv>): LimitedEndpoint[] {
  return describedRoutes(app).flatMap(({ method, path, docs }) =>
    docs.flatMap(({ limit }) => (limit ? [{ endpoint: `${method} ${path.replace("/api/v1", "")}`, ...limit }] : [])),
  );
}

/** A page as Markdown: at its path with `.md`. Throws NOT_FOUND. */
function markdownOf(c: Context<AppEnv>, facts: Facts): Response {
  const path = c.req.path.slice(0, -".md".length);
  const page = markdownPage(path === "/docs/index" ? START_PATH : path);
  if (!page) throw notFound("Page");
  return c.body(withTables(page.markdown, facts), 200, { "Content-Type": "text/markdown; charset=utf-8" });
}

/** The sections of a long page, as links. */
function contentsOf(html: string): string {
  const headings = [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  if (headings.length < MIN_HEADINGS) return "";
  const items = headings.map(([, id, title]) => `<li><a href="#${id}">${title?.replace(/<[^>]+>/g, "")}</a></li>`);
  return `<nav class="toc" aria-label="On this page"><strong>On this page</strong><ul>${items.join("")}</ul></nav>\n`;
}

/** Throws NOT_FOUND when there is no page at `path`. */
function pageHtml(path: string, facts: Facts): string {
  const page = markdownPage(path);
  if (!page) throw notFound("Page");
  const html = renderMarkdown(withTables(page.markdown, facts));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} - Postern</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/navigation.css">
<link rel="stylesheet" href="/docs/assets/document.css">
</head>
<body>
${navigation(path)}
<main>
${html.replace("</h1>\n", `</h1>\n${contentsOf(html)}`)}</main>
</body>
</html>
`;
}
