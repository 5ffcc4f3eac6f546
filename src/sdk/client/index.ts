/** `postern/client`: the API from browsers, Node and Workers, without dependencies. */
import { type AuthMethods, authMethods } from "./auth";
import { type Authenticators, browserAuthenticators } from "./authenticator";
import { createCall } from "./call";
import { type EventMethods, eventMethods } from "./events";
import { type FeedMethods, feedMethods } from "./feeds";
import type {
  ApiKeyMethods,
  AppMethods,
  AuditMethods,
  ClientMethods,
  ConnectionMethods,
  DomainMethods,
  EventTypeMethods,
  InvitationMethods,
  ListenMethods,
  MemberMethods,
  OperatorMethods,
  ResourceMethods,
  SessionMethods,
  SetupLinkMethods,
  SourceMethods,
  StatsMethods,
  TwoFactorMethods,
} from "./generated-methods";
import {
  apiKeyMethods,
  appMethods,
  auditMethods,
  clientMethods,
  connectionMethods,
  domainMethods,
  eventTypeMethods,
  invitationMethods,
  listenMethods,
  memberMethods,
  operatorMethods,
  resourceMethods,
  sessionMethods,
  setupLinkMethods,
  sourceMethods,
  statsMethods,
  twoFactorMethods,
} from "./generated-requests";
import { type IdentityMethods, identityMethods } from "./identities";
import { headersForPerson, type OnBehalfOf } from "./on-behalf";
import { type PasskeyMethods, passkeyMethods } from "./passkeys";
import { type Platform, platformOf } from "./platform";
import { type Portal, portalOf } from "./portal";
import { createRenew } from "./renewal";
import { createSend, type Fetch, type JsonCodec } from "./send";
import { type TenantMethods, tenantMethods } from "./tenants";
import { memoryStore, type TokenStore } from "./token-store";
import { type WebhookMethods, webhookMethods } from "./webhooks";

export type { AuthMethods, CaptchaOptions } from "./auth";
export type { Authenticators } from "./authenticator";
export type { CallOptions } from "./call";
export type * from "./derived";
export { PosternError, type PosternErrorCode, type PosternErrorFields } from "./errors";
export type { EventMethods } from "./events";
export type { FeedItem, FeedMethods, FeedPollOptions, FeedReadOptions } from "./feeds";
export type * from "./generated";
export type * from "./generated-methods";
export type { IdentityMethods } from "./identities";
export type { OnBehalfOf } from "./on-behalf";
export type { Listed, Page, Paged } from "./pages";
export type { PasskeyLoginOptions, PasskeyMethods } from "./passkeys";
export type { Platform } from "./platform";
export type { Portal } from "./portal";
export type { Fetch, JsonCodec } from "./send";
export type { TenantMethods } from "./tenants";
export { type KeyValueStorage, memoryStore, type StoredTokens, type TokenStore, webStorageStore } from "./token-store";
export type { WebhookMethods } from "./webhooks";

const TIMEOUT_MS = 30_000;

/** How to reach the service, and as whom. */
export interface ClientOptions {
  /** The service's address without `/api/v1`: `https://postern.example.com`. */
  baseUrl: string;
  /** Calls as this API key, or with the token of a feed or a portal; no tokens are stored or renewed. */
  apiKey?: string | undefined;
  /** Calls as this platform key, which belongs to servers. Not together with `apiKey`. */
  platformKey?: string | undefined;
  /** The tenant to act in with a platform key: an id, `ext:<externalId>` or `platform`. */
  tenant?: string | undefined;
  /** The person for whom a backend calls: limits, sessions and mails are then theirs. Needs `clientIpSecret`. */
  onBehalfOf?: OnBehalfOf | undefined;
  /** The service's `CLIENT_IP_SECRET`, which belongs to servers. It signs the address in `onBehalfOf`. */
  clientIpSecret?: string | undefined;
  /** Where the tokens are kept; in memory unless given. */
  tokens?: TokenStore | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Replaces `JSON`, which changes numbers above 2^53, by a library that keeps their digits. */
  json?: JsonCodec | undefined;
  /** Replaces `navigator.credentials`, for passkeys. */
  authenticators?: Authenticators | undefined;
  /** How long a call may take unless its own options say otherwise; 30,000. */
  timeoutMs?: number | undefined;
}

