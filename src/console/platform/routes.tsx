/**
 * `/console/platform`: the subscriptions, events and log of the platform's tenant, for operators. They are the pages of
 * every tenant, shown for this one.
 */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { StatusCode } from "hono/utils/http-status";
import { inPlatform } from "../../identity/platform-keys/in-platform";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { requireOperator, sessionOf } from "../../platform/http/permissions";
import { attemptPages } from "../attempts/routes";
import { activityPages } from "../audit/routes";
import { eventPages } from "../events/routes";
import { operatorFactorFirst } from "../http/confirmed";
import { replayPages } from "../replays/routes";
import { operationPages } from "../resend/routes";
import { signingPages } from "../signing/routes";
import { subscriptionPages } from "../subscriptions/routes";
import { withPlatformLinks, withPlatformRedirect } from "./paths";

type Outer = { Bindings: AppEnv["Bindings"] & { outer: Context<AppEnv> }; Variables: AppEnv["Variables"] };

/** What the middleware of the console has found out about the request. */
const asBefore = createMiddleware<Outer>(async (c, next) => {
  for (const [name, value] of Object.entries(c.env.outer.var)) c.set(name as keyof AppEnv["Variables"], value as never);
  await next();
});

const inTenant = createMiddleware<AppEnv>(async (c, next) => {
  const [deps, operator] = [c.get("deps"), sessionOf(c)];
  requireOperator(deps.config, operator, "Page");
  const principal = await inPlatform(deps, operator);
  c.set("principal", principal);
  c.set("currentUser", { ...c.get("currentUser"), tenantName: "Platform", principal });
  await next();
});

const pages = new Hono<Outer>()
  .basePath("/console/platform")
  .use(asBefore)
  .use(inTenant)
  .get("/", (c) => c.redirect("/console/platform/webhooks", 303))
  .route("/webhooks", subscriptionPages)
  .route("/webhooks", signingPages)
  .route("/webhooks", operationPages)
  .route("/webhooks", replayPages)
  .route("/webhooks", attemptPages)
  .route("/events", eventPages)
  .route("/activity", activityPages)
  .notFound(() => {
    throw notFound("Page");
  })
  .onError((error) => {
    throw error;
  });

async function answer(c: Context<AppEnv>): Promise<Response> {
  const { url, method, raw } = c.req;
  // The body was read before the session was checked.
  const sent = method === "GET" || method === "HEAD" ? null : await c.req.arrayBuffer();
  const request = new Request(url, { method, headers: raw.headers, body: sent });
  const response = await pages.fetch(request, { ...c.env, outer: c }, c.executionCtx);
  const location = response.headers.get("location");
  const headers = new Headers(response.headers);
  if (location !== null) headers.set("location", withPlatformRedirect(location));
  const isHtml = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  const body = isHtml ? withPlatformLinks(await response.text()) : response.body;
  return c.newResponse(body, { status: response.status as StatusCode, headers });
}

export const platformPages = new Hono<AppEnv>().use(operatorFactorFirst).all("/*", answer);
