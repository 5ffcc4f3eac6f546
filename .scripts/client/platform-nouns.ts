/** The nouns of `client.platform`; see noun.ts. */
import type { Noun } from "./noun.ts";

export const PLATFORM_NOUNS: Readonly<Record<string, Noun>> = {
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
  "platform-domains": {
    type: "PlatformDomain",
    paths: ["/platform/tenants/{tenant}/domains"],
    about:
      "`client.platform.domains`, with a platform key that has `connections.read` or `connections.write`. Tenants " +
      "are named as in `platform.tenants`.",
    example: `
await client.platform.domains.create("ext:customer-42", { domain: "acme.com", proved: true });`,
  },
  "platform-connections": {
    type: "PlatformConnection",
    paths: ["/platform/tenants/{tenant}/connections"],
    names: {
      listPlatformSignOnTraces: "traces",
      getPlatformSignOnTrace: "trace",
      createPlatformScimToken: "createScimToken",
      listPlatformScimTokens: "scimTokens",
      revokePlatformScimToken: "revokeScimToken",
      listPlatformConnectionPeople: "people",
      releasePlatformConnectionPerson: "releasePerson",
      previewPlatformConnectionRoles: "previewRoles",
    },
    about:
      "`client.platform.connections`, the identity providers of tenants, with a platform key that has " +
      "`connections.read` or `connections.write`.",
    example: `
const { redirectUri } = await client.platform.connections.create("ext:customer-42", { name: "Okta" });`,
  },
  "platform-setup-links": {
    type: "PlatformSetupLink",
    paths: ["/platform/tenants/{tenant}/setup-links"],
    about: "`client.platform.setupLinks`, with a platform key that has `connections.read` or `connections.write`.",
    example: `
const { url } = await client.platform.setupLinks.create("ext:customer-42", { may: ["connection"] });`,
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
};
