/** `/metrics`, for Prometheus: the state of the whole service, without tenants. */
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import type { Config } from "../../base/config/config";
import { utf8 } from "../../base/crypto/encoding";
import { AppError, notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { limit } from "../../base/http/rate-limit";
import { describeRoute, documented } from "../../base/http/route-docs";
import { collect } from "./collect";
import { textOf } from "./text";

const MAX_AGE_MS = 15_000;
const BEARER = /^Bearer +(\S+)$/i;

/** The last page of this isolate under its settings. */
const pages = new WeakMap<Config, { readAtMs: number; text: string }>();

/** Without the setting METRICS_TOKEN, the path does not exist. */
const onlyWithToken = createMiddleware<AppEnv>(async (c, next) => {
  if (c.get("deps").config.metricsToken === undefined) throw notFound("Route");
  await next();
});

const requireToken = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    const token = c.get("deps").config.metricsToken ?? "";
    const given = c.req.header("authorization")?.match(BEARER)?.[1] ?? "";
    if (!(await areEqual(given, token)))
      throw new AppError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
    await next();
  }),
  { caller: "metrics", errors: ["UNAUTHENTICATED"] },
);

/** Compares the hashes, which have the same length, in constant time. */
async function areEqual(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map((text) => crypto.subtle.digest("SHA-256", utf8(text))));
  return first !== undefined && second !== undefined && crypto.subtle.timingSafeEqual(first, second);
}

export const metricsRoutes = new Hono<AppEnv>().get(
  "/metrics",
  describeRoute("getMetrics", "Returns the state of the service in the text format of Prometheus 0.0.4.", () => ({
    200: { body: z.string(), mediaType: "text/plain" },
    errors: ["NOT_FOUND"],
    description:
      "For the operator of the service, with the secret `METRICS_TOKEN`; 404 if it is not set. A page is at most " +
      "15 seconds old. [What it contains](/docs/metrics).",
  })),
  onlyWithToken,
  limit("metrics", "IP address"),
  requireToken,
  async (c) => {
    const deps = c.get("deps");
    const cached = pages.get(deps.config);
    const nowMs = deps.now();
    const page =
      cached && nowMs - cached.readAtMs < MAX_AGE_MS ? cached : { readAtMs: nowMs, text: textOf(await collect(deps)) };
    pages.set(deps.config, page);
    return c.body(page.text, 200, {
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
      "Cache-Control": "no-store",
    });
  },
);
