/** The nouns of the client; see noun.ts. */
import type { Noun } from "./noun.ts";
import { PLATFORM_NOUNS } from "./platform-nouns.ts";

const IN_SESSION = "for signed-in users; an API key gets UNAUTHENTICATED.";

/** By the name of the noun's file and of its table in the docs. */
export const NOUNS: Readonly<Record<string, Noun>> = {
  auth: {
    type: "Auth",
    paths: ["/auth"],
    names: { getMe: "me", updateMe: "update" },
    byHand: [
      "register",
      "login",
      "requestCode",
      "loginWithCode",
      "refresh",
      "logout",
      "logoutAll",
      "verifyEmail",
      "forgotPassword",
      "deleteAccount",
    ],
  },
  sessions: {
    type: "Session",
    paths: ["/auth/sessions", "/auth/me/activity"],
    about: `\`client.sessions\`, ${IN_SESSION}`,
    example: `
for (const session of await client.sessions.list()) {
  if (!session.current) await client.sessions.revoke(session.id);
}`,
  },
  "two-factor": {
    type: "TwoFactor",
    paths: ["/auth/2fa"],
    about: `\`client.twoFactor\`, ${IN_SESSION}`,
    example: `
const { qrCodeUri } = await client.twoFactor.enable();
// Show it as a QR code, then ask for the app's code.
await client.twoFactor.verify("123456");
const { recoveryCodes } = await client.twoFactor.renewRecoveryCodes("654321");`,
  },
  passkeys: {
    type: "Passkey",
    paths: ["/auth/passkeys", "/auth/register/passkey", "/auth/step-up/options"],
    byHand: [
      "startPasskeyRegistration",
      "registerWithPasskey",
      "startPasskey",
      "addPasskey",
      "startPasskeyLogin",
      "loginWithPasskey",
      "startStepUp",
    ],
  },
  identities: {
    type: "Identity",
    paths: ["/auth/identities", "/auth/oauth"],
    byHand: ["startOauth", "exchangeOauthCode", "linkIdentity"],
  },
  apps: {
    type: "App",
    word: "ConnectedApp",
    paths: ["/auth/apps", "/tenant/apps"],
    names: {
      listConnectedApps: "list",
      disconnectApp: "disconnect",
      listTenantApps: "listOfTenant",
      setTenantApp: "setInTenant",
    },
    about: `\`client.apps\`, what people have allowed apps, and what a tenant says of them, ${IN_SESSION}`,
    example: `
for (const { id, client: app, tenant } of await client.apps.list()) {
  if (app.name === "Shop") await client.apps.disconnect(id);
}`,
  },
  clients: {
    type: "Client",
    word: "TenantClient",
    paths: ["/tenant/clients"],
    about:
      "`client.clients`, the tenant's own apps, for its members alone; for whoever has `client.manage`, and for " +
      "platform keys with `clients.write` that name the tenant.",
    example: `
const { id, secret } = await client.clients.create({ name: "Our wiki", redirectUrls: [callback] });`,
  },
  resources: {
    type: "Resource",
    word: "TenantResource",
    paths: ["/tenant/resources"],
    about:
      "`client.resources`, the tenant's own APIs that take tokens of apps, as `client.clients`. The RFC 9728 " +
      "document of each names it and the service.",
    example: `
await client.resources.create({ name: "Notes", identifier: "https://notes.example.com/mcp", scopes });`,
  },
  "api-keys": {
    type: "ApiKey",
    paths: ["/api-keys"],
    about: `\`client.apiKeys\`, ${IN_SESSION}`,
    example: `
const { key } = await client.apiKeys.create({ name: "checkout", scopes: ["event.publish"] });
const publisher = createClient({ baseUrl, apiKey: key });`,
  },
  tenants: {
    type: "Tenant",
    paths: ["/tenants", "/tenant", "/auth/switch-tenant"],
    byHand: ["switchTenant", "deleteTenant"],
  },
  connections: {
    type: "Connection",
    paths: ["/tenant/connections"],
    names: {
      listSignOnTraces: "traces",
      getSignOnTrace: "trace",
      createScimToken: "createScimToken",
      listScimTokens: "scimTokens",
      revokeScimToken: "revokeScimToken",
      listConnectionPeople: "people",
      releaseConnectionPerson: "releasePerson",
      previewConnectionRoles: "previewRoles",
    },
    about: `\`client.connections\`, the identity providers of a tenant, ${IN_SESSION}`,
    example: `
const { id, redirectUri } = await client.connections.create({ name: "Okta" });
// Once the app is registered there with that redirect URI:
await client.connections.update(id, { oidc: { issuer, clientId, clientSecret } });
const { url } = await client.connections.test(id);`,
  },
  "setup-links": {
    type: "SetupLink",
    paths: ["/tenant/setup-links"],
    about: `\`client.setupLinks\`, links with which the customer's IT sets up sign-on, ${IN_SESSION}`,
    example: `
const { url } = await client.setupLinks.create({ may: ["connection", "domains"], email: "it@acme.com" });`,
  },
  domains: {
    type: "Domain",
    paths: ["/tenant/domains"],
    about: `\`client.domains\`, the domains of a tenant, ${IN_SESSION}`,
    example: `
const { record } = await client.domains.create({ domain: "acme.com" });
// Once the record is in the zone of the domain:
const { state, lastError } = await client.domains.check("acme.com");`,
  },
  members: {
    type: "Member",
    paths: ["/members"],
    names: { leaveTenant: "leave", updateMembership: "setAlerts" },
    about: `\`client.members\`, ${IN_SESSION}`,
    example: `
const [ada] = (await client.members.list({ q: "ada@example.com" })).data;
if (ada) await client.members.changeRole(ada.userId, "developer");`,
  },
  invitations: {
    type: "Invitation",
    paths: ["/invitations", "/auth/invitations"],
    names: { invite: "create" },
    about: `\`client.invitations\`, ${IN_SESSION} \`lookUp\` is for everybody who has the token of a mail.`,
    example: `
await client.invitations.create({ email: "grace@example.com", role: "developer" });
// The page that the link of the mail opens: who has an account signs in, the others register.
const { hasAccount } = await client.invitations.lookUp(token);
// The invited person, signed in with that address:
const { tenant } = await client.invitations.accept(token);
await client.auth.login({ email, password, tenantId: tenant.id });`,
  },
  audit: {
    type: "Audit",
    word: "AuditEvent",
    paths: ["/audit"],
    about: "`client.audit`: who changed what in the tenant.",
    example: `
for await (const event of client.audit.list({ action: "member.*" })) console.log(event.at, event.action);`,
  },
  webhooks: {
    type: "Webhook",
    paths: ["/webhooks"],
    names: { getReplay: "replayStatus" },
    byHand: ["listWebhookLogs", "startReplay"],
  },
  events: {
    type: "Event",
    paths: ["/events"],
    names: { publishEvents: "publishBatch" },
  },
  "event-types": {
    type: "EventType",
    paths: ["/event-types", "/tenant/event-types"],
    names: { validatePayload: "validate" },
    about:
      "`client.eventTypes`. Every method that takes a name throws NOT_FOUND for one that the tenant has not declared.",
    example: `
await client.eventTypes.create({ name: "order.paid", schema: { type: "object", required: ["total"] } });`,
  },
  sources: {
    type: "Source",
    paths: ["/sources"],
    about: "`client.sources`. Every method that takes an id throws NOT_FOUND for one that the tenant does not have.",
    example: `
const { url } = await client.sources.create({ name: "Stripe", provider: "stripe", secrets: [stripeSecret] });`,
  },
  feeds: {
    type: "Feed",
    paths: ["/feeds"],
    names: { ackFeedConsumer: "ack", seekFeedConsumer: "seek" },
    byHand: ["readFeed"],
  },
  listen: {
    type: "Listen",
    word: "Listener",
    paths: ["/listen"],
    names: { makeListenTicket: "ticket" },
    about: "`client.listen`. `postern listen` is made of it; the documentation has what goes over the socket.",
    example: `
const { secret, ticket } = await client.listen.open({ events: ["OrderPaid"] });`,
  },
  stats: {
    type: "Stats",
    paths: ["/stats"],
    about: "`client.stats`.",
    example: `
const { success, failed, attention } = await client.stats.get({ hours: 24 });`,
  },
  operator: {
    type: "Operator",
    word: "operator",
    paths: ["/operator"],
    names: { operatorHoldTenantSends: "holdSendsOf", operatorReleaseTenantSends: "releaseSendsOf" },
    about:
      "`client.operator`, for people who operate the service. For others every call throws NOT_FOUND, and for an " +
      "operator without two-factor authentication FORBIDDEN. Calls that change something throw STEP_UP_REQUIRED if " +
      "the sign-in was more than ten minutes ago and no password or code is given; with a wrong one they throw as " +
      "`auth.stepUp`. Everything is recorded in the audit log.",
    example: `
const { tenants } = await client.operator.search("Analytical");`,
  },
  ...PLATFORM_NOUNS,
  "portal-links": {
    type: "PortalLink",
    paths: ["/portal-links"],
    about: "`client.portal.links`, with a platform key in a tenant, with an API key, or for signed-in users.",
    example: `
const { url } = await postern.inTenant("ext:customer-42").portal.links.create({ permissions: ["webhook.read"] });`,
  },
  "portal-tokens": {
    type: "PortalToken",
    paths: ["/portal-tokens", "/portal-session"],
    names: { getPortalSession: "session" },
    about:
      "`client.portal.tokens`. Your backend makes a token; a client whose `apiKey` it is reaches webhooks, events " +
      "and statistics.",
    example: `
const postern = createClient({ baseUrl, apiKey: token });
const { permissions } = await postern.portal.tokens.session();`,
  },
};
