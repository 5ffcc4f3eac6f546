/** `/console`: the middleware and the pages of the console, in the order in which a request meets them. */
import { Hono } from "hono";
import { notFound } from "../base/errors";
import { limitBody } from "../base/http/body";
import type { AppEnv } from "../base/http/env";
import { withoutEnd } from "../base/without-end";
import { keyPages } from "./api-keys/routes";
import { appPages } from "./apps/routes";
import { assetOf } from "./assets";
import { activityPages } from "./audit/routes";
import { connectionPages } from "./connections/routes";
import { accountEndPages, tenantEndPages } from "./deletion/routes";
import { deliveryPages } from "./delivery-pages/routes";
import { directoryPages } from "./directories/routes";
import { domainPages } from "./domains/routes";
import { mailCodePages } from "./email-codes/routes";
import { eventTypePages, eventTypeSettingsPages } from "./event-types/routes";
import { feedPages } from "./feeds/routes";
import { ownFormOnly } from "./http/own-form";
import { errorPage } from "./http/page";
import { contentSecurityPolicy, noStore } from "./http/page-headers";
import { requireUser } from "./http/session";
import { listenerPages } from "./listeners/routes";
import { peoplePages } from "./members/routes";
import { confirmEmailPages, profilePages } from "./my-security/profile/routes";
import { securityPages } from "./my-security/routes";
import { notMePages } from "./not-me/routes";
import { operatorPages } from "./operator/routes";
import { overviewPage } from "./overview/routes";
import { confirmPages, newPasskeyPages, passkeyPages } from "./passkeys/routes";
import { platformPages } from "./platform/routes";
import { policyPages } from "./policy/routes";
import { portalLinkPages } from "./portal-links/routes";
import { oauthPages } from "./providers/routes";
import { registrationPages } from "./registration/routes";
import { removeTwoFactorPages } from "./remove-two-factor/routes";
import { setupLinkPages } from "./setup-links/routes";
import { accountPages } from "./sign-in/routes";
import { addressPages } from "./sign-on/routes";
import { sourcePages } from "./sources/routes";
import { subscriptionNoticePages } from "./subscription-notices/routes";
import { tenantPages } from "./tenants/routes";

const ASSET_CACHE = "public, max-age=31536000, immutable";
export const consoleRoutes = new Hono<AppEnv>()
  .use(contentSecurityPolicy)
  .use(noStore)
  .get("/assets/:version/:file", (c) => {
    const asset = assetOf(c.req.param("file"));
    if (!asset) throw notFound("Page");
    const headers = { "Content-Type": `${asset.type}; charset=utf-8`, "Cache-Control": ASSET_CACHE };
    return c.body(asset.text, 200, headers);
  })
  .use(ownFormOnly)
  .use(limitBody)
  .route("/", accountPages)
  .route("/register", registrationPages)
  .route("/sign-in/mail", mailCodePages)
  .route("/sign-in", addressPages)
  .route("/not-me", notMePages)
  .route("/oauth", oauthPages)
  .route("/remove-two-factor", removeTwoFactorPages)
  .route("/confirm-email", confirmEmailPages)
  .use(requireUser)
  .route("/", overviewPage)
  .route("/", deliveryPages)
  .route("/event-types", eventTypePages)
  .route("/tenants/event-types", eventTypeSettingsPages)
  .route("/sources", sourcePages)
  .route("/feeds", feedPages)
  .route("/listeners", listenerPages)
  .route("/api-keys", keyPages)
  .route("/apps", appPages)
  .route("/domains", domainPages)
  .route("/portal-links", portalLinkPages)
  .route("/setup-links", setupLinkPages)
  .route("/directories", directoryPages)
  .route("/people", peoplePages)
  .route("/tenants", tenantPages)
  .route("/tenants", tenantEndPages)
  .route("/tenants/security", policyPages)
  .route("/connections", connectionPages)
  .route("/security", securityPages)
  .route("/security", profilePages)
  .route("/security/passkeys", newPasskeyPages)
  .route("/security/passkeys", passkeyPages)
  .route("/security/confirm", confirmPages)
  .route("/activity", activityPages)
  .route("/security", accountEndPages)
  .route("/alerts", subscriptionNoticePages)
  .route("/operator", operatorPages)
  .route("/platform", platformPages)
  .all("*", (c) => {
    const { pathname } = new URL(c.req.url);
    if (c.req.method === "GET" && pathname.endsWith("/")) return c.redirect(withoutEnd(pathname, "/"), 301);
    throw notFound("Page");
  })
  .onError((error, c) => errorPage(c, error));
