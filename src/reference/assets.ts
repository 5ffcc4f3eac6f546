/** `/docs/assets`: style sheets, one script, and the files of Swagger UI that the API reference loads. */
import { Hono } from "hono";
import { notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { DOCUMENT_STYLE } from "./markdown/style";
import { PAGE_SCRIPT, PAGE_STYLE } from "./swagger-ui/page";

/** The only files of `swagger-ui-dist` that are served. */
const SWAGGER_UI_FILES: ReadonlySet<string> = new Set(["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"]);
const CACHE = "public, max-age=3600";

const headersOf = (type: string) => ({ "Content-Type": `${type}; charset=utf-8`, "Cache-Control": CACHE });

export const assetRoutes = new Hono<AppEnv>()
  .get("/docs/assets/document.css", (c) => c.body(DOCUMENT_STYLE, 200, headersOf("text/css")))
  .get("/docs/assets/reference.css", (c) => c.body(PAGE_STYLE, 200, headersOf("text/css")))
  .get("/docs/assets/reference.js", (c) => c.body(PAGE_SCRIPT, 200, headersOf("text/javascript")))
  .get("/docs/assets/:file", async (c) => {
    const file = c.req.param("file");
    if (!SWAGGER_UI_FILES.has(file)) throw notFound("Page");
    const found = await c.env.ASSETS.fetch(new Request(new URL(`/${file}`, c.req.url), { headers: c.req.raw.headers }));
    const response = new Response(found.body, found);
    response.headers.set("Cache-Control", CACHE);
    return response;
  });
