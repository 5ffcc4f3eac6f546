/** The order of the middleware, and every mounted router. */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { byRememberedKey, requirePrincipal } from "./authenticate";
import { createDeps } from "./base/deps";
import { AppError, notFound } from "./base/errors";
import { accessAnnounced } from "./base/http/access";
import { jsonOnly, limitBody } from "./base/http/body";
import { clientAddress } from "./base/http/client-ip";
import type { AppEnv } from "./base/http/env";
import { errorResponse } from "./base/http/errors";
import { requestLog } from "./base/http/request-log";
import { CONSOLE_PATH, isPortalPath, PORTAL_PATH } from "./base/paths";
import { CATALOGUE_PATH } from "./console/catalogue/paths";
import { catalogueRoutes } from "./console/catalogue/routes";
import { portalRoutes } from "./console/portal/routes";
import { consoleRoutes } from "./console/routes";
import { documentationRoutes } from "./docs/routes";
import { apiKeyRoutes } from "./identity/api-keys/routes";
import { passkeyRoutes } from "./identity/enrolment/passkeys/routes";
import { twoFactorRoutes } from "./identity/enrolment/two-factor/routes";
import { invitationRoutes } from "./identity/invitations/routes";
import { memberRoutes } from "./identity/members/routes";
import { platformKeyRoutes } from "./identity/platform-keys/routes";
import { policyRoutes } from "./identity/policy/routes";
import { portalLinkRoutes, portalSessionRoutes, portalTokenRoutes } from "./identity/portal/routes";
import { profileRoutes } from "./identity/profile/routes";
import { passwordRoutes, publicRecoveryRoutes } from "./identity/recovery/routes";
import { publicSessionRoutes, sessionRoutes } from "./identity/sessions/routes";
import { identityRoutes } from "./identity/sign-in/identities/routes";
import { oauthRoutes } from "./identity/sign-in/providers/routes";
import { publicAuthRoutes } from "./identity/sign-in/routes";
import { stepUpRoutes } from "./identity/step-up/routes";
import { tokenRoutes } from "./identity/tokens/routes";
import { accountDeletionRoutes, platformDeletionRoutes, tenantDeletionRoutes } from "./lifecycle/deletion/routes";
import { accountExportRoutes, tenantExportRoutes } from "./lifecycle/exports/routes";
import { platformTenantRoutes, platformUserRoutes } from "./service/directory/routes";
import { healthRoutes } from "./service/health/routes";
import { importRoutes } from "./service/imports/routes";
import { metricsRoutes } from "./service/metrics/routes";
import { operatorRoutes } from "./service/operators/routes";
import { activityRoutes, auditRoutes } from "./tenancy/audit/routes";
import { tenantRoutes } from "./tenancy/tenants/routes";
import { eventTypeRoutes, eventTypeSettingsRoutes } from "./webhooks/event-types/routes";
import { eventRoutes, publishBatch, publishOne } from "./webhooks/events/routes";
import { feedRoutes } from "./webhooks/feeds/routes";
import { filterRoutes } from "./webhooks/filters/routes";
import { listenRoutes } from "./webhooks/listen/routes";
import { listenSocketRoutes } from "./webhooks/listen/socket/routes";
import { attemptRoutes } from "./webhooks/log/routes";
import { replayRoutes } from "./webhooks/resend/replays/routes";
import { resendRoutes } from "./webhooks/resend/routes";
import { webhookKeyRoutes } from "./webhooks/signing/routes";
import { inboundRoutes } from "./webhooks/sources/inbound/routes";
import { sourceRoutes } from "./webhooks/sources/routes";
import { statsRoutes, subscriptionStatsRoutes } from "./webhooks/stats/routes";
import { rotationRoutes } from "./webhooks/subscriptions/rotation/routes";
import { subscriptionRoutes } from "./webhooks/subscriptions/routes";

export const app = new Hono<AppEnv>();

