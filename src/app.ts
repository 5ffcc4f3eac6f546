/** The order of the middleware, and every mounted router. */
import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { byRememberedKey, requirePrincipal, sayHowToAuthorize } from "./authenticate";
import { hasSignOn } from "./base/config/sign-on-settings";
import { createDeps } from "./base/deps";
import { AppError, notFound } from "./base/errors";
import { accessAnnounced } from "./base/http/access";
import { jsonOnly, limitBody } from "./base/http/body";
import { clientAddress } from "./base/http/client-ip";
import { corsOf } from "./base/http/cors";
import type { AppEnv } from "./base/http/env";
import { errorResponse } from "./base/http/errors";
import { requestLog } from "./base/http/request-log";
import {
  ACCOUNT_PATH,
  CONSOLE_PATH,
  isPathForApps,
  isPathForSignOn,
  isPortalPath,
  OAUTH_PATH,
  PORTAL_PATH,
  SAML_PATH,
  SCIM_PATH,
  SETUP_PATH,
} from "./base/paths";
import { accountRoutes, authorizeRoutes } from "./console/account/routes";
import { CATALOGUE_PATH } from "./console/catalogue/paths";
import { catalogueRoutes } from "./console/catalogue/routes";
import { portalRoutes } from "./console/portal/routes";
import { consoleRoutes } from "./console/routes";
import { setupRoutes } from "./console/setup/routes";
import { platformRolesPreviewRoutes, rolesPreviewRoutes } from "./directory/groups/api";
import { peopleRoutes, platformPeopleRoutes } from "./directory/people/api";
import { scimRoutes } from "./directory/routes";
import { platformScimTokenRoutes, scimTokenRoutes } from "./directory/tokens/api";
import { documentationRoutes } from "./docs/routes";
import { apiKeyRoutes } from "./identity/api-keys/api";
import { passkeyRoutes } from "./identity/enrolment/passkeys/api";
import { twoFactorRoutes } from "./identity/enrolment/two-factor/api";
import { invitationRoutes, platformInvitationRoutes, publicInvitationRoutes } from "./identity/invitations/api";
import { memberRoutes } from "./identity/members/api";
import { platformKeyRoutes } from "./identity/platform-keys/api";
import { portalLinkRoutes, portalSessionRoutes, portalTokenRoutes } from "./identity/portal/api";
import { profileRoutes } from "./identity/profile/api";
import { passwordRoutes, publicRecoveryRoutes } from "./identity/recovery/api";
import { publicSessionRoutes, sessionRoutes } from "./identity/sessions/api";
import { publicAuthRoutes } from "./identity/sign-in/api";
import { identityRoutes } from "./identity/sign-in/identities/api";
import { oauthRoutes } from "./identity/sign-in/providers/api";
import { stepUpRoutes } from "./identity/step-up/api";
import { tokenRoutes } from "./identity/tokens/routes";
import { accountDeletionRoutes, platformDeletionRoutes, tenantDeletionRoutes } from "./lifecycle/deletion/api";
import { accountExportRoutes, tenantExportRoutes } from "./lifecycle/exports/api";
import { addressRoutes } from "./lifecycle/profile/api";
import { connectedAppRoutes } from "./oauth/apps/api";
import { platformAppRoutes, tenantAppRoutes } from "./oauth/apps/rules/api";
import { clientRoutes, tenantClientRoutes } from "./oauth/clients/api";
import { resourceRoutes, tenantResourceRoutes } from "./oauth/resources/api";
import { appRoutes } from "./oauth/tokens/routes";
import { platformTenantRoutes, platformUserRoutes } from "./service/directory/api";
import { operatorDomainRoutes } from "./service/domains/api";
import { healthRoutes } from "./service/health/routes";
import { importRoutes } from "./service/imports/api";
import { metricsRoutes } from "./service/metrics/routes";
import { continueSealed } from "./service/moves/continue";
import { operatorRoutes } from "./service/operators/api";
import { platformUsageRoutes } from "./service/usage/api";
import { connectionRoutes, platformConnectionRoutes } from "./sign-on/connections/api";
import { discoveryRoutes } from "./sign-on/discovery/api";
import { domainRoutes, platformDomainRoutes } from "./sign-on/domains/api";
import { connectionTestRoutes, platformConnectionTestRoutes, signOnRoutes } from "./sign-on/flow/api";
import { connectionKeyRoutes } from "./sign-on/flow/routes";
import { logoutRoutes } from "./sign-on/logout/routes";
import { exchangeRoutes } from "./sign-on/people/api";
import { platformPolicyRoutes, policyRoutes } from "./sign-on/policy/api";
import { samlSignOnRoutes } from "./sign-on/service-provider/api";
import { samlMetadataRoutes } from "./sign-on/service-provider/routes";
import { platformSetupLinkRoutes, setupLinkRoutes } from "./sign-on/setup-links/api";
import { platformTraceRoutes, traceRoutes } from "./sign-on/traces/api";
import { activityRoutes, auditRoutes } from "./tenancy/audit/api";
import { TenantIsMoving } from "./tenancy/moves/fence";
import { tenantRoutes } from "./tenancy/tenants/api";
import { eventTypeRoutes, eventTypeSettingsRoutes } from "./webhooks/event-types/api";
import { eventRoutes, publishBatch, publishOne } from "./webhooks/events/api";
import { feedRoutes } from "./webhooks/feeds/api";
import { filterRoutes } from "./webhooks/filters/api";
import { listenRoutes } from "./webhooks/listen/api";
import { listenSocketRoutes } from "./webhooks/listen/socket/routes";
import { attemptRoutes } from "./webhooks/log/api";
import { resendRoutes } from "./webhooks/resend/api";
import { replayRoutes } from "./webhooks/resend/replays/api";
import { webhookKeyRoutes } from "./webhooks/signing/routes";
import { sourceRoutes } from "./webhooks/sources/api";
import { inboundRoutes, noteEarlyRefusals } from "./webhooks/sources/inbound/routes";
import { statsRoutes, subscriptionStatsRoutes } from "./webhooks/stats/api";
import { subscriptionRoutes } from "./webhooks/subscriptions/api";
import { rotationRoutes } from "./webhooks/subscriptions/rotation/api";

