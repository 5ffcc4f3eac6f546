/**
 * `/docs/assets`: style sheets, one script, the dashboard for Grafana, and the files of Swagger UI that the API
 * reference loads.
 */
import { Hono } from "hono";
import { notFound } from "../platform/errors";
import type { AppEnv } from "../platform/http/env";
import documentCss from "./browser/document.css";
import navigationCss from "./browser/navigation.css";
import referenceJs from "./browser/reference.browser.js";
import referenceCss from "./browser/reference.css";
import dashboard from "./pages/metrics/grafana-dashboard.json";

const OUR_FILES = new Map([
  ["navigation.css", { text: navigationCss, type: "text/css" }],
  ["document.css", { text: documentCss, type: "text/css" }],
  ["reference.css", { text: referenceCss, type: "text/css" }],
  ["reference.js", { text: referenceJs, type: "text/javascript" }],
  ["grafana-dashboard.json", { text: JSON.stringify(dashboard, null, 2), type: "application/json" }],
]);
/** The only files of `swagger-ui-dist` that are served. */
const SWAGGER_UI_FILES: ReadonlySet<string> = new Set(["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"]);
const CACHE = "public, max-age=3600";

export const assetRoutes = new Hono<AppEnv>().get("/docs/assets/:file", async (c) => {
  const name = c.req.param("file");
  const ours = OUR_FILES.get(name);
  if (ours) {
    return c.body(ours.text, 200, { "Content-Type": `${ours.type}; charset=utf-8`, "Cache-Control": CACHE });
  }
  if (!SWAGGER_UI_FILES.has(name)) throw notFound("Page");
  const found = await c.env.ASSETS.fetch(new Request(new URL(`/${name}`, c.req.url), { headers: c.req.raw.headers }));
  const response = new Response(found.body, found);
  response.headers.set("Cache-Control", CACHE);
  return response;
});
