/**
 * `/console/platform`: the subscriptions, events and log of the platform's tenant, for operators. They are the pages of
 * every tenant, shown for this one.
 */
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { requireOperator, sessionOf } from "../../base/http/permissions";
import { inPlatform } from "../../identity/platform-keys/in-platform";
import { activityPages } from "../audit/routes";
import { deliveryPages } from "../delivery-pages/routes";
import { answerBelow, asOutside, type Below } from "../http/below";
import { operatorFactorFirst } from "../http/confirmed";

const BASE = "/console/platform";

const inTenant = createMiddleware<AppEnv>(async (c, next) => {
  const [deps, operator] = [c.get("deps"), sessionOf(c)];
  requireOperator(deps.config, operator, "Page");
  const principal = await inPlatform(deps, operator);
  c.set("principal", principal);
  c.set("currentUser", { ...c.get("currentUser"), tenantName: "Platform", principal });
  await next();
});

const pages = new Hono<Below>()
  .basePath(BASE)
  .use(asOutside)
  .use(inTenant)
  .get("/", (c) => c.redirect(`${BASE}/webhooks`, 303))
  .route("/", deliveryPages)
  .route("/activity", activityPages)
  .notFound(() => {
    throw notFound("Page");
  })
  .onError((error) => {
    throw error;
  });

export const platformPages = new Hono<AppEnv>().use(operatorFactorFirst).all("/*", answerBelow(BASE, pages));
