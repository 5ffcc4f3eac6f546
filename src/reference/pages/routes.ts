/** `/docs/<name>`: the pages for people, as HTML without scripts. */
import { Hono } from "hono";
import { notFound } from "../../errors";
import type { AppEnv } from "../../http/env";
import type { Rule, RuleName } from "../../ratelimit/rules";
import { describedRoutes } from "../openapi/document";
import { markdownOf, navigation, titleOf } from "./pages";
import { renderMarkdown } from "./render";
import { DOCUMENT_STYLE } from "./style";
import { withTables } from "./tables";

const STYLE_PATH = "/docs/assets/document.css";
const CACHE = "public, max-age=3600";
const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the pages, whose tables tell of the routes of `app`; each is made once an isolate and settings. */
export function documentPageRoutes(app: Hono<AppEnv>) {
  const made = new WeakMap<Record<RuleName, Rule>, Map<string, string>>();
  return new Hono<AppEnv>()
    .get(STYLE_PATH, (c) =>
      c.body(DOCUMENT_STYLE, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": CACHE }),
    )
    .get("/docs/:page", (c) => {
      const name = c.req.param("page");
      const markdown = markdownOf(name);
      if (markdown === undefined) throw notFound("Page");
      const { rules } = c.get("deps").config;
      const pages = made.get(rules) ?? new Map<string, string>();
      made.set(rules, pages);
      const html = pages.get(name) ?? pageOf(name, withTables(markdown, { rules, limited: limitedEndpoints(app) }));
      pages.set(name, html);
      return c.html(html, 200, { "Content-Security-Policy": CSP });
    });
}

function limitedEndpoints(app: Hono<AppEnv>) {
  return describedRoutes(app).flatMap(({ method, path, docs }) =>
    docs.flatMap(({ limit }) => (limit ? [{ endpoint: `${method} ${path.replace("/api/v1", "")}`, ...limit }] : [])),
  );
}

const pageOf = (name: string, markdown: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(markdown)} - Postern</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
${navigation(name)}
<main>
${renderMarkdown(markdown)}</main>
</body>
</html>
`;
