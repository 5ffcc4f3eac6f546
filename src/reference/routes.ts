/** `/api/v1/openapi.json`, made once an isolate and only when asked for, and the page at `/docs` that shows it. */
import { Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { describeRoute } from "../http/route-docs";
import type { Rule, RuleName } from "../ratelimit/rules";
import { openApiDocument } from "./openapi/document";
import { ASSET_PATH, ASSETS, PAGE, PAGE_CSP, PAGE_SCRIPT, PAGE_STYLE } from "./page";

const ASSET_CACHE = "public, max-age=3600";
const document = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

/** Serves the document of `app`, which these routes are mounted on themselves. */
export function documentRoutes(app: Hono<AppEnv>) {
  let made: { rules: Record<RuleName, Rule>; text: string } | undefined;
  return new Hono<AppEnv>().get(
    "/openapi.json",
    describeRoute("getOpenApi", "This document.", { 200: document }),
    (c) => {
      const { rules } = c.get("deps").config;
      if (made?.rules !== rules) made = { rules, text: JSON.stringify(openApiDocument(app, rules)) };
      return c.body(made.text, 200, { "Content-Type": "application/json" });
    },
  );
}

const asset = (type: string) => ({ "Content-Type": `${type}; charset=utf-8`, "Cache-Control": ASSET_CACHE });

export const pageRoutes = new Hono<AppEnv>()
  .get("/docs", (c) => c.html(PAGE, 200, { "Content-Security-Policy": PAGE_CSP }))
  .get(`${ASSET_PATH}/page.js`, (c) => c.body(PAGE_SCRIPT, 200, asset("text/javascript")))
  .get(`${ASSET_PATH}/page.css`, (c) => c.body(PAGE_STYLE, 200, asset("text/css")))
  .get(`${ASSET_PATH}/:file`, async (c) => {
    const file = c.req.param("file");
    if (!ASSETS.has(file)) throw notFound("Page");
    const found = await c.env.ASSETS.fetch(new Request(new URL(`/${file}`, c.req.url), { headers: c.req.raw.headers }));
    const response = new Response(found.body, found);
    response.headers.set("Cache-Control", ASSET_CACHE);
    return response;
  });