/** While apps cannot sign people in, or tenants cannot sign on, there is nothing at the paths for it. */
const isSwitchedOff = (c: Context<AppEnv>): boolean =>
  (isPathForApps(c.req.path) && c.get("deps").config.oauthServer === "off") ||
  (isPathForSignOn(c.req.path) && !hasSignOn(c.get("deps").config));

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
      if (isSwitchedOff(c)) return errorResponse(c, notFound("Route"));
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
app.use((c, next) => corsOf(c.req, isSwitchedOff(c) ? {} : accessAnnounced(app, c), c.get("deps").config)(c, next));
app.use("/api/*", (c, next) => {
  c.header("Cache-Control", "no-store");
  return next();
});
app.use("/api/v1/*", sayHowToAuthorize);
app.use("/api/v1/in/:sourceId", noteEarlyRefusals);
app.use("/api/*", limitBody);
app.use("/api/*", jsonOnly);
// Here, so that the answer is that to a path that does not exist.
app.use((c, next) => (isSwitchedOff(c) ? Promise.resolve(errorResponse(c, notFound("Route"))) : next()));

const authenticated = new Hono<AppEnv>()
  .use(requirePrincipal)
  .route("/auth", profileRoutes)
  .route("/auth", addressRoutes)
  .route("/auth", accountDeletionRoutes)
  .route("/auth", stepUpRoutes)
  .route("/auth", sessionRoutes)
  .route("/auth", passwordRoutes)
  .route("/auth/2fa", twoFactorRoutes)
  .route("/auth/passkeys", passkeyRoutes)
  .route("/auth/identities", identityRoutes)
  .route("/auth/apps", connectedAppRoutes)
  .route("/auth/me/activity", activityRoutes)
  .route("/auth/me/export", accountExportRoutes)
  .route("/api-keys", apiKeyRoutes)
  .route("/platform/keys", platformKeyRoutes)
  .route("/platform/tenants", platformTenantRoutes)
  .route("/platform/tenants", platformInvitationRoutes)
  .route("/platform/tenants", platformPolicyRoutes)
  .route("/platform/tenants", platformDomainRoutes)
  .route("/platform/tenants", platformConnectionRoutes)
  .route("/platform/tenants", platformConnectionTestRoutes)
  .route("/platform/tenants", platformTraceRoutes)
  .route("/platform/tenants", platformScimTokenRoutes)
  .route("/platform/tenants", platformPeopleRoutes)
  .route("/platform/tenants", platformRolesPreviewRoutes)
  .route("/platform/tenants", platformSetupLinkRoutes)
  .route("/platform/users", platformUserRoutes)
  .route("/platform/imports", importRoutes)
  .route("/platform/clients", clientRoutes)
  .route("/platform/resources", resourceRoutes)
  .route("/platform/apps", platformAppRoutes)
  .route("/platform/usage", platformUsageRoutes)
  .route("/platform", platformDeletionRoutes)
  .route("/tenants", tenantRoutes)
  .route("/tenant", tenantDeletionRoutes)
  .route("/tenant/export", tenantExportRoutes)
  .route("/tenant/security", policyRoutes)
  .route("/tenant/apps", tenantAppRoutes)
  .route("/tenant/clients", tenantClientRoutes)
  .route("/tenant/resources", tenantResourceRoutes)
  .route("/tenant/domains", domainRoutes)
  .route("/tenant/connections", connectionRoutes)
  .route("/tenant/connections", connectionTestRoutes)
  .route("/tenant/connections", traceRoutes)
  .route("/tenant/connections", scimTokenRoutes)
  .route("/tenant/connections", peopleRoutes)
  .route("/tenant/connections", rolesPreviewRoutes)
  .route("/tenant/setup-links", setupLinkRoutes)
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
  .route("/operator", operatorRoutes)
  .route("/operator/domains", operatorDomainRoutes);

