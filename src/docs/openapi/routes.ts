/** `/api/v1/openapi.json`, built on first request and once per isolate. */
import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../platform/http/env";
import { describeRoute } from "../../platform/http/route-docs";
import type { Rule, RuleName } from "../../platform/limits/rules";
import { openApiDocument } from "./document";

const document = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

/** Serves the document of `app`, on which these routes are mounted too. */
export function openApiRoutes(app: Hono<AppEnv>) {
  let cached: { rules: Record<RuleName, Rule>; json: string } | undefined;
  return new Hono<AppEnv>().get(
    "/api/v1/openapi.json",
    describeRoute("getOpenApi", "This document.", { 200: document }),
    (c) => {
      const { rules } = c.get("deps").config;
      if (cached?.rules !== rules) cached = { rules, json: JSON.stringify(openApiDocument(app, rules)) };
      return c.body(cached.json, 200, { "Content-Type": "application/json" });
    },
  );
}
