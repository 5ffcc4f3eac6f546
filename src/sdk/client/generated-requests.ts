/**
 * What each method sends. Generated from the OpenAPI document by `npm run generate`: to change one, change its route,
 * or its name in .scripts/client.
 */

import type { Call } from "./call";
import type {
  ApiKeyMethods,
  AppMethods,
  AuditMethods,
  AuthEndpoints,
  ClientMethods,
  ConnectionMethods,
  DomainMethods,
  EventEndpoints,
  EventTypeMethods,
  FeedEndpoints,
  IdentityEndpoints,
  InvitationMethods,
  ListenMethods,
  MemberMethods,
  OperatorMethods,
  PasskeyEndpoints,
  PlatformAppMethods,
  PlatformClientMethods,
  PlatformConnectionMethods,
  PlatformDomainMethods,
  PlatformImportMethods,
  PlatformKeyMethods,
  PlatformMemberEndpoints,
  PlatformResourceMethods,
  PlatformSetupLinkMethods,
  PlatformTenantMethods,
  PlatformUsageMethods,
  PlatformUserMethods,
  PortalLinkMethods,
  PortalTokenMethods,
  ResourceMethods,
  SessionMethods,
  SetupLinkMethods,
  SourceMethods,
  StatsMethods,
  TenantEndpoints,
  TwoFactorMethods,
  WebhookEndpoints,
} from "./generated-methods";
import { listed, paged } from "./pages";
import { query, segment } from "./path";

export const authEndpoints = (call: Call): AuthEndpoints => ({
  discoverSignOn: (body, options) => call.data("POST /auth/sign-on/discover", { ...options, body, as: "nobody" }),
  mailSignOnLink: (body, options) => call.message("POST /auth/sign-on/mail", { ...options, body, as: "nobody" }),
  reportNotMe: (token, options) => call.message("POST /auth/not-me", { ...options, body: { token }, as: "nobody" }),
  resetPassword: (body, options) => call.message("POST /auth/reset-password", { ...options, body, as: "nobody" }),
  me: (options) => call.data("GET /auth/me", options),
  update: (body, options) => call.data("PATCH /auth/me", { ...options, body }),
  changeEmail: (body, options) => call.message("POST /auth/change-email", { ...options, body }),
  confirmEmail: (token, options) => call.message("POST /auth/change-email/confirm", { ...options, body: { token } }),
  stepUp: (body, options) => call.message("POST /auth/step-up", { ...options, body }),
  resendVerification: (options) => call.message("POST /auth/resend-verification", options),
  changePassword: (body, options) => call.message("POST /auth/change-password", { ...options, body }),
  exportAccount: (options) => call.data("GET /auth/me/export", options),
});

export const sessionMethods = (call: Call): SessionMethods => ({
  list: (options) => listed(call.data("GET /auth/sessions", options)),
  revoke: (id, options) => call.message(`DELETE /auth/sessions/${segment(id)}`, options),
  activity: (options) => listed(call.data("GET /auth/me/activity", options)),
});

export const twoFactorMethods = (call: Call): TwoFactorMethods => ({
  removeLost: (token, options) => call.message("POST /auth/2fa/remove", { ...options, body: { token }, as: "nobody" }),
  enable: (options) => call.data("POST /auth/2fa/enable", options),
  verify: (code, options) => call.message("POST /auth/2fa/verify", { ...options, body: { token: code } }),
  disable: (code, options) => call.message("POST /auth/2fa/disable", { ...options, body: { token: code } }),
  renewRecoveryCodes: (code, options) =>
    call.data("POST /auth/2fa/recovery-codes", { ...options, body: { token: code } }),
});

export const passkeyEndpoints = (call: Call): PasskeyEndpoints => ({
  list: (options) => listed(call.data("GET /auth/passkeys", options)),
  rename: (id, name, options) => call.message(`PATCH /auth/passkeys/${segment(id)}`, { ...options, body: { name } }),
  remove: (id, options) => call.message(`DELETE /auth/passkeys/${segment(id)}`, options),
});

export const identityEndpoints = (call: Call): IdentityEndpoints => ({
  list: (options) => listed(call.data("GET /auth/identities", options)),
  unlink: (id, options) => call.message(`DELETE /auth/identities/${segment(id)}`, options),
});