app.route("/", healthRoutes);
app.route("/", metricsRoutes);
app.route("/.well-known", tokenRoutes);
app.route("/.well-known/webhook-keys", webhookKeyRoutes);
app.route("/.well-known/connections", connectionKeyRoutes);
app.route(SAML_PATH, samlMetadataRoutes);
app.route("/", documentationRoutes);
app.route(CONSOLE_PATH, consoleRoutes);
app.route(PORTAL_PATH, portalRoutes);
app.route(SETUP_PATH, setupRoutes);
app.route(CATALOGUE_PATH, catalogueRoutes);
app.route(OAUTH_PATH, appRoutes);
app.route(OAUTH_PATH, authorizeRoutes);
app.route(ACCOUNT_PATH, accountRoutes);
app.route(SCIM_PATH, scimRoutes);
app.route("/api/v1/auth", publicAuthRoutes);
app.route("/api/v1/auth/oauth", exchangeRoutes);
app.route("/api/v1/auth/oauth", oauthRoutes);
app.route("/api/v1/auth/sign-on", signOnRoutes);
app.route("/api/v1/auth/sign-on", samlSignOnRoutes);
app.route("/api/v1/auth/sign-on", discoveryRoutes);
app.route("/api/v1/auth/sign-on", logoutRoutes);
app.route("/api/v1/auth/invitations", publicInvitationRoutes);
app.route("/api/v1/auth", publicSessionRoutes);
app.route("/api/v1/auth", publicRecoveryRoutes);
app.route("/api/v1/in", inboundRoutes);
app.route("/api/v1/listen", listenSocketRoutes);
app.use("/api/v1/events", byRememberedKey(publishOne));
app.use("/api/v1/events/batch", byRememberedKey(publishBatch));
app.route("/api/v1", authenticated);

app.notFound((c) => errorResponse(c, notFound("Route")));
app.onError((error, c) => {
  const deps = c.get("deps");
  // The run that sealed the fence may have been killed.
  if (error instanceof TenantIsMoving) deps.background("move", continueSealed(deps, error.tenantId));
  return errorResponse(c, error);
});
