/**
 * The methods that are a request each. Generated from the OpenAPI document by `npm run generate`: to change one, change
 * its route, or its name in .scripts/client.
 */

import type { CallOptions } from "./call";
import type {
  AccountExport,
  ApiKey,
  ApiKeyInput,
  AttemptCounts,
  AttemptDetail,
  AuditEvent,
  AuditFilter,
  BatchEventInput,
  ConnectedApp,
  Connection,
  ConnectionChange,
  ConnectionDeletion,
  ConnectionInput,
  ConnectionPeople,
  ConnectionPersonFilter,
  DiscoveredSignOn,
  Domain,
  DomainInput,
  DomainMove,
  DomainRemoval,
  EmailChange,
  EventDetailPage,
  EventFilter,
  EventInput,
  EventSummary,
  EventType,
  EventTypeChange,
  EventTypeFilter,
  EventTypeImport,
  EventTypeImportResult,
  EventTypeInput,
  EventTypeSample,
  EventTypeSampleResult,
  EventTypeSettings,
  EventTypeSettingsChange,
  EventTypeSummary,
  EventTypesFormat,
  EventTypeVersion,
  EventTypeVersionInput,
  EventTypeVersionSummary,
  Feed,
  FeedChange,
  FeedConsumer,
  FeedInput,
  FeedSeek,
  FeedTokenRotation,
  FeedWithToken,
  FilterResult,
  FilterSample,
  Identity,
  Import,
  ImportedLine,
  ImportedSubscription,
  ImportFilter,
  ImportInput,
  ImportPart,
  ImportReportFilter,
  ImportStart,
  Invitation,
  InvitationInput,
  InvitationLookUp,
  IssuedApiKey,
  IssuedOauthClient,
  IssuedPlatformKey,
  JoinedTenant,
  Listener,
  ListenerInput,
  ListenTicket,
  MadePortalLink,
  MadePortalToken,
  MadeScimToken,
  MadeSetupLink,
  Member,
  MemberFilter,
  Membership,
  MembershipChange,
  MoveRequest,
  OauthClient,
  OauthClientChange,
  OauthClientInput,
  OauthClientSecretRotation,
  OpenedListener,
  OperatedPerson,
  OperatedTenant,
  OperatorConfirmation,
  OperatorSearch,
  Passkey,
  PasswordChange,
  PasswordReset,
  PersonSuspension,
  PlatformApp,
  PlatformAppRule,
  PlatformClientFilter,
  PlatformDomainInput,
  PlatformKey,
  PlatformKeyInput,
  PlatformKeyRotation,
  PlatformMember,
  PlatformMemberChange,
  PlatformMemberFilter,
  PlatformMemberInput,
  PlatformReason,
  PlatformTenant,
  PlatformTenantChange,
  PlatformTenantFilter,
  PlatformTenantInput,
  PlatformUsage,
  PlatformUsageFilter,
  PlatformUser,
  PlatformUserChange,
  PlatformUserDeletion,
  PlatformUserFilter,
  PlatformUserInput,
  PlatformUserMail,
  PlatformUserWithTenants,
  PortalLink,
  PortalLinkInput,
  PortalSession,
  PortalTokenInput,
  Profile,
  ProfileChange,
  PublishedEvent,
  RecoveryCodes,
  Replay,
  Resource,
  ResourceChange,
  ResourceInput,
  ResourceSecret,
  RetryFailedRequest,
  RetryFailedResult,
  Role,
  RolesPreview,
  RolesPreviewInput,
  RotatedSubscription,
  ScimToken,
  ScimTokenInput,
  SecretRotation,
  ServiceStatus,
  Session,
  SetupLink,
  SetupLinkInput,
  SignOnAddress,
  SignOnLinkRequest,
  SignOnTrace,
  Source,
  SourceChange,
  SourceError,
  SourceInput,
  SourceSample,
  SourceSampleResult,
  StartedTest,
  StepUp,
  Subscription,
  SubscriptionChange,
  SubscriptionImport,
  SubscriptionInput,
  SubscriptionStats,
  Suspension,
  TenantApp,
  TenantAppRule,
  TenantExport,
  TenantSecurity,
  TenantSecurityChange,
  TenantStats,
  TwoFactorEnrolment,
} from "./generated";
import type { Listed, Paged } from "./pages";

/** Options of `client.events.get`. */
export interface EventOptions extends CallOptions {
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
}

/** Options of `client.events.publish`. */
export interface PublishOptions extends CallOptions {
  /** Repeating a call with the same key within 24 hours returns the first answer and publishes nothing. */
  idempotencyKey?: string | undefined;
}

/** Options of `client.webhooks.replays`. */
export interface ReplayListOptions extends CallOptions {
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
}

/** Options of `client.webhooks.replay`. */
export interface ReplayOptions extends CallOptions {
  /** Repeating a call with the same key within 24 hours returns the first answer and publishes nothing. */
  idempotencyKey?: string | undefined;
}

/** Options of `client.webhooks.resume`. */
export interface ResumeOptions extends CallOptions {
  /** Whether the deliveries that were held during the pause are sent, oldest first, or dropped. By default `"send"`. */
  held?: "send" | "drop" | undefined;
}

/** Options of `client.stats.get` and `client.webhooks.stats`. */
export interface StatsOptions extends CallOptions {
  /** How many hours to return, the current one included. By default `24`. */
  hours?: number | undefined;
}

/** Options of `client.webhooks.list`. */
export interface SubscriptionListOptions extends CallOptions {
  /** The id of the subscription in your own system, unique in the tenant. */
  externalId?: string | undefined;
  /** Only those that this user, or an API key of theirs, has created or last given another URL. */
  setUpBy?: string | undefined;
}

/** What `AuthMethods` has for the endpoints that need nothing but a request. */
export interface AuthEndpoints {
  /**
   * Where somebody with this address signs on, if the page may tell.
   *
   * A URL only for an address of a proved domain with an active connection, whose `discovery` is `domain` or with which
   * this browser has signed on before: send the request from there, with its cookies. Everybody else gets null, whoever
   * they are.
   *
   * Throws CAPTCHA_REQUIRED, VALIDATION_FAILED.
   */
  discoverSignOn(body: SignOnAddress, options?: CallOptions): Promise<DiscoveredSignOn>;
  /**
   * Mails a link that starts a sign-on, if the address is of a tenant's proved domain.
   *
   * The answer is the same for every address. The link works once, within 15 minutes, and begins with a button on the
   * page `/account/sign-on`. An address gets at most three mails in 15 minutes.
   *
   * Throws VALIDATION_FAILED.
   */
  mailSignOnLink(body: SignOnLinkRequest, options?: CallOptions): Promise<string>;
  /**
   * Undoes what a mail reports, with the token of its link. With a verification token, reclaims an account that
   * somebody else registered.
   *
   * The links work once, within 72 hours. All links but those that revoke API keys also undo what the account has done
   * in its tenants since: invitations, members who joined by them, roles, subscriptions, API keys of tenants, sources
   * and platform keys. An email lists it.
   *
   * Throws INVALID_TOKEN, VALIDATION_FAILED.
   */
  reportNotMe(token: string, options?: CallOptions): Promise<string>;
  /**
   * Sets a new password with a mailed token and ends every session of the user.
   *
   * API keys, passkeys and sign-ins with providers from before the address was verified end too, because somebody else
   * may have added them. The user is told by mail what has ended and what still works.
   *
   * Throws INVALID_TOKEN, TOKEN_EXPIRED, VALIDATION_FAILED.
   */
  resetPassword(body: PasswordReset, options?: CallOptions): Promise<string>;
  /** The signed-in user, their tenant and their permissions there. Throws what any call throws. */
  me(options?: CallOptions): Promise<Profile>;
  /** Changes the name or the language of the signed-in user. Throws FORBIDDEN, VALIDATION_FAILED. */
  update(body: ProfileChange, options?: CallOptions): Promise<Profile>;
  /**
   * Mails a link to a new address, which changes the address of the account.
   *
   * The link works for 24 hours and once, and a newer request ends it. The answer is the same whether or not another
   * account has the address. The present address gets a link that undoes all of this for 72 hours. Needs a sign-in or a
   * step-up within the last ten minutes, or the password or a code. The addresses of operators of the service cannot be
   * changed.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED,
   * WRONG_PASSWORD.
   */
  changeEmail(body: EmailChange, options?: CallOptions): Promise<string>;
  /**
   * Changes the address of the account, with the token that was mailed to the new one.
   *
   * Needs a session of the account: a stranger who follows the link changes nothing. Sessions stay; links that were
   * mailed before end. An account that has the address without having verified it ends: whoever follows the link has
   * the mailbox. For 72 hours nobody else can have the former address.
   *
   * Throws EMAIL_TAKEN, FORBIDDEN, INVALID_TOKEN, VALIDATION_FAILED.
   */
  confirmEmail(token: string, options?: CallOptions): Promise<string>;
  /**
   * Confirms the session for ten minutes with the password, a passkey, a code, or a sign-on of the tenant's own.
   *
   * Endpoints that answer `STEP_UP_REQUIRED` need this, or a sign-in, within the last ten minutes. An account with a
   * second factor or a passkey needs one of these: `details` names the fields of which one is wanted. A session that a
   * sign-on has opened is confirmed by another one, which begins at the address in `details`; its code works once,
   * within 60 seconds, in the browser that has signed on: send it with its cookies.
   *
   * Throws ACCOUNT_LOCKED, INVALID_CODE, INVALID_TOKEN, INVALID_TOTP, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  stepUp(body: StepUp, options?: CallOptions): Promise<string>;
  /** Mails the verification link again. Throws FORBIDDEN. */
  resendVerification(options?: CallOptions): Promise<string>;
  /**
   * Changes the password and ends every other session of the user. Throws ACCOUNT_LOCKED, FORBIDDEN, VALIDATION_FAILED,
   * WRONG_PASSWORD.
   */
  changePassword(body: PasswordChange, options?: CallOptions): Promise<string>;
  /**
   * Everything that the service keeps about the user, in all tenants, without secrets.
   *
   * Needs a sign-in, or `POST /auth/step-up`, within the last ten minutes. The user is told by mail: the export has a
   * year of their IP addresses.
   *
   * Throws FORBIDDEN, STEP_UP_REQUIRED.
   */
  exportAccount(options?: CallOptions): Promise<AccountExport>;
}

