/**
 * `/console/platform`: the subscriptions, events and log of the platform's tenant, for operators. They are the pages of
 * every tenant, shown for this one.
 */
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../base/http/env";
import { requireOperator, sessionOf } from "../../base/http/permissions";
import { CONSOLE_PATH } from "../../base/paths";
import { inPlatform } from "../../identity/platform-keys/in-platform";
import { activityPages } from "../audit/routes";
import { deliveryPages } from "../delivery-pages/routes";
import { operatorFactorFirst } from "../http/confirmed";
import { mountedAt } from "../http/mount";
import { redirectTo } from "../http/page";

const inTenant = createMiddleware<AppEnv>(async (c, next) => {
  const [deps, operator] = [c.get("deps"), sessionOf(c)];
  requireOperator(deps.config, operator, "Page");
  const principal = await inPlatform(deps, operator);
  c.set("principal", principal);
  c.set("currentUser", { ...c.get("currentUser"), tenantName: "Platform", principal });
  await next();
});

export const platformPages = new Hono<AppEnv>()
  .use(operatorFactorFirst)
  .use(inTenant)
  .use(mountedAt(`${CONSOLE_PATH}/platform`))
  .get("/", (c) => redirectTo(c, "/webhooks"))
  .route("/", deliveryPages)
  .route("/activity", activityPages);