export const appMethods = (call: Call): AppMethods => ({
  list: (options) => listed(call.data("GET /auth/apps", options)),
  disconnect: (id, options) => call.message(`DELETE /auth/apps/${segment(id)}`, options),
  listOfTenant: (options) => listed(call.data("GET /tenant/apps", options)),
  setInTenant: (client, body, options) => call.message(`PUT /tenant/apps/${segment(client)}`, { ...options, body }),
});

export const clientMethods = (call: Call): ClientMethods => ({
  create: (body = {}, options) => call.data("POST /tenant/clients", { ...options, body }),
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /tenant/clients${query({ ...filter, cursor })}`, options), filter?.cursor),
  get: (id, options) => call.data(`GET /tenant/clients/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /tenant/clients/${segment(id)}`, { ...options, body }),
  delete: (id, options) => call.message(`DELETE /tenant/clients/${segment(id)}`, options),
  rotateSecret: (id, body = {}, options) =>
    call.data(`POST /tenant/clients/${segment(id)}/secret`, { ...options, body }),
  endSecret: (id, options) => call.message(`DELETE /tenant/clients/${segment(id)}/secret/previous`, options),
  revoke: (id, options) => call.message(`POST /tenant/clients/${segment(id)}/revoke`, options),
});

export const resourceMethods = (call: Call): ResourceMethods => ({
  create: (body, options) => call.data("POST /tenant/resources", { ...options, body }),
  list: (options) => listed(call.data("GET /tenant/resources", options)),
  get: (id, options) => call.data(`GET /tenant/resources/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /tenant/resources/${segment(id)}`, { ...options, body }),
  delete: (id, options) => call.message(`DELETE /tenant/resources/${segment(id)}`, options),
  rotateSecret: (id, body = {}, options) =>
    call.data(`POST /tenant/resources/${segment(id)}/secret`, { ...options, body }),
});

export const apiKeyMethods = (call: Call): ApiKeyMethods => ({
  create: (body, options) => call.data("POST /api-keys", { ...options, body }),
  list: (options) => listed(call.data("GET /api-keys", options)),
  revoke: (id, options) => call.message(`DELETE /api-keys/${segment(id)}`, options),
});

export const tenantEndpoints = (call: Call): TenantEndpoints => ({
  list: (options) => listed(call.data("GET /tenants", options)),
  export: (options) => call.data("GET /tenant/export", options),
  security: (options) => call.data("GET /tenant/security", options),
  updateSecurity: (body, options) => call.data("PATCH /tenant/security", { ...options, body }),
});

export const connectionMethods = (call: Call): ConnectionMethods => ({
  create: (body, options) => call.data("POST /tenant/connections", { ...options, body }),
  list: (options) => listed(call.data("GET /tenant/connections", options)),
  get: (id, options) => call.data(`GET /tenant/connections/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /tenant/connections/${segment(id)}`, { ...options, body }),
  delete: (id, body, options) => call.message(`DELETE /tenant/connections/${segment(id)}`, { ...options, body }),
  activate: (id, options) => call.message(`POST /tenant/connections/${segment(id)}/activate`, options),
  disable: (id, options) => call.message(`POST /tenant/connections/${segment(id)}/disable`, options),
  test: (id, options) => call.data(`POST /tenant/connections/${segment(id)}/test`, options),
  traces: (id, options) => listed(call.data(`GET /tenant/connections/${segment(id)}/traces`, options)),
  trace: (id, trace, options) => call.data(`GET /tenant/connections/${segment(id)}/traces/${segment(trace)}`, options),
  createScimToken: (id, body = {}, options) =>
    call.data(`POST /tenant/connections/${segment(id)}/scim-tokens`, { ...options, body }),
  scimTokens: (id, options) => listed(call.data(`GET /tenant/connections/${segment(id)}/scim-tokens`, options)),
  revokeScimToken: (id, token, options) =>
    call.message(`DELETE /tenant/connections/${segment(id)}/scim-tokens/${segment(token)}`, options),
  people: (id, filter, options) =>
    call.answer(`GET /tenant/connections/${segment(id)}/people${query({ ...filter })}`, options),
  releasePerson: (id, person, options) =>
    call.message(`POST /tenant/connections/${segment(id)}/people/${segment(person)}/release`, options),
  previewRoles: (id, body, options) =>
    call.data(`POST /tenant/connections/${segment(id)}/roles/preview`, { ...options, body }),
});

export const setupLinkMethods = (call: Call): SetupLinkMethods => ({
  create: (body, options) => call.data("POST /tenant/setup-links", { ...options, body }),
  list: (options) => listed(call.data("GET /tenant/setup-links", options)),
  revoke: (id, options) => call.message(`DELETE /tenant/setup-links/${segment(id)}`, options),
});

export const domainMethods = (call: Call): DomainMethods => ({
  list: (options) => listed(call.data("GET /tenant/domains", options)),
  create: (body, options) => call.data("POST /tenant/domains", { ...options, body }),
  check: (domain, options) => call.data(`POST /tenant/domains/${segment(domain)}/check`, options),
  delete: (domain, body = {}, options) =>
    call.message(`DELETE /tenant/domains/${segment(domain)}`, { ...options, body }),
});

export const memberMethods = (call: Call): MemberMethods => ({
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /members${query({ ...filter, cursor })}`, options), filter?.cursor),
  leave: (options) => call.message("DELETE /members/me", options),
  setAlerts: (alerts, options) => call.data("PATCH /members/me", { ...options, body: { alerts } }),
  changeRole: (userId, role, options) => call.data(`PATCH /members/${segment(userId)}`, { ...options, body: { role } }),
  remove: (userId, options) => call.message(`DELETE /members/${segment(userId)}`, options),
});

