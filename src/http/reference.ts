/** `/api/v1/openapi.json`, made once an isolate and only when asked for. */
import { Hono } from "hono";
import { z } from "zod";
import type { Rule, RuleName } from "../ratelimit/rules";
import { describe } from "./describe";
import type { AppEnv } from "./env";
import { openApiDocument } from "./openapi/document";

const document = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

/** Serves the document of `app`, which these routes are mounted on themselves. */
export function documentRoutes(app: Hono<AppEnv>) {
  let made: { rules: Record<RuleName, Rule>; text: string } | undefined;
  return new Hono<AppEnv>().get("/openapi.json", describe("getOpenApi", "This document.", { 200: document }), (c) => {
    const { rules } = c.get("deps").config;
    if (made?.rules !== rules) made = { rules, text: JSON.stringify(openApiDocument(app, rules)) };
    return c.body(made.text, 200, { "Content-Type": "application/json" });
  });
}