/**
 * The methods of the API, by noun. Each returns a promise and takes `CallOptions` last. A method that returns a string
 * returns a sentence for people, such as `Webhook paused`.
 *
 * Each throws `PosternError`, with the codes that its own description names and, like any call: UNAUTHENTICATED (not
 * signed in), REFRESH_TOKEN_INVALID, REFRESH_TOKEN_EXPIRED or REFRESH_TOKEN_REUSED (the session has ended), FORBIDDEN
 * (the tenant is suspended), SECOND_FACTOR_REQUIRED or SIGN_ON_REQUIRED (by the tenant), NOT_FOUND (no such tenant) or
 * VALIDATION_FAILED (a platform key without a tenant), PAYLOAD_TOO_LARGE, RATE_LIMITED, SERVICE_UNAVAILABLE,
 * INTERNAL_ERROR, NETWORK_ERROR, TIMEOUT, BAD_RESPONSE. A call that its `signal` aborts throws the signal's reason
 * instead. A malformed id (empty, `.` or `..`) throws TypeError.
 */
export interface Client {
  auth: AuthMethods;
  sessions: SessionMethods;
  twoFactor: TwoFactorMethods;
  passkeys: PasskeyMethods;
  identities: IdentityMethods;
  apps: AppMethods;
  clients: ClientMethods;
  resources: ResourceMethods;
  apiKeys: ApiKeyMethods;
  tenants: TenantMethods;
  connections: ConnectionMethods;
  domains: DomainMethods;
  setupLinks: SetupLinkMethods;
  members: MemberMethods;
  invitations: InvitationMethods;
  eventTypes: EventTypeMethods;
  sources: SourceMethods;
  feeds: FeedMethods;
  listen: ListenMethods;
  webhooks: WebhookMethods;
  events: EventMethods;
  stats: StatsMethods;
  audit: AuditMethods;
  operator: OperatorMethods;
  platform: Platform;
  portal: Portal;
  /** Returns a client with the same credential that acts in another tenant: an id, `ext:<externalId>` or `platform`. */
  inTenant(tenant: string): Client;
}

/**
 * Returns a client for one user, one API key or one platform key. It sends nothing by itself. Throws TypeError for two
 * keys, and for `onBehalfOf` without `clientIpSecret`. In a Worker, create one for each request: requests cannot share
 * promises.
 *
 * @example
 * const client = createClient({ baseUrl: "https://postern.example.com", tokens: webStorageStore(localStorage) });
 * await client.auth.login({ email: "ada@example.com", password });
 * const webhooks = await client.webhooks.list();
 */
export function createClient(options: ClientOptions): Client {
  const { apiKey, platformKey, tenant, tokens = memoryStore(), timeoutMs = TIMEOUT_MS, json = JSON } = options;
  if (apiKey !== undefined && platformKey !== undefined) throw new TypeError("Give apiKey or platformKey, not both.");
  const key = apiKey ?? platformKey;
  const forPerson = headersForPerson(options.onBehalfOf, options.clientIpSecret);
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const send = createSend(baseUrl, options.fetch ?? ((url, init) => fetch(url, init)), { tenant, forPerson, json });
  const renew = createRenew(tokens, send, `postern ${baseUrl}`);
  const call = createCall({
    send,
    renew,
    credential: async () => key ?? (await tokens.load())?.accessToken,
    renewable: key === undefined,
    timeoutMs,
    baseUrl,
  });
  return {
    auth: authMethods(call, tokens, renew),
    sessions: sessionMethods(call),
    twoFactor: twoFactorMethods(call),
    passkeys: passkeyMethods(call, tokens, () => options.authenticators ?? browserAuthenticators()),
    identities: identityMethods(call, tokens, baseUrl),
    apps: appMethods(call),
    clients: clientMethods(call),
    resources: resourceMethods(call),
    apiKeys: apiKeyMethods(call),
    tenants: tenantMethods(call, tokens),
    connections: connectionMethods(call),
    domains: domainMethods(call),
    setupLinks: setupLinkMethods(call),
    members: memberMethods(call),
    invitations: invitationMethods(call),
    eventTypes: eventTypeMethods(call),
    sources: sourceMethods(call),
    feeds: feedMethods(call),
    listen: listenMethods(call),
    webhooks: webhookMethods(call),
    events: eventMethods(call),
    stats: statsMethods(call),
    audit: auditMethods(call),
    operator: operatorMethods(call),
    platform: platformOf(call),
    portal: portalOf(call),
    inTenant: (other) => createClient({ ...options, tokens, tenant: other }),
  };
}