export const invitationMethods = (call: Call): InvitationMethods => ({
  lookUp: (token, options) =>
    call.data("POST /auth/invitations/look-up", { ...options, body: { token }, as: "nobody" }),
  create: (body, options) => call.data("POST /invitations", { ...options, body }),
  list: (options) => listed(call.data("GET /invitations", options)),
  accept: (token, options) => call.data("POST /invitations/accept", { ...options, body: { token } }),
  revoke: (id, options) => call.message(`DELETE /invitations/${segment(id)}`, options),
});

export const auditMethods = (call: Call): AuditMethods => ({
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /audit${query({ ...filter, cursor })}`, options), filter?.cursor),
});

export const webhookEndpoints = (call: Call): WebhookEndpoints => ({
  create: (body, options) => call.data("POST /webhooks", { ...options, body }),
  list: ({ externalId, setUpBy, ...options } = {}) =>
    listed(call.data(`GET /webhooks${query({ externalId, setUpBy })}`, options)),
  import: (body, options) => call.data("POST /webhooks/import", { ...options, body }),
  get: (id, options) => call.data(`GET /webhooks/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /webhooks/${segment(id)}`, { ...options, body }),
  delete: (id, options) => call.message(`DELETE /webhooks/${segment(id)}`, options),
  pause: (id, options) => call.message(`POST /webhooks/${segment(id)}/pause`, options),
  resume: (id, { held, ...options } = {}) =>
    call.message(`POST /webhooks/${segment(id)}/resume${query({ held })}`, options),
  testFilter: (id, body, options) => call.data(`POST /webhooks/${segment(id)}/filter/test`, { ...options, body }),
  rotateSecret: (id, body = {}, options) =>
    call.answer(`POST /webhooks/${segment(id)}/secret/rotate`, { ...options, body }),
  endPreviousSecrets: (id, options) => call.message(`DELETE /webhooks/${segment(id)}/secret/previous`, options),
  retry: (id, options) => call.message(`POST /webhooks/${segment(id)}/retry`, options),
  retryDelivery: (id, deliveryId, options) =>
    call.message(`POST /webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/retry`, options),
  retryFailed: (id, body, options) => call.answer(`POST /webhooks/${segment(id)}/retry-failed`, { ...options, body }),
  test: (id, options) => call.message(`POST /webhooks/${segment(id)}/test`, options),
  replays: (id, { cursor: from, ...options } = {}) =>
    paged((cursor) => call.answer(`GET /webhooks/${segment(id)}/replays${query({ cursor })}`, options), from),
  replayStatus: (id, replayId, options) =>
    call.data(`GET /webhooks/${segment(id)}/replays/${segment(replayId)}`, options),
  stopReplay: (id, replayId, options) =>
    call.data(`DELETE /webhooks/${segment(id)}/replays/${segment(replayId)}`, options),
  attempt: (id, attemptId, options) =>
    call.data(`GET /webhooks/${segment(id)}/attempts/${segment(attemptId)}`, options),
  stats: (id, { hours, ...options } = {}) =>
    call.data(`GET /webhooks/${segment(id)}/stats${query({ hours })}`, options),
  metrics: (id, options) => call.data(`GET /webhooks/${segment(id)}/metrics`, options),
});

export const eventEndpoints = (call: Call): EventEndpoints => ({
  publish: (body, options) => call.data("POST /events", { ...options, body }),
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /events${query({ ...filter, cursor })}`, options), filter?.cursor),
  publishBatch: (events, options) => call.data("POST /events/batch", { ...options, body: { events } }),
  get: (id, { cursor, ...options } = {}) => call.answer(`GET /events/${segment(id)}${query({ cursor })}`, options),
});