/**
 * `client.sessions`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * for (const session of await client.sessions.list()) {
 *   if (!session.current) await client.sessions.revoke(session.id);
 * }
 */
export interface SessionMethods {
  /** The user's sessions, oldest first. Throws what any call throws. */
  list(options?: CallOptions): Listed<Session>;
  /** Ends one session of the user. Throws NOT_FOUND. */
  revoke(id: string, options?: CallOptions): Promise<string>;
  /**
   * The last 100 events of the user's own account, newest first, in all tenants; in a confined session, in its own.
   *
   * What the user did, and what others who were not signed in did to the account, such as failed logins.
   *
   * Throws what any call throws.
   */
  activity(options?: CallOptions): Listed<AuditEvent>;
}

/**
 * `client.twoFactor`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const { qrCodeUri } = await client.twoFactor.enable();
 * // Show it as a QR code, then ask for the app's code.
 * await client.twoFactor.verify("123456");
 * const { recoveryCodes } = await client.twoFactor.renewRecoveryCodes("654321");
 */
export interface TwoFactorMethods {
  /**
   * Turns two-factor authentication off with the token of a mailed link.
   *
   * For somebody who has lost the authenticator app and the recovery codes: an operator of the service has the link
   * mailed. It works once, within 24 hours, and ends all sessions.
   *
   * Throws INVALID_TOKEN, VALIDATION_FAILED.
   */
  removeLost(token: string, options?: CallOptions): Promise<string>;
  /**
   * Starts enrolment. Two-factor authentication is off until a code confirms it. Throws FORBIDDEN,
   * TWO_FACTOR_ALREADY_ENABLED.
   */
  enable(options?: CallOptions): Promise<TwoFactorEnrolment>;
  /**
   * Confirms enrolment with a code from the authenticator app, and ends the user's other sessions. Throws FORBIDDEN,
   * INVALID_TOTP, TWO_FACTOR_ALREADY_ENABLED, TWO_FACTOR_NOT_STARTED, VALIDATION_FAILED.
   */
  verify(code: string, options?: CallOptions): Promise<string>;
  /**
   * Turns two-factor authentication off. Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED.
   */
  disable(code: string, options?: CallOptions): Promise<string>;
  /**
   * Replaces the recovery codes and returns the new ones, which are not shown again. Throws ACCOUNT_LOCKED, FORBIDDEN,
   * INVALID_TOTP, TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED.
   */
  renewRecoveryCodes(code: string, options?: CallOptions): Promise<RecoveryCodes>;
}

