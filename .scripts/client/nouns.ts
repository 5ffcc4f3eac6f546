/**
 * The nouns of the client. A method is called as its operation, without the word for the noun and without `get` and
 * `list` before another word: `addSourceSecret` is `sources.addSecret`, and `listSourceErrors` is `sources.errors`.
 */

export interface Noun {
  /** Its interface is this name and `Methods`, or `Endpoints` if the file of the noun extends it by hand. */
  type: string;
  /** How operations call it; `type` unless given. */
  word?: string;
  /** An operation belongs to the noun with the longest beginning of its path. */
  paths: readonly string[];
  /** The docstring of the interface, and an example. Missing if the file of the noun has them. */
  about?: string;
  example?: string;
  /** Methods that are not called as their operation. */
  names?: Readonly<Record<string, string>>;
  /** Operations whose methods are written by hand. */
  byHand?: readonly string[];
}

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
  "platform-tenants": {
    type: "PlatformTenant",
    paths: ["/platform/tenants"],
    names: {
      createPlatformInvitation: "invite",
      getPlatformSecurity: "security",
      updatePlatformSecurity: "updateSecurity",
    },
    about:
      "`client.platform.tenants`, with a platform key. A tenant is named by its id or as `ext:<externalId>`; one " +
      "that the key does not see throws NOT_FOUND.",
    example: `
const tenant = await client.platform.tenants.create({ name: "Analytical Engines", externalId: "customer-42" });`,
  },
  "platform-users": {
    type: "PlatformUser",
    paths: ["/platform/users"],
    names: { revokePlatformSessions: "revokeSessions" },
    about:
      "`client.platform.users`, with a platform key. A user is named by id, as `ext:<externalId>` or as " +
      "`email:<address>`. Changing an operator's account throws FORBIDDEN.",
    example: `
const user = await client.platform.users.create({ email: "ada@example.com", externalId: "user-7" });`,
  },
  "platform-members": {
    type: "PlatformMember",
    paths: ["/platform/tenants/{tenant}/members"],
  },
  "platform-imports": {
    type: "PlatformImport",
    word: "Import",
    paths: ["/platform/imports"],
    about: "`client.platform.imports`, with a platform key that has the scope `users.write`.",
    example: `
const { id } = await client.platform.imports.create({ name: "From Auth0" });
await client.platform.imports.putPart(id, 1, '{"email":"ada@example.com","emailVerified":true}');
await client.platform.imports.start(id, { parts: 1 });`,
  },
  "platform-clients": {
    type: "PlatformClient",
    word: "Client",
    paths: ["/platform/clients"],
    about: "`client.platform.clients`, with a platform key (`clients.read`, `clients.write`) or for operators.",
    example: `
const { id, secret } = await client.platform.clients.create({ name: "Shop", redirectUrls: [callback] });`,
  },
  "platform-resources": {
    type: "PlatformResource",
    word: "Resource",
    paths: ["/platform/resources"],
    about: "`client.platform.resources`, the APIs that take tokens of apps, as `client.platform.clients`.",
    example: `
await client.platform.resources.update("api", { unlisted: true });`,
  },
  "platform-apps": {
    type: "PlatformApp",
    paths: ["/platform/apps"],
    names: { listPlatformApps: "list", setPlatformApp: "set" },
    about: "`client.platform.apps`, for people who operate the service: which apps are blocked.",
    example: `
await client.platform.apps.set(id, { state: "blocked" });`,
  },
  "platform-usage": {
    type: "PlatformUsage",
    word: "Usage",
    paths: ["/platform/usage"],
    about: "`client.platform.usage`, with a platform key that has the scope `tenants.read`.",
    example: `
for await (const used of client.platform.usage.list({ month: "2026-11" })) console.log(used.events);`,
  },
  "platform-keys": {
    type: "PlatformKey",
    paths: ["/platform/keys"],
    about:
      "`client.platform.keys`, for people who operate the service, as `client.operator`. Calls that change something " +
      "throw STEP_UP_REQUIRED if the sign-in was more than ten minutes ago and no password or code is given.",
    example: `
const { key } = await client.platform.keys.create({ name: "shop", scopes: ["tenants.*"], password, totp });`,
  },
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