export const eventTypeMethods = (call: Call): EventTypeMethods => ({
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /event-types${query({ ...filter, cursor })}`, options), filter?.cursor),
  create: (body, options) => call.data("POST /event-types", { ...options, body }),
  export: (filter, options) =>
    call.data(`GET /event-types/export${query({ ...filter })}`, { ...options, isFile: true }),
  import: (body, options) => call.data("POST /event-types/import", { ...options, body }),
  get: (name, options) => call.data(`GET /event-types/${segment(name)}`, options),
  update: (name, body, options) => call.data(`PATCH /event-types/${segment(name)}`, { ...options, body }),
  delete: (name, options) => call.message(`DELETE /event-types/${segment(name)}`, options),
  addVersion: (name, body, options) => call.data(`POST /event-types/${segment(name)}/versions`, { ...options, body }),
  versions: (name, options) => listed(call.data(`GET /event-types/${segment(name)}/versions`, options)),
  version: (name, version, options) =>
    call.data(`GET /event-types/${segment(name)}/versions/${segment(String(version))}`, options),
  validate: (name, body, options) => call.data(`POST /event-types/${segment(name)}/validate`, { ...options, body }),
  settings: (options) => call.data("GET /tenant/event-types", options),
  updateSettings: (body, options) => call.data("PATCH /tenant/event-types", { ...options, body }),
});

export const sourceMethods = (call: Call): SourceMethods => ({
  create: (body, options) => call.data("POST /sources", { ...options, body }),
  list: (options) => listed(call.data("GET /sources", options)),
  get: (id, options) => call.data(`GET /sources/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /sources/${segment(id)}`, { ...options, body }),
  delete: (id, options) => call.message(`DELETE /sources/${segment(id)}`, options),
  addSecret: (id, secret, options) =>
    call.data(`POST /sources/${segment(id)}/secrets`, { ...options, body: { secret } }),
  removeSecret: (id, secretId, options) =>
    call.data(`DELETE /sources/${segment(id)}/secrets/${segment(secretId)}`, options),
  test: (id, body, options) => call.data(`POST /sources/${segment(id)}/test`, { ...options, body }),
  errors: (id, options) => listed(call.data(`GET /sources/${segment(id)}/errors`, options)),
});

export const feedEndpoints = (call: Call): FeedEndpoints => ({
  create: (body, options) => call.data("POST /feeds", { ...options, body }),
  list: (options) => listed(call.data("GET /feeds", options)),
  get: (id, options) => call.data(`GET /feeds/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /feeds/${segment(id)}`, { ...options, body }),
  delete: (id, options) => call.message(`DELETE /feeds/${segment(id)}`, options),
  rotateToken: (id, body = {}, options) => call.data(`POST /feeds/${segment(id)}/token`, { ...options, body }),
  consumers: (id, options) => listed(call.data(`GET /feeds/${segment(id)}/consumers`, options)),
  ack: (id, consumer, cursor, options) =>
    call.data(`POST /feeds/${segment(id)}/consumers/${segment(consumer)}/ack`, { ...options, body: { cursor } }),
  seek: (id, consumer, body, options) =>
    call.data(`POST /feeds/${segment(id)}/consumers/${segment(consumer)}/seek`, { ...options, body }),
  deleteConsumer: (id, consumer, options) =>
    call.message(`DELETE /feeds/${segment(id)}/consumers/${segment(consumer)}`, options),
});

export const listenMethods = (call: Call): ListenMethods => ({
  open: (body, options) => call.data("POST /listen", { ...options, body }),
  list: (options) => listed(call.data("GET /listen", options)),
  ticket: (id, options) => call.data(`POST /listen/${segment(id)}/ticket`, options),
  close: (id, options) => call.message(`DELETE /listen/${segment(id)}`, options),
});

export const statsMethods = (call: Call): StatsMethods => ({
  get: ({ hours, ...options } = {}) => call.data(`GET /stats${query({ hours })}`, options),
});

export const operatorMethods = (call: Call): OperatorMethods => ({
  search: (q, options) => call.data(`GET /operator/search${query({ q })}`, options),
  audit: (filter, options) =>
    paged((cursor) => call.answer(`GET /operator/audit${query({ ...filter, cursor })}`, options), filter?.cursor),
  status: (options) => call.data("GET /operator/status", options),
  tenant: (id, options) => call.data(`GET /operator/tenants/${segment(id)}`, options),
  person: (id, options) => call.data(`GET /operator/people/${segment(id)}`, options),
  suspendTenant: (id, body, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/suspend`, { ...options, body }),
  resumeTenant: (id, body, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/resume`, { ...options, body }),
  endSignOn: (id, body, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/sign-on/end`, { ...options, body }),
  moveTenant: (id, body, options) => call.message(`POST /operator/tenants/${segment(id)}/move`, { ...options, body }),
  cancelMove: (id, body = {}, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/move/cancel`, { ...options, body }),
  suspendPerson: (id, body, options) =>
    call.message(`POST /operator/people/${segment(id)}/suspend`, { ...options, body }),
  resumePerson: (id, body, options) =>
    call.message(`POST /operator/people/${segment(id)}/resume`, { ...options, body }),
  revokeSessions: (id, body = {}, options) =>
    call.message(`POST /operator/people/${segment(id)}/sessions/revoke`, { ...options, body }),
  removeTwoFactor: (id, body = {}, options) =>
    call.message(`POST /operator/people/${segment(id)}/two-factor/remove`, { ...options, body }),
  holdSends: (body = {}, options) => call.message("POST /operator/sends/hold", { ...options, body }),
  releaseSends: (body = {}, options) => call.message("POST /operator/sends/release", { ...options, body }),
  holdSendsOf: (tenantId, body = {}, options) =>
    call.message(`POST /operator/tenants/${segment(tenantId)}/sends/hold`, { ...options, body }),
  releaseSendsOf: (tenantId, body = {}, options) =>
    call.message(`POST /operator/tenants/${segment(tenantId)}/sends/release`, { ...options, body }),
  moveDomain: (domain, body, options) =>
    call.message(`POST /operator/domains/${segment(domain)}/move`, { ...options, body }),
});

export const platformTenantMethods = (call: Call): PlatformTenantMethods => ({
  create: (body, options) => call.data("POST /platform/tenants", { ...options, body }),
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /platform/tenants${query({ ...filter, cursor })}`, options), filter?.cursor),
  get: (tenant, options) => call.data(`GET /platform/tenants/${segment(tenant)}`, options),
  update: (tenant, body, options) => call.data(`PATCH /platform/tenants/${segment(tenant)}`, { ...options, body }),
  delete: (tenant, options) => call.message(`DELETE /platform/tenants/${segment(tenant)}`, options),
  suspend: (tenant, body, options) =>
    call.message(`POST /platform/tenants/${segment(tenant)}/suspend`, { ...options, body }),
  resume: (tenant, body, options) =>
    call.message(`POST /platform/tenants/${segment(tenant)}/resume`, { ...options, body }),
  invite: (tenant, body, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/invitations`, { ...options, body }),
  security: (tenant, options) => call.data(`GET /platform/tenants/${segment(tenant)}/security`, options),
  updateSecurity: (tenant, body, options) =>
    call.data(`PATCH /platform/tenants/${segment(tenant)}/security`, { ...options, body }),
});

export const platformUserMethods = (call: Call): PlatformUserMethods => ({
  create: (body, options) => call.data("POST /platform/users", { ...options, body }),
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /platform/users${query({ ...filter, cursor })}`, options), filter?.cursor),
  get: (user, options) => call.data(`GET /platform/users/${segment(user)}`, options),
  update: (user, body, options) => call.data(`PATCH /platform/users/${segment(user)}`, { ...options, body }),
  delete: (user, body = {}, options) => call.message(`DELETE /platform/users/${segment(user)}`, { ...options, body }),
  suspend: (user, body, options) => call.message(`POST /platform/users/${segment(user)}/suspend`, { ...options, body }),
  resume: (user, body, options) => call.message(`POST /platform/users/${segment(user)}/resume`, { ...options, body }),
  revokeSessions: (user, body, options) =>
    call.message(`POST /platform/users/${segment(user)}/sessions/revoke`, { ...options, body }),
  mail: (user, body, options) => call.message(`POST /platform/users/${segment(user)}/mails`, { ...options, body }),
});