/** What `PasskeyMethods` has for the endpoints that need nothing but a request. */
export interface PasskeyEndpoints {
  /** The user's passkeys, oldest first. Throws FORBIDDEN. */
  list(options?: CallOptions): Listed<Passkey>;
  /** Renames a passkey of the user. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  rename(id: string, name: string, options?: CallOptions): Promise<string>;
  /**
   * Removes a passkey of the user. Sessions opened with it stay.
   *
   * Needs a sign-in or a step-up within the last ten minutes. The user is told by mail. `CONFLICT`: it is the last way
   * to sign in.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  remove(id: string, options?: CallOptions): Promise<string>;
}

/** What `IdentityMethods` has for the endpoints that need nothing but a request. */
export interface IdentityEndpoints {
  /** Returns the people at providers as whom the user signs in, oldest first. Throws FORBIDDEN, NOT_FOUND. */
  list(options?: CallOptions): Listed<Identity>;
  /**
   * Removes an identity. Sessions that it has opened stay.
   *
   * Needs a sign-in or a step-up within the last ten minutes. `CONFLICT`: it is the last way to sign in.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  unlink(id: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.apps`, what people have allowed apps, and what a tenant says of them, for signed-in users; an API key gets
 * UNAUTHENTICATED.
 *
 * @example
 * for (const { id, client: app, tenant } of await client.apps.list()) {
 *   if (app.name === "Shop") await client.apps.disconnect(id);
 * }
 */
export interface AppMethods {
  /** Returns the apps that the user has allowed something, in all tenants, by name. Throws what any call throws. */
  list(options?: CallOptions): Listed<ConnectedApp>;
  /** Takes back what the user has allowed an app in a tenant, and ends its access at once. Throws NOT_FOUND. */
  disconnect(id: string, options?: CallOptions): Promise<string>;
  /**
   * Returns the apps that members have allowed something, and those of which the tenant says something. Throws
   * FORBIDDEN without `client.manage`.
   */
  listOfTenant(options?: CallOptions): Listed<TenantApp>;
  /**
   * Blocks an app in the tenant at once, or ends that. Connections wait, and go on when it ends. Throws FORBIDDEN
   * without `client.manage`, NOT_FOUND, VALIDATION_FAILED.
   */
  setInTenant(client: string, body: TenantAppRule, options?: CallOptions): Promise<string>;
}

/**
 * `client.clients`, the tenant's own apps, for its members alone; for whoever has `client.manage`, and for platform
 * keys with `clients.write` that name the tenant.
 *
 * @example
 * const { id, secret } = await client.clients.create({ name: "Our wiki", redirectUrls: [callback] });
 */
export interface ClientMethods {
  /**
   * Registers an app that people sign in to.
   *
   * The same `externalId` again returns the client that is there (200); with other settings: 409. A person needs a
   * sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN without `client.manage`, INVALID_TOTP, STEP_UP_REQUIRED,
   * TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED, WRONG_PASSWORD.
   */
  create(body?: OauthClientInput, options?: CallOptions): Promise<IssuedOauthClient>;
  /** Lists clients, newest first, page by page. Throws FORBIDDEN without `client.manage`, VALIDATION_FAILED. */
  list(filter?: PlatformClientFilter, options?: CallOptions): Paged<OauthClient>;
  /** Returns a client. Throws FORBIDDEN without `client.manage`, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<OauthClient>;
  /**
   * Changes a client. What is missing stays; a client that is disabled is unknown to everybody.
   *
   * Of a URL, a key or an identifier, a person needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN without `client.manage`, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED,
   * TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED, WRONG_PASSWORD.
   */
  update(id: string, body: OauthClientChange, options?: CallOptions): Promise<OauthClient>;
  /**
   * Deletes a client: nobody signs in to it any more, and its tokens end. Throws FORBIDDEN without `client.manage`,
   * NOT_FOUND.
   */
  delete(id: string, options?: CallOptions): Promise<string>;
  /**
   * Gives a client a new secret. The former one works for a day longer by default.
   *
   * 409: a former secret still works; end it first. A person needs a sign-in within the last ten minutes, or the
   * password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN without `client.manage`, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED,
   * TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED, WRONG_PASSWORD.
   */
  rotateSecret(id: string, body?: OauthClientSecretRotation, options?: CallOptions): Promise<IssuedOauthClient>;
  /** Ends the former secret at once, if one still works. Throws FORBIDDEN without `client.manage`, NOT_FOUND. */
  endSecret(id: string, options?: CallOptions): Promise<string>;
  /**
   * Ends all sign-ins to a client, with their tokens. What people have allowed it stays. Throws FORBIDDEN without
   * `client.manage`, NOT_FOUND.
   */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.resources`, the tenant's own APIs that take tokens of apps, as `client.clients`. The RFC 9728 document of
 * each names it and the service.
 *
 * @example
 * await client.resources.create({ name: "Notes", identifier: "https://notes.example.com/mcp", scopes });
 */
export interface ResourceMethods {
  /**
   * Registers an API that takes tokens of apps, with its scopes.
   *
   * A person needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN without `client.manage`, INVALID_TOTP, STEP_UP_REQUIRED,
   * TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED, WRONG_PASSWORD.
   */
  create(body: ResourceInput, options?: CallOptions): Promise<Resource>;
  /**
   * Returns the APIs that take tokens of apps, newest first; of the platform, our own before them. Throws FORBIDDEN
   * without `client.manage`.
   */
  list(options?: CallOptions): Listed<Resource>;
  /** Returns an API that takes tokens of apps. Throws FORBIDDEN without `client.manage`, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Resource>;
  /**
   * Changes an API that takes tokens of apps. Of our own, only who gets its tokens.
   *
   * Of a URL, a key or an identifier, a person needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN without `client.manage`, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED,
   * TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED, WRONG_PASSWORD.
   */
  update(id: string, body: ResourceChange, options?: CallOptions): Promise<Resource>;
  /**
   * Deletes an API: it gets no tokens any more. Those that it has end within 15 minutes. Throws FORBIDDEN without
   * `client.manage`, NOT_FOUND.
   */
  delete(id: string, options?: CallOptions): Promise<string>;
  /**
   * Gives an API a new secret, with which it asks about tokens. A former one ends at once.
   *
   * A person needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN without `client.manage`, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED,
   * TWO_FACTOR_NOT_ENABLED, VALIDATION_FAILED, WRONG_PASSWORD.
   */
  rotateSecret(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<ResourceSecret>;
}

/**
 * `client.apiKeys`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const { key } = await client.apiKeys.create({ name: "checkout", scopes: ["event.publish"] });
 * const publisher = createClient({ baseUrl, apiKey: key });
 */
export interface ApiKeyMethods {
  /**
   * Creates a key that acts in this tenant, for its maker or for the tenant itself. Throws CONFLICT, FORBIDDEN,
   * VALIDATION_FAILED.
   */
  create(body: ApiKeyInput, options?: CallOptions): Promise<IssuedApiKey>;
  /**
   * The caller's active keys and, for owners and admins, those of the tenant, newest first. Throws what any call
   * throws.
   */
  list(options?: CallOptions): Listed<ApiKey>;
  /** Revokes a key of the caller. Owners and admins may revoke any key of the tenant. Throws NOT_FOUND. */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

/** What `TenantMethods` has for the endpoints that need nothing but a request. */
export interface TenantEndpoints {
  /** The tenants that the user is a member of, the most recently used first. Throws what any call throws. */
  list(options?: CallOptions): Listed<Membership>;
  /**
   * What the service keeps about the tenant of the session, without secrets.
   *
   * One JSON document, streamed. Payloads, responses and values of headers are not part of it: the delivery log has
   * them. The audit log has an export of its own. Needs a sign-in, or `POST /auth/step-up`, within the last ten
   * minutes.
   *
   * Throws FORBIDDEN, STEP_UP_REQUIRED.
   */
  export(options?: CallOptions): Promise<TenantExport>;
  /** What the tenant requires of its members. Throws FORBIDDEN without `member.read`. */
  security(options?: CallOptions): Promise<TenantSecurity>;
  /**
   * Requires a second factor or single sign-on of members, or of none.
   *
   * Two-factor authentication counts, and a passkey in sessions that it has opened or confirmed. After the grace
   * period, members without one get `SECOND_FACTOR_REQUIRED` everywhere but below `/auth/`, where they set one up. API
   * keys are not affected. Each change begins the grace period anew. Owners need a sign-in or a step-up within the last
   * ten minutes, and a second factor of their own to require one; all owners are told. `signOn`: once the grace period
   * is over, those who must sign on and have not get `SIGN_ON_REQUIRED` at login, and everywhere but below `/auth/`.
   * Owners still get in with a passkey, or with a password or mailed code and a two-factor code; all owners are told of
   * that. It needs an active connection, for `domains` a proved domain, and of the owner a sign-on or a test within
   * seven days and a second factor: 409 names what is missing. Without a grace period, the caller's own session may end
   * at once: `endsThisSession`.
   *
   * Throws CONFLICT, FORBIDDEN, SECOND_FACTOR_REQUIRED, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  updateSecurity(body: TenantSecurityChange, options?: CallOptions): Promise<TenantSecurity>;
}

/**
 * `client.connections`, the identity providers of a tenant, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const { id, redirectUri } = await client.connections.create({ name: "Okta" });
 * // Once the app is registered there with that redirect URI:
 * await client.connections.update(id, { oidc: { issuer, clientId, clientSecret } });
 * const { url } = await client.connections.test(id);
 */
export interface ConnectionMethods {
  /**
   * Connects the tenant to its identity provider. Saving an issuer reads its document.
   *
   * For owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  create(body: ConnectionInput, options?: CallOptions): Promise<Connection>;
  /** The tenant's connections to its identity providers, newest first. Throws FORBIDDEN without `member.manage`. */
  list(options?: CallOptions): Listed<Connection>;
  /** Returns one connection. Throws FORBIDDEN without `member.manage`, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Connection>;
  /**
   * Changes the given fields of a connection, as a new version. Another issuer is another provider.
   *
   * Another issuer or subject begins a new generation: whom the former provider knew counts no more, and the sessions
   * of its sign-ons end. For owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  update(id: string, body: ConnectionChange, options?: CallOptions): Promise<Connection>;
  /**
   * Deletes a connection, and keeps or removes the members whom it has made.
   *
   * For owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  delete(id: string, body: ConnectionDeletion, options?: CallOptions): Promise<string>;
  /**
   * Lets people sign on. Needs a test of this version that has succeeded within 24 hours.
   *
   * For owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  activate(id: string, options?: CallOptions): Promise<string>;
  /**
   * Ends sign-on through a connection, and the sessions that it has opened.
   *
   * For owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  disable(id: string, options?: CallOptions): Promise<string>;
  /**
   * Begins a test of a connection: opens no session, and makes and links nobody.
   *
   * Open the `url` in a browser and sign in at the provider. It ends on the page of the trace. A test that has
   * succeeded lets the connection be activated for 24 hours, as long as it is not changed.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  test(id: string, options?: CallOptions): Promise<StartedTest>;
  /**
   * The last 50 tests and 100 refusals of a connection within 30 days, newest first. Throws FORBIDDEN without
   * `member.manage`, NOT_FOUND.
   */
  traces(id: string, options?: CallOptions): Listed<SignOnTrace>;
  /** Returns one test or refusal of a connection. Throws FORBIDDEN without `member.manage`, NOT_FOUND. */
  trace(id: string, trace: string, options?: CallOptions): Promise<SignOnTrace>;
  /**
   * Makes a token with which the tenant's directory calls the SCIM server of a connection.
   *
   * It is shown once. A connection has two at most: make the new one, enter it at the directory, end the old. For
   * owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  createScimToken(id: string, body?: ScimTokenInput, options?: CallOptions): Promise<MadeScimToken>;
  /** The tokens of a connection's directory, newest first. Throws FORBIDDEN without `member.manage`, NOT_FOUND. */
  scimTokens(id: string, options?: CallOptions): Listed<ScimToken>;
  /**
   * Ends a token of a connection's directory at once.
   *
   * For owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  revokeScimToken(id: string, token: string, options?: CallOptions): Promise<string>;
  /**
   * Whom a connection knows: the people of its directory, then who has signed on without a record there. Throws
   * FORBIDDEN without `member.manage`, NOT_FOUND, VALIDATION_FAILED.
   */
  people(id: string, filter?: ConnectionPersonFilter, options?: CallOptions): Promise<ConnectionPeople>;
  /**
   * Lets somebody in whom a connection keeps out.
   *
   * It ends the former subject of the account with the address, and the mark that somebody here has removed the person.
   * `CONFLICT` says what else keeps them out. For owners, within ten minutes of a sign-in or a step-up.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  releasePerson(id: string, person: string, options?: CallOptions): Promise<string>;
  /**
   * Counts the people of the directory whom these rules would give another role.
   *
   * Nothing changes. Owners and roles that were given by hand stay. Whom a rule about a claim decides is not counted:
   * their next sign-on does. It looks at the first 10,000 records of the directory, and says whether these are all.
   *
   * Throws FORBIDDEN without `member.manage`, NOT_FOUND, VALIDATION_FAILED.
   */
  previewRoles(id: string, body: RolesPreviewInput, options?: CallOptions): Promise<RolesPreview>;
}

/**
 * `client.setupLinks`, links with which the customer's IT sets up sign-on, for signed-in users; an API key gets
 * UNAUTHENTICATED.
 *
 * @example
 * const { url } = await client.setupLinks.create({ may: ["connection", "domains"], email: "it@acme.com" });
 */
export interface SetupLinkMethods {
  /**
   * Makes a link with which the customer's IT sets up sign-on, without an account. It opens once.
   *
   * It shows the pages of what it `may`, and works while its maker may make one. What it makes or changes signs nobody
   * in before an owner, or `connections.write`, activates the connection. For owners, within ten minutes of a sign-in
   * or a step-up.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  create(body: SetupLinkInput, options?: CallOptions): Promise<MadeSetupLink>;
  /** The setup links that have not ended, newest first. Throws FORBIDDEN without `member.manage`. */
  list(options?: CallOptions): Listed<SetupLink>;
  /** Ends a setup link at once, and the session that it has opened. Throws FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED. */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.domains`, the domains of a tenant, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const { record } = await client.domains.create({ domain: "acme.com" });
 * // Once the record is in the zone of the domain:
 * const { state, lastError } = await client.domains.check("acme.com");
 */
export interface DomainMethods {
  /** Returns the tenant's domains, by name. Throws FORBIDDEN without `member.manage`. */
  list(options?: CallOptions): Listed<Domain>;
  /**
   * Adds a domain, and says with which record in DNS the tenant proves it.
   *
   * Enter `record` in the zone of the domain, and check it. Cloudflare's and Google's resolvers must both see it. A
   * domain is of one tenant at a time.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  create(body: DomainInput, options?: CallOptions): Promise<Domain>;
  /**
   * Looks the record of a domain up now.
   *
   * 503: a resolver gave no answer, and nothing has changed. Without the record the domain has `lastError`; what was
   * proved stays so until its record has been missing on three days in turn.
   *
   * Throws FORBIDDEN, NOT_FOUND, STEP_UP_REQUIRED.
   */
  check(domain: string, options?: CallOptions): Promise<Domain>;
  /**
   * Removes a domain. Who has signed on before can go on doing so. Throws CONFLICT, FORBIDDEN, NOT_FOUND,
   * STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  delete(domain: string, body?: DomainRemoval, options?: CallOptions): Promise<string>;
}

/**
 * `client.members`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const [ada] = (await client.members.list({ q: "ada@example.com" })).data;
 * if (ada) await client.members.changeRole(ada.userId, "developer");
 */
export interface MemberMethods {
  /**
   * The members of the tenant, oldest first, page by page.
   *
   * Without `limit` the first 1,000. A page of a search may be short or empty although more follow: continue until
   * `nextCursor` is null.
   *
   * Throws FORBIDDEN without `member.read`, VALIDATION_FAILED.
   */
  list(filter?: MemberFilter, options?: CallOptions): Paged<Member>;
  /**
   * Leaves the tenant. The caller's sessions and API keys in it stop working at once.
   *
   * An owner needs a sign-in or a step-up within the last ten minutes.
   *
   * Throws LAST_OWNER, STEP_UP_REQUIRED.
   */
  leave(options?: CallOptions): Promise<string>;
  /** Turns the mails about failing subscriptions on or off for the caller. Throws VALIDATION_FAILED. */
  setAlerts(alerts: boolean, options?: CallOptions): Promise<MembershipChange>;
  /**
   * Gives a member another role. Only owners may make or change owners, and the last owner cannot be changed.
   *
   * A role that was given so stays, whatever the rules of the tenant's own sign-on say; null lets them give it. Making
   * or changing an owner needs a sign-in or a step-up within the last ten minutes.
   *
   * Throws CONFLICT, FORBIDDEN without `member.manage`, NOT_FOUND, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  changeRole(userId: string, role: Role | null, options?: CallOptions): Promise<Member>;
  /**
   * Removes a member. Their sessions and API keys in this tenant stop working at once.
   *
   * Removing an owner needs a sign-in or a step-up within the last ten minutes.
   *
   * Throws CONFLICT, FORBIDDEN without `member.manage`, NOT_FOUND, STEP_UP_REQUIRED.
   */
  remove(userId: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.invitations`, for signed-in users; an API key gets UNAUTHENTICATED. `lookUp` is for everybody who has the
 * token of a mail.
 *
 * @example
 * await client.invitations.create({ email: "grace@example.com", role: "developer" });
 * // The page that the link of the mail opens: who has an account signs in, the others register.
 * const { hasAccount } = await client.invitations.lookUp(token);
 * // The invited person, signed in with that address:
 * const { tenant } = await client.invitations.accept(token);
 * await client.auth.login({ email, password, tenantId: tenant.id });
 */
export interface InvitationMethods {
  /**
   * What the invitation of a mailed link says, for the page that the link opens. Throws INVALID_TOKEN,
   * VALIDATION_FAILED.
   */
  lookUp(token: string, options?: CallOptions): Promise<InvitationLookUp>;
  /**
   * Mails an invitation to join the tenant. It is valid for 7 days.
   *
   * Inviting an owner needs a sign-in or a step-up within the last ten minutes.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `member.manage`, STEP_UP_REQUIRED, VALIDATION_FAILED.
   */
  create(body: InvitationInput, options?: CallOptions): Promise<Invitation>;
  /** The open invitations of the tenant, newest first. Throws FORBIDDEN without `member.read`. */
  list(options?: CallOptions): Listed<Invitation>;
  /**
   * Joins the tenant of an invitation that was sent to the caller's address. Throws CONFLICT, FORBIDDEN, INVALID_TOKEN,
   * VALIDATION_FAILED.
   */
  accept(token: string, options?: CallOptions): Promise<JoinedTenant>;
  /** Revokes an open invitation. Throws FORBIDDEN without `member.manage`, NOT_FOUND. */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.audit`: who changed what in the tenant.
 *
 * @example
 * for await (const event of client.audit.list({ action: "member.*" })) console.log(event.at, event.action);
 */
export interface AuditMethods {
  /**
   * Lists who changed what in the tenant, newest first, page by page.
   *
   * A filter other than `since` and `until` examines 10,000 events for a page, so a page may be short or empty although
   * more follow: continue until `nextCursor` is null.
   *
   * Throws FORBIDDEN without `audit.read`, VALIDATION_FAILED.
   */
  list(filter?: AuditFilter, options?: CallOptions): Paged<AuditEvent>;
}

/** What `WebhookMethods` has for the endpoints that need nothing but a request. */
export interface WebhookEndpoints {
  /**
   * Subscribes a URL to event types. Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.create`,
   * VALIDATION_FAILED.
   */
  create(body: SubscriptionInput, options?: CallOptions): Promise<Subscription>;
  /** Lists the tenant's subscriptions, newest first. Throws FORBIDDEN without `webhook.read`, VALIDATION_FAILED. */
  list(options?: SubscriptionListOptions): Listed<Subscription>;
  /**
   * Creates or replaces subscriptions by their external ids.
   *
   * For moving from another system. A subscription that has the item's `externalId` is replaced: what the item leaves
   * out gets its default. An item that is refused refuses itself only. Repeating a call changes nothing more. Also
   * needs the permission `webhook.update`.
   *
   * Throws FORBIDDEN without `webhook.create`, VALIDATION_FAILED.
   */
  import(body: SubscriptionImport, options?: CallOptions): Promise<ImportedSubscription[]>;
  /** Returns one subscription. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Subscription>;
  /**
   * Changes the given fields of a subscription. Throws CONFLICT, FORBIDDEN without `webhook.update`, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  update(id: string, body: SubscriptionChange, options?: CallOptions): Promise<Subscription>;
  /**
   * Deletes a subscription. Nothing more is sent to it. Throws CONFLICT, FORBIDDEN without `webhook.delete`, NOT_FOUND.
   */
  delete(id: string, options?: CallOptions): Promise<string>;
  /**
   * Pauses a subscription: it receives no new events until it is resumed. Throws CONFLICT, FORBIDDEN without
   * `webhook.update`, NOT_FOUND.
   */
  pause(id: string, options?: CallOptions): Promise<string>;
  /**
   * Resumes a subscription: it receives new events again. Throws CONFLICT, FORBIDDEN without `webhook.update`,
   * NOT_FOUND, VALIDATION_FAILED.
   */
  resume(id: string, options?: ResumeOptions): Promise<string>;
  /**
   * Says whether a subscription would receive an event, and if not, why. Writes nothing. Throws FORBIDDEN without
   * `webhook.read`, NOT_FOUND, VALIDATION_FAILED.
   */
  testFilter(id: string, body: FilterSample, options?: CallOptions): Promise<FilterResult>;
  /**
   * Gives a subscription a new secret, or a new Ed25519 key.
   *
   * `webhook-signature` has the signatures of the new key and, until they end, of up to three former ones.
   * `X-Webhook-Signature` is made with the new secret only. A new Ed25519 key is published 20 minutes before it signs.
   *
   * Throws CONFLICT, FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED.
   */
  rotateSecret(id: string, body?: SecretRotation, options?: CallOptions): Promise<RotatedSubscription>;
  /**
   * Ends all former keys of a subscription at once.
   *
   * Use this after a leak. Former secrets and former public keys become invalid, and a new Ed25519 key that does not
   * sign yet signs at once. The answer is the same if there are no former keys.
   *
   * Throws CONFLICT, FORBIDDEN without `webhook.update`, NOT_FOUND.
   */
  endPreviousSecrets(id: string, options?: CallOptions): Promise<string>;
  /**
   * Sends the latest failed delivery again. While such a retry is in progress, no second one is queued. Throws
   * EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.update`, NOT_FOUND.
   */
  retry(id: string, options?: CallOptions): Promise<string>;
  /**
   * Sends one failed delivery again, as a new delivery, unless such a retry is in progress. Throws EMAIL_NOT_VERIFIED,
   * FORBIDDEN without `webhook.update`, NOT_FOUND.
   */
  retryDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<string>;
  /**
   * Sends again all failed deliveries of events since a given time, under the same `webhook-id`s.
   *
   * A call queues at most 500 deliveries; `nextCursor` is the cursor for the rest. Answers 409 while the subscription
   * is paused.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED.
   */
  retryFailed(id: string, body: RetryFailedRequest, options?: CallOptions): Promise<RetryFailedResult>;
  /**
   * Sends a test to this subscription alone: `WebhookTested`, or an example of a declared type.
   *
   * The subscription need not list the type, and its filter is not asked. Nobody else receives the event, and no replay
   * sends it. While the tenant's sends are frozen by an operator of the service, the test waits like all other
   * deliveries.
   *
   * Throws EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED.
   */
  test(id: string, options?: CallOptions): Promise<string>;
  /**
   * Lists the replays of a subscription, newest first, page by page. Throws FORBIDDEN without `webhook.read`,
   * NOT_FOUND, VALIDATION_FAILED.
   */
  replays(id: string, options?: ReplayListOptions): Paged<Replay>;
  /** Returns a replay and its progress. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  replayStatus(id: string, replayId: string, options?: CallOptions): Promise<Replay>;
  /** Stops a replay. What it has queued is still sent. Throws FORBIDDEN without `webhook.update`, NOT_FOUND. */
  stopReplay(id: string, replayId: string, options?: CallOptions): Promise<Replay>;
  /**
   * Returns one attempt with its headers, and all attempts of its delivery. Throws FORBIDDEN without `webhook.read`,
   * NOT_FOUND.
   */
  attempt(id: string, attemptId: string, options?: CallOptions): Promise<AttemptDetail>;
  /**
   * Returns the delivery attempts of a subscription per hour. Throws FORBIDDEN without `webhook.read`, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  stats(id: string, options?: StatsOptions): Promise<SubscriptionStats>;
  /** Counts the delivery attempts of a subscription by status. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  metrics(id: string, options?: CallOptions): Promise<AttemptCounts>;
}

/** What `EventMethods` has for the endpoints that need nothing but a request. */
export interface EventEndpoints {
  /**
   * Publishes an event to every subscription that receives its type.
   *
   * The event is stored before the answer and delivered at least once. The body may have up to 256 KiB.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `event.publish`, VALIDATION_FAILED.
   */
  publish(body: EventInput, options?: PublishOptions): Promise<PublishedEvent>;
  /**
   * Lists the published events, newest first, page by page.
   *
   * A page may be short or empty although more follow: continue until `nextCursor` is null.
   *
   * Throws FORBIDDEN without `webhook.read`, VALIDATION_FAILED.
   */
  list(filter?: EventFilter, options?: CallOptions): Paged<EventSummary>;
  /**
   * Publishes up to 100 events, either all or none.
   *
   * The answer lists the events in the order of the request. The body may have up to 1 MiB. Limits count each event.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `event.publish`, VALIDATION_FAILED.
   */
  publishBatch(events: readonly BatchEventInput[], options?: CallOptions): Promise<PublishedEvent[]>;
  /**
   * Returns an event, and what became of it for each subscription that wanted it.
   *
   * `subscriptions` says for each whether the event was delivered, has failed, waits or was skipped, and why. Continue
   * with `cursor` until `nextCursor` is null.
   *
   * Throws FORBIDDEN without `webhook.read`, NOT_FOUND, VALIDATION_FAILED.
   */
  get(id: string, options?: EventOptions): Promise<EventDetailPage>;
}

/**
 * `client.eventTypes`. Every method that takes a name throws NOT_FOUND for one that the tenant has not declared.
 *
 * @example
 * await client.eventTypes.create({ name: "order.paid", schema: { type: "object", required: ["total"] } });
 */
export interface EventTypeMethods {
  /** Lists the event types by name, without schemas. Throws FORBIDDEN without `webhook.read`, VALIDATION_FAILED. */
  list(filter?: EventTypeFilter, options?: CallOptions): Paged<EventTypeSummary>;
  /**
   * Declares an event type. Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.create`, VALIDATION_FAILED.
   */
  create(body: EventTypeInput, options?: CallOptions): Promise<EventType>;
  /**
   * Returns the event types that are not archived as a file.
   *
   * At most 32 MiB. A large file is streamed: if the connection breaks off, it is incomplete.
   *
   * Throws FORBIDDEN without `webhook.read`, VALIDATION_FAILED.
   */
  export(filter?: EventTypesFormat, options?: CallOptions): Promise<string>;
  /**
   * Creates and changes the event types of a document.
   *
   * Types are known by their names. A schema that differs from the newest version becomes the next version. Types and
   * fields that are missing stay. What cannot be taken is listed and holds up nothing else; 400 if no type can be
   * taken. Needs `webhook.update` too.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.create`, VALIDATION_FAILED.
   */
  import(body: EventTypeImport, options?: CallOptions): Promise<EventTypeImportResult>;
  /** Returns one event type with its newest schema. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  get(name: string, options?: CallOptions): Promise<EventType>;
  /**
   * Changes the given fields of an event type. Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.update`,
   * NOT_FOUND, VALIDATION_FAILED.
   */
  update(name: string, body: EventTypeChange, options?: CallOptions): Promise<EventType>;
  /**
   * Deletes an event type with its versions. Subscriptions stay. Throws FORBIDDEN without `webhook.delete`, NOT_FOUND.
   */
  delete(name: string, options?: CallOptions): Promise<string>;
  /**
   * Adds a version of the schema, and says what it breaks.
   *
   * 200 if the schema equals the newest one, key order apart: nothing is added.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED.
   */
  addVersion(name: string, body: EventTypeVersionInput, options?: CallOptions): Promise<EventTypeVersion>;
  /** Lists the versions, newest first, without schemas. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  versions(name: string, options?: CallOptions): Listed<EventTypeVersionSummary>;
  /** Returns one version of the schema. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  version(name: string, version: number, options?: CallOptions): Promise<EventTypeVersion>;
  /**
   * Says whether a payload fits the schema. Writes nothing. Throws CONFLICT, FORBIDDEN without `webhook.read`,
   * NOT_FOUND, VALIDATION_FAILED.
   */
  validate(name: string, body: EventTypeSample, options?: CallOptions): Promise<EventTypeSampleResult>;
  /** Which event types can be published, and who sees them. Throws FORBIDDEN without `webhook.read`. */
  settings(options?: CallOptions): Promise<EventTypeSettings>;
  /**
   * Changes which event types can be published, and who sees them.
   *
   * Making the catalogue public needs a slug, and an owner with a verified address. In the tenant of the platform, a
   * platform key with `webhooks.write` can do it too.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN without `member.manage`, VALIDATION_FAILED.
   */
  updateSettings(body: EventTypeSettingsChange, options?: CallOptions): Promise<EventTypeSettings>;
}

/**
 * `client.sources`. Every method that takes an id throws NOT_FOUND for one that the tenant does not have.
 *
 * @example
 * const { url } = await client.sources.create({ name: "Stripe", provider: "stripe", secrets: [stripeSecret] });
 */
export interface SourceMethods {
  /**
   * Makes a URL at which a provider sends its webhooks, which become events. Throws CONFLICT, FORBIDDEN without
   * `source.manage`, VALIDATION_FAILED.
   */
  create(body: SourceInput, options?: CallOptions): Promise<Source>;
  /** Lists the tenant's sources, newest first. Throws FORBIDDEN without `webhook.read`. */
  list(options?: CallOptions): Listed<Source>;
  /** Returns one source. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Source>;
  /**
   * Changes the given fields of a source. Throws CONFLICT, FORBIDDEN without `source.manage`, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  update(id: string, body: SourceChange, options?: CallOptions): Promise<Source>;
  /** Deletes a source. Calls to its URL get 401. Throws FORBIDDEN without `source.manage`, NOT_FOUND. */
  delete(id: string, options?: CallOptions): Promise<string>;
  /**
   * Adds a secret, for a rotation: calls signed with any of them are taken. Throws CONFLICT, FORBIDDEN without
   * `source.manage`, NOT_FOUND, VALIDATION_FAILED.
   */
  addSecret(id: string, secret: string, options?: CallOptions): Promise<Source>;
  /** Removes a secret, but not the last one. Throws CONFLICT, FORBIDDEN without `source.manage`, NOT_FOUND. */
  removeSecret(id: string, secretId: string, options?: CallOptions): Promise<Source>;
  /**
   * Says what would become of a call. Writes nothing. Throws FORBIDDEN without `source.manage`, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  test(id: string, body: SourceSample, options?: CallOptions): Promise<SourceSampleResult>;
  /** Lists the newest refused calls of a source, newest first. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  errors(id: string, options?: CallOptions): Listed<SourceError>;
}

/** What `FeedMethods` has for the endpoints that need nothing but a request. */
export interface FeedEndpoints {
  /**
   * Creates a feed: a list of events that programs pull, in the order of their commits. Throws CONFLICT, FORBIDDEN
   * without `webhook.create`, VALIDATION_FAILED.
   */
  create(body: FeedInput, options?: CallOptions): Promise<FeedWithToken>;
  /** Lists the tenant's feeds, newest first. Throws FORBIDDEN without `webhook.read`. */
  list(options?: CallOptions): Listed<Feed>;
  /** Returns one feed. Throws FORBIDDEN without `webhook.read`, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Feed>;
  /**
   * Changes the given fields of a feed.
   *
   * Events of new types are in the feed from now on; those of other types are not in it any more.
   *
   * Throws CONFLICT, FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED.
   */
  update(id: string, body: FeedChange, options?: CallOptions): Promise<Feed>;
  /** Deletes a feed with its consumers. Its token ends. Throws FORBIDDEN without `webhook.delete`, NOT_FOUND. */
  delete(id: string, options?: CallOptions): Promise<string>;
  /** Gives a feed a new token. Throws FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED. */
  rotateToken(id: string, body?: FeedTokenRotation, options?: CallOptions): Promise<FeedWithToken>;
  /**
   * Lists the consumers of a feed by name, and how far they have come. Throws FORBIDDEN without `webhook.read`,
   * NOT_FOUND.
   */
  consumers(id: string, options?: CallOptions): Listed<FeedConsumer>;
  /**
   * Notes that a consumer has handled the events up to a cursor.
   *
   * A cursor from before the last one changes nothing. The feed's token may ask, too.
   *
   * Throws FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED.
   */
  ack(id: string, consumer: string, cursor: string, options?: CallOptions): Promise<FeedConsumer>;
  /**
   * Lets a consumer go on elsewhere in the feed.
   *
   * The feed's token may ask, too.
   *
   * Throws FORBIDDEN without `webhook.update`, NOT_FOUND, VALIDATION_FAILED.
   */
  seek(id: string, consumer: string, body: FeedSeek, options?: CallOptions): Promise<FeedConsumer>;
  /**
   * Forgets a consumer of a feed. The feed's token may ask, too. Throws FORBIDDEN without `webhook.update`, NOT_FOUND.
   */
  deleteConsumer(id: string, consumer: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.listen`. `postern listen` is made of it; the documentation has what goes over the socket.
 *
 * @example
 * const { secret, ticket } = await client.listen.open({ events: ["OrderPaid"] });
 */
export interface ListenMethods {
  /**
   * Opens a listener: a subscription whose deliveries go over a WebSocket.
   *
   * It holds its deliveries until a socket is open, and ends 24 hours after the last one. It is not in the list of
   * subscriptions. Also needs the permission `webhook.read`.
   *
   * Throws CONFLICT, FORBIDDEN without `webhook.create`, VALIDATION_FAILED.
   */
  open(body: ListenerInput, options?: CallOptions): Promise<OpenedListener>;
  /** Lists the caller's own listeners, newest first. Throws FORBIDDEN without `webhook.create`. */
  list(options?: CallOptions): Listed<Listener>;
  /** Returns a new ticket for a listener. Throws FORBIDDEN without `webhook.create`, NOT_FOUND. */
  ticket(id: string, options?: CallOptions): Promise<ListenTicket>;
  /** Closes a listener. What it holds is not sent. Throws FORBIDDEN without `webhook.create`, NOT_FOUND. */
  close(id: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.stats`.
 *
 * @example
 * const { success, failed, attention } = await client.stats.get({ hours: 24 });
 */
export interface StatsMethods {
  /**
   * Returns the tenant's delivery attempts per hour, and the subscriptions that need attention. Throws FORBIDDEN
   * without `webhook.read`, VALIDATION_FAILED.
   */
  get(options?: StatsOptions): Promise<TenantStats>;
}

/**
 * `client.operator`, for people who operate the service. For others every call throws NOT_FOUND, and for an operator
 * without two-factor authentication FORBIDDEN. Calls that change something throw STEP_UP_REQUIRED if the sign-in was
 * more than ten minutes ago and no password or code is given; with a wrong one they throw as `auth.stepUp`. Everything
 * is recorded in the audit log.
 *
 * @example
 * const { tenants } = await client.operator.search("Analytical");
 */
export interface OperatorMethods {
  /**
   * Finds tenants, people, subscriptions, events and deliveries, at most 20 of each.
   *
   * For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for others
   * the route does not exist. Recorded in the audit log. A delivery is found by its `webhook-id`; one that was created
   * by a manual retry or a replay is found only until its first attempt.
   *
   * Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  search(q: string, options?: CallOptions): Promise<OperatorSearch>;
  /**
   * Lists what operators did, newest first, page by page.
   *
   * For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for others
   * the route does not exist. Recorded in the audit log. It is the log of the service: no deletion of a tenant or
   * account removes anything.
   *
   * Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  audit(filter?: AuditFilter, options?: CallOptions): Paged<AuditEvent>;
  /**
   * The state of databases and queues, what waits, and what is held.
   *
   * For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for others
   * the route does not exist. Recorded in the audit log.
   *
   * Throws FORBIDDEN, NOT_FOUND.
   */
  status(options?: CallOptions): Promise<ServiceStatus>;
  /**
   * A tenant: its state, its usage and what waits.
   *
   * For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for others
   * the route does not exist. Recorded in the audit log.
   *
   * Throws FORBIDDEN, NOT_FOUND.
   */
  tenant(id: string, options?: CallOptions): Promise<OperatedTenant>;
  /**
   * A person: the state of the account, its sessions and tenants.
   *
   * For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for others
   * the route does not exist. Recorded in the audit log.
   *
   * Throws FORBIDDEN, NOT_FOUND.
   */
  person(id: string, options?: CallOptions): Promise<OperatedPerson>;
  /**
   * Suspends a tenant.
   *
   * Its tokens and API keys get 403 for everything except the user's own account below `/auth`. Nobody can delete it.
   * Its deliveries wait, and nothing is lost. Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  suspendTenant(id: string, body: Suspension, options?: CallOptions): Promise<string>;
  /**
   * Ends the suspension of a tenant. Its waiting deliveries are sent.
   *
   * Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  resumeTenant(id: string, body: Suspension, options?: CallOptions): Promise<string>;
  /**
   * Ends the requirement of single sign-on in a tenant.
   *
   * Its members sign in as before, and its owners are told. 409: it requires none. Needs a sign-in within the last ten
   * minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  endSignOn(id: string, body: Suspension, options?: CallOptions): Promise<string>;
  /**
   * Moves a tenant to another delivery database.
   *
   * For at most two seconds, publishing and changes of subscriptions get 503 with `Retry-After`. Open deliveries and
   * the log stay in the former database until retention has removed them, and requests read both. `move` of the tenant
   * says how far it has come. 409: its former database still has something of it. Needs a sign-in within the last ten
   * minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  moveTenant(id: string, body: MoveRequest, options?: CallOptions): Promise<string>;
  /**
   * Cancels the move of a tenant, which stays in its database.
   *
   * What was copied is deleted. 409: it is not being moved, or the move cannot be stopped any more, because it is about
   * to use the new database, or does. Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  cancelMove(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Suspends a person.
   *
   * All of their sessions end, and logins get 403. API keys that they have made get 401, unless `keepApiKeys` is true.
   * 409: nobody can suspend themselves. Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  suspendPerson(id: string, body: PersonSuspension, options?: CallOptions): Promise<string>;
  /**
   * Lets a suspended person sign in again.
   *
   * Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  resumePerson(id: string, body: Suspension, options?: CallOptions): Promise<string>;
  /**
   * Ends all sessions of a person, in all tenants.
   *
   * Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  revokeSessions(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Mails a person a link that removes their lost second factor.
   *
   * Nothing is removed until the person opens the link and confirms it, within 24 hours. 409: the person has no second
   * factor, or no verified address. Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  removeTwoFactor(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Freezes what is sent for all tenants.
   *
   * Deliveries wait, tests and retries too, and use no attempt; nothing is lost. Needs a sign-in within the last ten
   * minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  holdSends(body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Releases what was frozen for all tenants.
   *
   * Deliveries wait, tests and retries too, and use no attempt; nothing is lost. Needs a sign-in within the last ten
   * minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  releaseSends(body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Freezes what is sent for a tenant.
   *
   * Deliveries wait, tests and retries too, and use no attempt; nothing is lost. Needs a sign-in within the last ten
   * minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  holdSendsOf(tenantId: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Releases what was frozen for a tenant.
   *
   * Deliveries wait, tests and retries too, and use no attempt; nothing is lost. Needs a sign-in within the last ten
   * minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  releaseSendsOf(tenantId: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Gives a domain that a tenant has proved to another tenant.
   *
   * The former tenant loses it, and the service vouches for the other one. The owners of both are told. 409: the tenant
   * has the domain already. Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  moveDomain(domain: string, body: DomainMove, options?: CallOptions): Promise<string>;
}

/**
 * `client.platform.tenants`, with a platform key. A tenant is named by its id or as `ext:<externalId>`; one that the
 * key does not see throws NOT_FOUND.
 *
 * @example
 * const tenant = await client.platform.tenants.create({ name: "Analytical Engines", externalId: "customer-42" });
 */
export interface PlatformTenantMethods {
  /**
   * Creates a tenant without members.
   *
   * The same `externalId` again returns the tenant that is there (200); with another name: 409. Such a tenant counts as
   * one with a verified owner.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  create(body: PlatformTenantInput, options?: CallOptions): Promise<PlatformTenant>;
  /** Lists tenants, the least recently updated first, page by page. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  list(filter?: PlatformTenantFilter, options?: CallOptions): Paged<PlatformTenant>;
  /** Returns a tenant. Throws FORBIDDEN, NOT_FOUND. */
  get(tenant: string, options?: CallOptions): Promise<PlatformTenant>;
  /** Changes a tenant's name or `externalId`. Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  update(tenant: string, body: PlatformTenantChange, options?: CallOptions): Promise<PlatformTenant>;
  /**
   * Deletes a tenant for all of its members, whose accounts stay.
   *
   * 409: the tenant is suspended.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND.
   */
  delete(tenant: string, options?: CallOptions): Promise<string>;
  /**
   * Suspends a tenant: its credentials are refused, and its deliveries wait. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  suspend(tenant: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /**
   * Ends the suspension of a tenant. Its waiting deliveries are sent. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  resume(tenant: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /**
   * Mails an invitation to join a tenant, in the name of the product. It is valid for 7 days.
   *
   * Any role can be given. Somebody who has an account accepts it after signing in.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  invite(tenant: string, body: InvitationInput, options?: CallOptions): Promise<Invitation>;
  /** What a tenant requires of its members. Throws FORBIDDEN, NOT_FOUND. */
  security(tenant: string, options?: CallOptions): Promise<TenantSecurity>;
  /**
   * Requires a second factor or single sign-on of a tenant's members, as its owners can.
   *
   * All owners are told.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  updateSecurity(tenant: string, body: TenantSecurityChange, options?: CallOptions): Promise<TenantSecurity>;
}

/**
 * `client.platform.users`, with a platform key. A user is named by id, as `ext:<externalId>` or as `email:<address>`.
 * Changing an operator's account throws FORBIDDEN.
 *
 * @example
 * const user = await client.platform.users.create({ email: "ada@example.com", externalId: "user-7" });
 */
export interface PlatformUserMethods {
  /**
   * Creates an account that is a member of no tenant, and mails nothing.
   *
   * The same `externalId` again returns the user that is there (200); if `email`, `name` or `emailVerified` differ:
   * 409. The password is not compared. 403 for an operator's address.
   *
   * Throws CONFLICT, EMAIL_TAKEN, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  create(body: PlatformUserInput, options?: CallOptions): Promise<PlatformUser>;
  /** Lists users, the least recently updated first, page by page. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  list(filter?: PlatformUserFilter, options?: CallOptions): Paged<PlatformUser>;
  /** Returns a user, with their tenants. Throws FORBIDDEN, NOT_FOUND. */
  get(user: string, options?: CallOptions): Promise<PlatformUserWithTenants>;
  /**
   * Changes a user's name, address, `externalId` or verification.
   *
   * A new address is unverified unless you say otherwise, and links mailed to the former one end.
   *
   * Throws CONFLICT, EMAIL_TAKEN, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  update(user: string, body: PlatformUserChange, options?: CallOptions): Promise<PlatformUser>;
  /**
   * Deletes a person's account. All sessions and API keys end at once.
   *
   * `LAST_OWNER`: other members need the user as an owner. `CONFLICT`: the user is the only member of a tenant and you
   * have not sent `deleteTenants`, or the tenant is suspended.
   *
   * Throws CONFLICT, FORBIDDEN, LAST_OWNER, NOT_FOUND, VALIDATION_FAILED.
   */
  delete(user: string, body?: PlatformUserDeletion, options?: CallOptions): Promise<string>;
  /**
   * Suspends a person: all sessions end, and logins and API keys are refused. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  suspend(user: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /** Lets a suspended person sign in again. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  resume(user: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /** Ends all sessions of a person, in all tenants. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  revokeSessions(user: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /**
   * Mails a person a link that verifies the address or resets the password. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  mail(user: string, body: PlatformUserMail, options?: CallOptions): Promise<string>;
}

/** What `PlatformMemberMethods` has for the endpoints that need nothing but a request. */
export interface PlatformMemberEndpoints {
  /** Lists the members of a tenant, the oldest first, page by page. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  list(tenant: string, filter?: PlatformMemberFilter, options?: CallOptions): Paged<PlatformMember>;
  /**
   * Makes a user a member of a tenant.
   *
   * 200: the user is a member with that role already. 409: with another role, or the tenant is full.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  add(tenant: string, body: PlatformMemberInput, options?: CallOptions): Promise<PlatformMember>;
  /** Changes the role or the metadata of a member. Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  update(tenant: string, user: string, body: PlatformMemberChange, options?: CallOptions): Promise<PlatformMember>;
  /** Removes a member. Their sessions and API keys in the tenant end at once. Throws CONFLICT, FORBIDDEN, NOT_FOUND. */
  remove(tenant: string, user: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.platform.domains`, with a platform key that has `connections.read` or `connections.write`. Tenants are named
 * as in `platform.tenants`.
 *
 * @example
 * await client.platform.domains.create("ext:customer-42", { domain: "acme.com", proved: true });
 */
export interface PlatformDomainMethods {
  /** Returns a tenant's domains, by name. Throws FORBIDDEN, NOT_FOUND. */
  list(tenant: string, options?: CallOptions): Listed<Domain>;
  /**
   * Adds a domain to a tenant, as its owners can, or vouches for it.
   *
   * Enter `record` in the zone of the domain, and check it. Cloudflare's and Google's resolvers must both see it. A
   * domain is of one tenant at a time.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  create(tenant: string, body: PlatformDomainInput, options?: CallOptions): Promise<Domain>;
  /**
   * Looks the record of a tenant's domain up now.
   *
   * 503: a resolver gave no answer, and nothing has changed. Without the record the domain has `lastError`; what was
   * proved stays so until its record has been missing on three days in turn.
   *
   * Throws FORBIDDEN, NOT_FOUND.
   */
  check(tenant: string, domain: string, options?: CallOptions): Promise<Domain>;
  /**
   * Removes a tenant's domain. Who has signed on before can go on doing so. Throws CONFLICT, FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  delete(tenant: string, domain: string, body?: DomainRemoval, options?: CallOptions): Promise<string>;
}

/**
 * `client.platform.connections`, the identity providers of tenants, with a platform key that has `connections.read` or
 * `connections.write`.
 *
 * @example
 * const { redirectUri } = await client.platform.connections.create("ext:customer-42", { name: "Okta" });
 */
export interface PlatformConnectionMethods {
  /**
   * Connects the tenant to its identity provider. Saving an issuer reads its document. Throws CONFLICT,
   * EMAIL_NOT_VERIFIED, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  create(tenant: string, body: ConnectionInput, options?: CallOptions): Promise<Connection>;
  /** The tenant's connections to its identity providers, newest first. Throws FORBIDDEN, NOT_FOUND. */
  list(tenant: string, options?: CallOptions): Listed<Connection>;
  /** Returns one connection. Throws FORBIDDEN, NOT_FOUND. */
  get(tenant: string, id: string, options?: CallOptions): Promise<Connection>;
  /**
   * Changes the given fields of a connection, as a new version. Another issuer is another provider.
   *
   * Another issuer or subject begins a new generation: whom the former provider knew counts no more, and the sessions
   * of its sign-ons end.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  update(tenant: string, id: string, body: ConnectionChange, options?: CallOptions): Promise<Connection>;
  /**
   * Deletes a connection, and keeps or removes the members whom it has made. Throws CONFLICT, FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  delete(tenant: string, id: string, body: ConnectionDeletion, options?: CallOptions): Promise<string>;
  /**
   * Lets people sign on. Needs a test of this version that has succeeded within 24 hours. Throws CONFLICT, FORBIDDEN,
   * NOT_FOUND.
   */
  activate(tenant: string, id: string, options?: CallOptions): Promise<string>;
  /** Ends sign-on through a connection, and the sessions that it has opened. Throws CONFLICT, FORBIDDEN, NOT_FOUND. */
  disable(tenant: string, id: string, options?: CallOptions): Promise<string>;
  /**
   * Begins a test of a connection: opens no session, and makes and links nobody. Throws CONFLICT, FORBIDDEN, NOT_FOUND.
   */
  test(tenant: string, id: string, options?: CallOptions): Promise<StartedTest>;
  /** The last 50 tests and 100 refusals of a connection within 30 days, newest first. Throws FORBIDDEN, NOT_FOUND. */
  traces(tenant: string, id: string, options?: CallOptions): Listed<SignOnTrace>;
  /** Returns one test or refusal of a connection. Throws FORBIDDEN, NOT_FOUND. */
  trace(tenant: string, id: string, trace: string, options?: CallOptions): Promise<SignOnTrace>;
  /**
   * Makes a token with which the tenant's directory calls the SCIM server of a connection.
   *
   * It is shown once. A connection has two at most: make the new one, enter it at the directory, end the old.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  createScimToken(tenant: string, id: string, body?: ScimTokenInput, options?: CallOptions): Promise<MadeScimToken>;
  /** The tokens of a connection's directory, newest first. Throws FORBIDDEN, NOT_FOUND. */
  scimTokens(tenant: string, id: string, options?: CallOptions): Listed<ScimToken>;
  /** Ends a token of a connection's directory at once. Throws FORBIDDEN, NOT_FOUND. */
  revokeScimToken(tenant: string, id: string, token: string, options?: CallOptions): Promise<string>;
  /**
   * Whom a connection knows: the people of its directory, then who has signed on without a record there. Throws
   * FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  people(tenant: string, id: string, filter?: ConnectionPersonFilter, options?: CallOptions): Promise<ConnectionPeople>;
  /**
   * Lets somebody in whom a connection keeps out.
   *
   * It ends the former subject of the account with the address, and the mark that somebody here has removed the person.
   * `CONFLICT` says what else keeps them out.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND.
   */
  releasePerson(tenant: string, id: string, person: string, options?: CallOptions): Promise<string>;
  /**
   * Counts the people of the directory whom these rules would give another role.
   *
   * Nothing changes. Owners and roles that were given by hand stay. Whom a rule about a claim decides is not counted:
   * their next sign-on does. It looks at the first 10,000 records of the directory, and says whether these are all.
   *
   * Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  previewRoles(tenant: string, id: string, body: RolesPreviewInput, options?: CallOptions): Promise<RolesPreview>;
}

/**
 * `client.platform.setupLinks`, with a platform key that has `connections.read` or `connections.write`.
 *
 * @example
 * const { url } = await client.platform.setupLinks.create("ext:customer-42", { may: ["connection"] });
 */
export interface PlatformSetupLinkMethods {
  /**
   * Makes a link with which the customer's IT sets up sign-on, without an account. It opens once.
   *
   * It shows the pages of what it `may`, and works while its maker may make one. What it makes or changes signs nobody
   * in before an owner, or `connections.write`, activates the connection.
   *
   * Throws CONFLICT, EMAIL_NOT_VERIFIED, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  create(tenant: string, body: SetupLinkInput, options?: CallOptions): Promise<MadeSetupLink>;
  /** The setup links that have not ended, newest first. Throws FORBIDDEN, NOT_FOUND. */
  list(tenant: string, options?: CallOptions): Listed<SetupLink>;
  /** Ends a setup link at once, and the session that it has opened. Throws FORBIDDEN, NOT_FOUND. */
  revoke(tenant: string, id: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.platform.imports`, with a platform key that has the scope `users.write`.
 *
 * @example
 * const { id } = await client.platform.imports.create({ name: "From Auth0" });
 * await client.platform.imports.putPart(id, 1, '{"email":"ada@example.com","emailVerified":true}');
 * await client.platform.imports.start(id, { parts: 1 });
 */
export interface PlatformImportMethods {
  /**
   * Creates an import of people, to which you send parts.
   *
   * With a body in NDJSON of up to 5 MiB, `dryRun` and `onExisting` in the query, it is created, sent and started at
   * once: 202. 409 while ten imports have not ended.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  create(body?: ImportInput, options?: CallOptions): Promise<Import>;
  /**
   * Lists the imports of the last 90 days, newest first, page by page. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  list(filter?: ImportFilter, options?: CallOptions): Paged<Import>;
  /** Returns an import and its progress. Throws FORBIDDEN, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Import>;
  /** Stops an import. What is done stays. Throws FORBIDDEN, NOT_FOUND. */
  stop(id: string, options?: CallOptions): Promise<string>;
  /**
   * Sends a part: people as NDJSON, one in a line.
   *
   * Up to 5 MiB and 20,000 lines of up to 64 KiB. A part that is sent again replaces the former one until the import is
   * started; then the same bytes are answered with 200, and others with 409.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  putPart(id: string, part: number, people: string, options?: CallOptions): Promise<ImportPart>;
  /**
   * Starts an import, which then runs in the background.
   *
   * 400 while parts are missing. Starting it again changes nothing.
   *
   * Throws CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  start(id: string, body: ImportStart, options?: CallOptions): Promise<Import>;
  /**
   * Lists what became of the lines of an import, page by page.
   *
   * A page may be short, or empty, while there are more. Reports are kept for 90 days.
   *
   * Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  report(id: string, filter?: ImportReportFilter, options?: CallOptions): Paged<ImportedLine>;
}

/**
 * `client.platform.clients`, with a platform key (`clients.read`, `clients.write`) or for operators.
 *
 * @example
 * const { id, secret } = await client.platform.clients.create({ name: "Shop", redirectUrls: [callback] });
 */
export interface PlatformClientMethods {
  /**
   * Registers an app that people sign in to.
   *
   * The same `externalId` again returns the client that is there (200); with other settings: 409. An operator needs a
   * sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  create(body?: OauthClientInput, options?: CallOptions): Promise<IssuedOauthClient>;
  /** Lists clients, newest first, page by page. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  list(filter?: PlatformClientFilter, options?: CallOptions): Paged<OauthClient>;
  /** Returns a client. Throws FORBIDDEN, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<OauthClient>;
  /**
   * Changes a client. What is missing stays; a client that is disabled is unknown to everybody.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  update(id: string, body: OauthClientChange, options?: CallOptions): Promise<OauthClient>;
  /**
   * Deletes a client: nobody signs in to it any more, and its tokens end.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  delete(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Gives a client a new secret. The former one works for a day longer by default.
   *
   * 409: a former secret still works; end it first. An operator needs a sign-in within the last ten minutes, or the
   * password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  rotateSecret(id: string, body?: OauthClientSecretRotation, options?: CallOptions): Promise<IssuedOauthClient>;
  /**
   * Ends the former secret at once, if one still works.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  endSecret(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Ends all sign-ins to a client, with their tokens. What people have allowed it stays.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  revoke(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
}

/**
 * `client.platform.resources`, the APIs that take tokens of apps, as `client.platform.clients`.
 *
 * @example
 * await client.platform.resources.update("api", { unlisted: true });
 */
export interface PlatformResourceMethods {
  /**
   * Registers an API that takes tokens of apps, with its scopes.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  create(body: ResourceInput, options?: CallOptions): Promise<Resource>;
  /**
   * Returns the APIs that take tokens of apps, newest first; of the platform, our own before them. Throws FORBIDDEN,
   * NOT_FOUND.
   */
  list(options?: CallOptions): Listed<Resource>;
  /** Returns an API that takes tokens of apps. Throws FORBIDDEN, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Resource>;
  /**
   * Changes an API that takes tokens of apps. Of our own, only who gets its tokens.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  update(id: string, body: ResourceChange, options?: CallOptions): Promise<Resource>;
  /**
   * Deletes an API: it gets no tokens any more. Those that it has end within 15 minutes.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  delete(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Gives an API a new secret, with which it asks about tokens. A former one ends at once.
   *
   * An operator needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  rotateSecret(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<ResourceSecret>;
}

/**
 * `client.platform.apps`, for people who operate the service: which apps are blocked.
 *
 * @example
 * await client.platform.apps.set(id, { state: "blocked" });
 */
export interface PlatformAppMethods {
  /** Returns all apps, and which of them operators have blocked. Throws FORBIDDEN, NOT_FOUND. */
  list(options?: CallOptions): Listed<PlatformApp>;
  /**
   * Blocks an app in all tenants at once, or ends that.
   *
   * Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  set(client: string, body: PlatformAppRule, options?: CallOptions): Promise<string>;
}

/**
 * `client.platform.usage`, with a platform key that has the scope `tenants.read`.
 *
 * @example
 * for await (const used of client.platform.usage.list({ month: "2026-11" })) console.log(used.events);
 */
export interface PlatformUsageMethods {
  /**
   * Lists what tenants have used in a month, page by page.
   *
   * Counted every hour, for 25 months.
   *
   * Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  platform(filter?: PlatformUsageFilter, options?: CallOptions): Paged<PlatformUsage>;
}

/**
 * `client.platform.keys`, for people who operate the service, as `client.operator`. Calls that change something throw
 * STEP_UP_REQUIRED if the sign-in was more than ten minutes ago and no password or code is given.
 *
 * @example
 * const { key } = await client.platform.keys.create({ name: "shop", scopes: ["tenants.*"], password, totp });
 */
export interface PlatformKeyMethods {
  /**
   * Creates a key with which the product itself calls this service.
   *
   * Its maker is mailed. The key outlives its maker's account. Needs a sign-in within the last ten minutes, or the
   * password or a code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  create(body: PlatformKeyInput, options?: CallOptions): Promise<IssuedPlatformKey>;
  /** The active platform keys, newest first. Throws FORBIDDEN, NOT_FOUND. */
  list(options?: CallOptions): Listed<PlatformKey>;
  /**
   * Replaces a platform key. The former one works for a day longer by default.
   *
   * 409: a former key still works; end it first. Needs a sign-in within the last ten minutes, or the password or a
   * code.
   *
   * Throws ACCOUNT_LOCKED, CONFLICT, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  rotate(id: string, body?: PlatformKeyRotation, options?: CallOptions): Promise<IssuedPlatformKey>;
  /**
   * Ends the former key at once, if one still works.
   *
   * Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  endPrevious(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Revokes a platform key at once, and its former one.
   *
   * Needs a sign-in within the last ten minutes, or the password or a code.
   *
   * Throws ACCOUNT_LOCKED, FORBIDDEN, INVALID_TOTP, NOT_FOUND, STEP_UP_REQUIRED, TWO_FACTOR_NOT_ENABLED,
   * VALIDATION_FAILED, WRONG_PASSWORD.
   */
  revoke(id: string, body?: OperatorConfirmation, options?: CallOptions): Promise<string>;
}

/**
 * `client.portal.links`, with a platform key in a tenant, with an API key, or for signed-in users.
 *
 * @example
 * const { url } = await postern.inTenant("ext:customer-42").portal.links.create({ permissions: ["webhook.read"] });
 */
export interface PortalLinkMethods {
  /**
   * Makes a link with which your customer opens the portal of this tenant, once.
   *
   * The portal has those of the permissions that you still have yourself at each request. It ends when the key or the
   * membership ends that made it.
   *
   * Throws CONFLICT, FORBIDDEN without `webhook.read`, VALIDATION_FAILED.
   */
  create(body: PortalLinkInput, options?: CallOptions): Promise<MadePortalLink>;
  /**
   * The portal links and tokens that have not ended, newest first.
   *
   * Owners, admins and platform keys see all of the tenant; others see those that they have made.
   *
   * Throws FORBIDDEN without `webhook.read`.
   */
  list(options?: CallOptions): Listed<PortalLink>;
  /**
   * Ends a portal link or token at once, and the session that it has opened. Throws FORBIDDEN without `webhook.read`.
   */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

/**
 * `client.portal.tokens`. Your backend makes a token; a client whose `apiKey` it is reaches webhooks, events and
 * statistics.
 *
 * @example
 * const postern = createClient({ baseUrl, apiKey: token });
 * const { permissions } = await postern.portal.tokens.session();
 */
export interface PortalTokenMethods {
  /**
   * Makes a token with which your own pages call this API for your customer.
   *
   * A bearer token that reaches `/webhooks`, `/stats`, `/portal-session` and reading `/events`, and nothing else.
   *
   * Throws CONFLICT, FORBIDDEN without `webhook.read`, VALIDATION_FAILED.
   */
  create(body: PortalTokenInput, options?: CallOptions): Promise<MadePortalToken>;
  /**
   * The tenant and the permissions of a portal token.
   *
   * 404 for other credentials.
   *
   * Throws NOT_FOUND.
   */
  session(options?: CallOptions): Promise<PortalSession>;
}