app.use(requestLog);
const headers = secureHeaders();
/** The pages of portals say themselves who may frame them. */
const headersOfPortals = secureHeaders({ xFrameOptions: false, crossOriginResourcePolicy: false });
app.use((c, next) => (isPortalPath(c.req.path) ? headersOfPortals : headers)(c, next));
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const headers = { Allow: methods.toSorted().join(", ") };
      return errorResponse(c, new AppError("METHOD_NOT_ALLOWED", { headers }));
    },
  }),
);
app.use(async (c, next) => {
  c.set("deps", await createDeps(c.env, c.executionCtx, c.req.url));
  const { clientIp, isRelayed } = await clientAddress(c);
  c.set("clientIp", clientIp);
  c.set("isRelayed", isRelayed);
  await next();
});
app.use(async (c, next) => {
  const { corsOrigins, portalOrigins } = c.get("deps").config;
  const withCookies = accessAnnounced(app, c).takesCookiesAcrossOrigins === true;
  const isAllowed = (origin: string) =>
    corsOrigins.includes(origin) || (!withCookies && portalOrigins.includes(origin));
  const allow = cors({
    origin: (origin) => (isAllowed(origin) ? origin : null),
    allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "X-API-Key", "X-Request-Id"],
    exposeHeaders: [
      "X-Request-Id",
      "Retry-After",
      "RateLimit-Limit",
      "RateLimit-Remaining",
      "RateLimit-Reset",
      "X-Postern-Warning",
      "Deprecation",
    ],
    maxAge: 600,
    // Cookies bind a sign-in with a provider to one browser.
    credentials: withCookies,
  });
  return allow(c, next);
});
app.use("/api/*", (c, next) => {
  c.header("Cache-Control", "no-store");
  return next();
});
app.use("/api/*", limitBody);
app.use("/api/*", jsonOnly);

const authenticated = new Hono<AppEnv>()
  .use(requirePrincipal)
  .route("/auth", profileRoutes)
  .route("/auth", accountDeletionRoutes)
  .route("/auth", stepUpRoutes)
  .route("/auth", sessionRoutes)
  .route("/auth", passwordRoutes)
  .route("/auth/2fa", twoFactorRoutes)
  .route("/auth/passkeys", passkeyRoutes)
  .route("/auth/identities", identityRoutes)
  .route("/auth/me/activity", activityRoutes)
  .route("/auth/me/export", accountExportRoutes)
  .route("/api-keys", apiKeyRoutes)
  .route("/platform/keys", platformKeyRoutes)
  .route("/platform/tenants", platformTenantRoutes)
  .route("/platform/users", platformUserRoutes)
  .route("/platform/imports", importRoutes)
  .route("/platform", platformDeletionRoutes)
  .route("/tenants", tenantRoutes)
  .route("/tenant", tenantDeletionRoutes)
  .route("/tenant/export", tenantExportRoutes)
  .route("/tenant/security", policyRoutes)
  .route("/members", memberRoutes)
  .route("/invitations", invitationRoutes)
  .route("/webhooks", subscriptionRoutes)
  .route("/webhooks", filterRoutes)
  .route("/webhooks", rotationRoutes)
  .route("/webhooks", resendRoutes)
  .route("/webhooks", replayRoutes)
  .route("/webhooks", attemptRoutes)
  .route("/webhooks", subscriptionStatsRoutes)
  .route("/stats", statsRoutes)
  .route("/events", eventRoutes)
  .route("/event-types", eventTypeRoutes)
  .route("/tenant/event-types", eventTypeSettingsRoutes)
  .route("/sources", sourceRoutes)
  .route("/feeds", feedRoutes)
  .route("/listen", listenRoutes)
  .route("/portal-links", portalLinkRoutes)
  .route("/portal-tokens", portalTokenRoutes)
  .route("/portal-session", portalSessionRoutes)
  .route("/audit", auditRoutes)
  .route("/operator", operatorRoutes);

app.route("/", healthRoutes);
app.route("/", metricsRoutes);
app.route("/.well-known", tokenRoutes);
app.route("/.well-known/webhook-keys", webhookKeyRoutes);
app.route("/", documentationRoutes);
app.route(CONSOLE_PATH, consoleRoutes);
app.route(PORTAL_PATH, portalRoutes);
app.route(CATALOGUE_PATH, catalogueRoutes);
app.route("/api/v1/auth", publicAuthRoutes);
app.route("/api/v1/auth/oauth", oauthRoutes);
app.route("/api/v1/auth", publicSessionRoutes);
app.route("/api/v1/auth", publicRecoveryRoutes);
app.route("/api/v1/in", inboundRoutes);
app.route("/api/v1/listen", listenSocketRoutes);
app.use("/api/v1/events", byRememberedKey(publishOne));
app.use("/api/v1/events/batch", byRememberedKey(publishBatch));
app.route("/api/v1", authenticated);

app.notFound((c) => errorResponse(c, notFound("Route")));
app.onError((error, c) => errorResponse(c, error));