export const platformMemberEndpoints = (call: Call): PlatformMemberEndpoints => ({
  list: (tenant, filter, options) =>
    paged(
      (cursor) =>
        call.answer(`GET /platform/tenants/${segment(tenant)}/members${query({ ...filter, cursor })}`, options),
      filter?.cursor,
    ),
  add: (tenant, body, options) => call.data(`POST /platform/tenants/${segment(tenant)}/members`, { ...options, body }),
  update: (tenant, user, body, options) =>
    call.data(`PATCH /platform/tenants/${segment(tenant)}/members/${segment(user)}`, { ...options, body }),
  remove: (tenant, user, options) =>
    call.message(`DELETE /platform/tenants/${segment(tenant)}/members/${segment(user)}`, options),
});

export const platformDomainMethods = (call: Call): PlatformDomainMethods => ({
  list: (tenant, options) => listed(call.data(`GET /platform/tenants/${segment(tenant)}/domains`, options)),
  create: (tenant, body, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/domains`, { ...options, body }),
  check: (tenant, domain, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/domains/${segment(domain)}/check`, options),
  delete: (tenant, domain, body = {}, options) =>
    call.message(`DELETE /platform/tenants/${segment(tenant)}/domains/${segment(domain)}`, { ...options, body }),
});

export const platformConnectionMethods = (call: Call): PlatformConnectionMethods => ({
  create: (tenant, body, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/connections`, { ...options, body }),
  list: (tenant, options) => listed(call.data(`GET /platform/tenants/${segment(tenant)}/connections`, options)),
  get: (tenant, id, options) =>
    call.data(`GET /platform/tenants/${segment(tenant)}/connections/${segment(id)}`, options),
  update: (tenant, id, body, options) =>
    call.data(`PATCH /platform/tenants/${segment(tenant)}/connections/${segment(id)}`, { ...options, body }),
  delete: (tenant, id, body, options) =>
    call.message(`DELETE /platform/tenants/${segment(tenant)}/connections/${segment(id)}`, { ...options, body }),
  activate: (tenant, id, options) =>
    call.message(`POST /platform/tenants/${segment(tenant)}/connections/${segment(id)}/activate`, options),
  disable: (tenant, id, options) =>
    call.message(`POST /platform/tenants/${segment(tenant)}/connections/${segment(id)}/disable`, options),
  test: (tenant, id, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/connections/${segment(id)}/test`, options),
  traces: (tenant, id, options) =>
    listed(call.data(`GET /platform/tenants/${segment(tenant)}/connections/${segment(id)}/traces`, options)),
  trace: (tenant, id, trace, options) =>
    call.data(`GET /platform/tenants/${segment(tenant)}/connections/${segment(id)}/traces/${segment(trace)}`, options),
  createScimToken: (tenant, id, body = {}, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/connections/${segment(id)}/scim-tokens`, { ...options, body }),
  scimTokens: (tenant, id, options) =>
    listed(call.data(`GET /platform/tenants/${segment(tenant)}/connections/${segment(id)}/scim-tokens`, options)),
  revokeScimToken: (tenant, id, token, options) =>
    call.message(
      `DELETE /platform/tenants/${segment(tenant)}/connections/${segment(id)}/scim-tokens/${segment(token)}`,
      options,
    ),
  people: (tenant, id, filter, options) =>
    call.answer(
      `GET /platform/tenants/${segment(tenant)}/connections/${segment(id)}/people${query({ ...filter })}`,
      options,
    ),
  releasePerson: (tenant, id, person, options) =>
    call.message(
      `POST /platform/tenants/${segment(tenant)}/connections/${segment(id)}/people/${segment(person)}/release`,
      options,
    ),
  previewRoles: (tenant, id, body, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/connections/${segment(id)}/roles/preview`, {
      ...options,
      body,
    }),
});

export const platformSetupLinkMethods = (call: Call): PlatformSetupLinkMethods => ({
  create: (tenant, body, options) =>
    call.data(`POST /platform/tenants/${segment(tenant)}/setup-links`, { ...options, body }),
  list: (tenant, options) => listed(call.data(`GET /platform/tenants/${segment(tenant)}/setup-links`, options)),
  revoke: (tenant, id, options) =>
    call.message(`DELETE /platform/tenants/${segment(tenant)}/setup-links/${segment(id)}`, options),
});

export const platformImportMethods = (call: Call): PlatformImportMethods => ({
  create: (body = {}, options) => call.data("POST /platform/imports", { ...options, body }),
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /platform/imports${query({ ...filter, cursor })}`, options), filter?.cursor),
  get: (id, options) => call.data(`GET /platform/imports/${segment(id)}`, options),
  stop: (id, options) => call.message(`DELETE /platform/imports/${segment(id)}`, options),
  putPart: (id, part, people, options) =>
    call.data(`PUT /platform/imports/${segment(id)}/parts/${segment(String(part))}`, { ...options, ndjson: people }),
  start: (id, body, options) => call.data(`POST /platform/imports/${segment(id)}/start`, { ...options, body }),
  report: (id, filter, options) =>
    paged(
      (cursor) => call.answer(`GET /platform/imports/${segment(id)}/report${query({ ...filter, cursor })}`, options),
      filter?.cursor,
    ),
});

export const platformClientMethods = (call: Call): PlatformClientMethods => ({
  create: (body = {}, options) => call.data("POST /platform/clients", { ...options, body }),
  list: (filter, options) =>
    paged((cursor) => call.answer(`GET /platform/clients${query({ ...filter, cursor })}`, options), filter?.cursor),
  get: (id, options) => call.data(`GET /platform/clients/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /platform/clients/${segment(id)}`, { ...options, body }),
  delete: (id, body = {}, options) => call.message(`DELETE /platform/clients/${segment(id)}`, { ...options, body }),
  rotateSecret: (id, body = {}, options) =>
    call.data(`POST /platform/clients/${segment(id)}/secret`, { ...options, body }),
  endSecret: (id, body = {}, options) =>
    call.message(`DELETE /platform/clients/${segment(id)}/secret/previous`, { ...options, body }),
  revoke: (id, body = {}, options) =>
    call.message(`POST /platform/clients/${segment(id)}/revoke`, { ...options, body }),
});

export const platformResourceMethods = (call: Call): PlatformResourceMethods => ({
  create: (body, options) => call.data("POST /platform/resources", { ...options, body }),
  list: (options) => listed(call.data("GET /platform/resources", options)),
  get: (id, options) => call.data(`GET /platform/resources/${segment(id)}`, options),
  update: (id, body, options) => call.data(`PATCH /platform/resources/${segment(id)}`, { ...options, body }),
  delete: (id, body = {}, options) => call.message(`DELETE /platform/resources/${segment(id)}`, { ...options, body }),
  rotateSecret: (id, body = {}, options) =>
    call.data(`POST /platform/resources/${segment(id)}/secret`, { ...options, body }),
});

export const platformAppMethods = (call: Call): PlatformAppMethods => ({
  list: (options) => listed(call.data("GET /platform/apps", options)),
  set: (client, body, options) => call.message(`PUT /platform/apps/${segment(client)}`, { ...options, body }),
});

export const platformUsageMethods = (call: Call): PlatformUsageMethods => ({
  platform: (filter, options) =>
    paged((cursor) => call.answer(`GET /platform/usage${query({ ...filter, cursor })}`, options), filter?.cursor),
});

export const platformKeyMethods = (call: Call): PlatformKeyMethods => ({
  create: (body, options) => call.data("POST /platform/keys", { ...options, body }),
  list: (options) => listed(call.data("GET /platform/keys", options)),
  rotate: (id, body = {}, options) => call.data(`POST /platform/keys/${segment(id)}/rotate`, { ...options, body }),
  endPrevious: (id, body = {}, options) =>
    call.message(`DELETE /platform/keys/${segment(id)}/previous`, { ...options, body }),
  revoke: (id, body = {}, options) => call.message(`DELETE /platform/keys/${segment(id)}`, { ...options, body }),
});

export const portalLinkMethods = (call: Call): PortalLinkMethods => ({
  create: (body, options) => call.data("POST /portal-links", { ...options, body }),
  list: (options) => listed(call.data("GET /portal-links", options)),
  revoke: (id, options) => call.message(`DELETE /portal-links/${segment(id)}`, options),
});

export const portalTokenMethods = (call: Call): PortalTokenMethods => ({
  create: (body, options) => call.data("POST /portal-tokens", { ...options, body }),
  session: (options) => call.data("GET /portal-session", options),
});
