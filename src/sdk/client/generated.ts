/**
 * The types of requests and answers. Generated from the OpenAPI document by `npm run generate`: to change one, change
 * the schema of its route.
 */

/** A moment in ISO 8601, UTC, with milliseconds: `2026-11-21T16:04:18.000Z`. */
export type Timestamp = string;

/** What deletes the signed-in user's account. */
export interface AccountDeletion {
  /** Required if the account has one. Otherwise, a sign-in within the last ten minutes is required. */
  password?: string | undefined;
  /** A TOTP or recovery code. Required when two-factor authentication is on. */
  totp?: string | undefined;
  /** Whether tenants that nobody else is a member of are deleted too, with all their data. */
  deleteTenants?: boolean | undefined;
}

/** Everything that the service keeps about a user, in all tenants. */
export interface AccountExport {
  exportedAt: Timestamp;
  profile: {
    id: string;
    /** The product's own id of the user. */
    externalId: string | null;
    email: string;
    name: string | null;
    emailVerified: boolean;
    twoFactorEnabled: boolean;
    createdAt: Timestamp;
  };
  memberships: {
    tenantId: string;
    tenantName: string;
    role: Role;
    alerts: boolean;
    joinedAt: Timestamp;
  }[];
  sessions: Session[];
  passkeys: Passkey[];
  identities: Identity[];
  /** As whom identity providers of tenants know the user. */
  signOns: {
    tenantId: string;
    connectionId: string;
    subject: string;
    email: string | null;
    createdAt: Timestamp;
    lastUsedAt: Timestamp | null;
  }[];
  /** What directories of tenants have sent of the user. */
  directory: ExportedRecord[];
  /** The keys in all tenants, including ended ones. */
  apiKeys: ExportedApiKey[];
  /** The apps that the user has allowed something, without their tokens. */
  apps: {
    clientId: string;
    /** Null: the app was deleted. */
    clientName: string | null;
    tenantId: string;
    scopes: string[];
    connectedAt: Timestamp;
    /** How often the app is connected without a session. */
    connections: number;
  }[];
  /** The newest 10,000 audit events of the account, newest first. */
  activity: AuditEvent[];
}

/** An API key without its secret. */
export interface ApiKey {
  id: string;
  name: string;
  /** The key's first 8 characters and `…`. */
  prefix: string;
  scopes: Permission[];
  createdAt: Timestamp;
  /** To the hour; null: never used. */
  lastUsedAt: Timestamp | null;
  /** Null: never. */
  expiresAt: Timestamp | null;
  /** Present if the key belongs to the tenant itself. */
  owner?: "tenant" | undefined;
}

/** A key to issue. */
export interface ApiKeyInput {
  /** One line, trimmed. */
  name: string;
  /**
   * What the key may do. It gets those that your role has, and a user's key keeps them only as far as the user's role
   * does.
   */
  scopes: Permission[];
  /** In the future. Missing: the key never expires. ISO 8601 with any offset. */
  expiresAt?: string | null | undefined;
  /**
   * `tenant`: the key has its scopes by itself and works on when its maker leaves. For owners and admins. By default
   * `"user"`.
   */
  owner?: "user" | "tenant" | undefined;
}

/** An app that people sign in to, by its client. */
export interface AppName {
  id: string;
  name: string;
  /** Of an app that nobody has registered. */
  host?: string | undefined;
  logoUrl?: string | undefined;
}

/** One attempt to deliver an event: one row of the delivery log. */
export interface Attempt extends AttemptSummary {
  webhookId: string;
  /** The delivery, which is the same for all of its attempts. Sent as `webhook-id`. */
  deliveryId: string;
  eventType: string;
  /**
   * The body that was sent: any JSON value. Null for `postern.audit`, and once the event has been removed because of
   * its age.
   */
  payload: unknown;
  /** The first 16 KiB of the subscriber's answer. */
  responseBody?: string | undefined;
  /**
   * Headers of the answer, with names in lower case: up to 1,024 characters of a failure and 256 of a success. Left out
   * are credentials, and what only caches and browsers read. Missing if nothing is left.
   */
  responseHeaders?: Record<string, string> | undefined;
}

/** How many attempts a subscription has had, by status. */
export interface AttemptCounts {
  total: number;
  success: number;
  failed: number;
  pending: number;
  throttle?: Throttle | undefined;
}

/** One attempt with its headers and the other attempts of its delivery. */
export interface AttemptDetail extends Attempt {
  eventId: string;
  /** Why its delivery exists: a published event, a manual retry, a test or a replay of all events. */
  kind: "event" | "retry" | "test" | "replay";
  /** The correlation id of its event. */
  correlationId?: string | undefined;
  /**
   * The headers that were sent, signed again with the keys of that time. Missing while the attempt is pending, and if
   * nothing was sent.
   */
  headers?: Record<string, string> | undefined;
  /**
   * Why `headers` lacks a signature that was sent: since then, a key has ended, the subscription's signature or format
   * was changed, or the event, which was signed, was removed because of its age.
   */
  missingSignatures?: "secret-ended" | "settings-changed" | "event-removed" | undefined;
  /** All attempts of its delivery, at most 50, oldest first. */
  attempts: AttemptSummary[];
}

/** One attempt of a delivery, in short. */
export interface AttemptSummary {
  _id: string;
  /** 1 for the first attempt of its delivery. */
  attemptCount: number;
  status: "pending" | "success" | "failed";
  /** The HTTP status of the subscriber; missing if it did not answer. */
  responseCode?: number | undefined;
  /** Why it failed, such as `timeout`. */
  error?: string | undefined;
  attemptedAt: Timestamp;
  completedAt?: Timestamp | undefined;
}

/** A subscription that somebody should look at. */
export interface AttentionItem {
  webhookId: string;
  name: string;
  /**
   * `failing`: its last attempt failed. `throttled`: it asked for a pause with 429 or 503. `slow`: it recently did not
   * answer for a second, or took 5 seconds. If several apply, the first of `failing`, `throttled`, `slow`, `paused`.
   */
  reason: "failing" | "throttled" | "slow" | "paused";
  /** False while the subscription is paused, whatever `reason` says. */
  enabled: boolean;
  /** Failed attempts since the last success. */
  failureCount: number;
  /** Why the last failed attempt failed. */
  error?: string | undefined;
}

/** A change, who made it and from where. */
export interface AuditEvent {
  id: string;
  at: Timestamp;
  /** Such as `webhook.created`. Later versions may have more of them. */
  action: string;
  /**
   * Who did it. `operator` is somebody who operates this service; `system` is the service itself; `anonymous` somebody
   * who was not signed in.
   */
  actor: {
    kind:
      | "user"
      | "api-key"
      | "platform-key"
      | "portal"
      | "setup"
      | "operator"
      | "client"
      | "connection"
      | "system"
      | "anonymous";
    /** Of the user, the key or the client. */
    id: string | null;
    /** The email address of the user or the name of the API key at that time. Null once a user is deleted. */
    name: string | null;
  };
  /** What was changed. */
  target: {
    kind:
      | "user"
      | "session"
      | "identity"
      | "api-key"
      | "invitation"
      | "webhook"
      | "source"
      | "feed"
      | "event-type"
      | "tenant"
      | "platform-key"
      | "import"
      | "portal-link"
      | "connection"
      | "setup-link"
      | "client"
      | "app"
      | "resource"
      | "domain";
    id: string;
  } | null;
  /** An IPv4 address or a /64 network. */
  ip: string | null;
  /** Its first 256 characters. */
  userAgent: string | null;
  /** The `X-Request-Id` of the request, but never one that the caller sent. */
  requestId: string | null;
  /** The session that was used or ended. */
  sessionId: string | null;
  /** More about the change: names of fields and values of enumerations. */
  meta: Record<string, unknown> | null;
}

/** Which events to return. */
export interface AuditFilter {
  /** Events on a page, 1 to 200. By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
  /** One action, or all of a group: `webhook.*`. */
  action?: string | undefined;
  /** The id of a user or an API key, or the email address or name that it had. */
  actor?: string | undefined;
  /** The id of what was changed. */
  target?: string | undefined;
  /** An address as events show it. */
  ip?: string | undefined;
  /** Only events at this time or later. ISO 8601 with any offset. */
  since?: string | undefined;
  /** Only events before this time. ISO 8601 with any offset. */
  until?: string | undefined;
}

/** An event of a batch. */
export interface BatchEventInput extends EventInput {
  /** Repeating a call with the same key within 24 hours returns the first answer and publishes nothing. */
  idempotencyKey?: string | undefined;
}

/** A number that is counted up to a bound. */
export interface BoundedCount {
  count: number;
  /** False: there are more. */
  isExact: boolean;
}

/** The record that proves the domain, as it is entered in its zone. */
export interface ChallengeRecord {
  name: string;
  type: "TXT";
  value: string;
}

/** An API, and its scopes that the app may ask for; `*`: all. */
export interface ClientResource {
  identifier: string;
  scopes: string[];
}

/** What proves who signs in with a code from a mail. */
export interface CodeCredentials {
  /** From the answer to the request for the code. */
  state: string;
  /** The six digits from the mail. */
  code: string;
  /** A TOTP or recovery code. Required when two-factor authentication is on. */
  totp?: string | undefined;
  /** One of the user's tenants. Missing: the one used last. */
  tenantId?: string | undefined;
}

/** An app that the user has allowed something in a tenant. */
export interface ConnectedApp {
  /** Of the client in the tenant. */
  id: string;
  client: AppName;
  tenant: {
    id: string;
    name: string;
  };
  scopes: {
    resource: string | null;
    name: string;
    description: string;
  }[];
  connectedAt: Timestamp;
  lastUsedAt: Timestamp | null;
  /** How often the app is connected without a session. */
  grants: number;
}

/** A tenant's connection to its identity provider. */
export interface Connection {
  id: string;
  name: string;
  /** How it signs people on; `directory`: not at all, it provisions them alone. It stays what it is. */
  kind: "oidc" | "saml" | "directory";
  provider: "okta" | "entra" | "google" | "keycloak" | "other";
  /**
   * `draft`: something is missing. `ready`: it can be tested and activated. `active`: people sign on; a directory is
   * active once it is made.
   */
  state: "draft" | "ready" | "active" | "disabled";
  /** True: it signs nobody in before an owner activates it. */
  needsReview: boolean;
  /** Counts its changes. */
  version: number;
  /** Missing: it is of another kind. */
  oidc?:
    | {
        issuer: string | null;
        clientId: string | null;
        /**
         * How this service proves itself there: with the `clientSecret`, or with a key whose public part is at `jwksUri`.
         */
        clientAuth: "secret" | "private_key_jwt";
        /** Null: none is stored. The end is shown of one with at least 12 characters. */
        clientSecret: {
          last4: string | null;
        } | null;
        scopes: string;
      }
    | undefined;
  /** Missing: it is of another kind. */
  saml?:
    | {
        entityId: string | null;
        ssoUrl: string | null;
        certificates: SigningCertificate[];
      }
    | undefined;
  attributes: {
    /** The claim that names the person for good; `oid` with Entra's issuers alone. By SAML, the NameID. */
    subject: "sub" | "oid";
    email: string;
    name: string;
    groups: string;
  };
  /** `jit`: a first sign-on makes a member. `directory`: only whom the directory has gets in. */
  provisioning: "jit" | "directory" | "both";
  roles: {
    default: string | null;
    rules: RoleRule[];
    /** Whether each sign-on gives the role again. */
    when: "every" | "first";
  };
  session: {
    /** After so many hours the session ends, refreshed or not. */
    hours: number;
    /** How long ago the person may have signed in there; null: however long. */
    maxAgeSeconds: number | null;
    /** Ways to sign in, one of which the provider must say was used. */
    acrValues: string[];
    /** Whether the provider must say that there was a second factor. */
    requireMfa: boolean;
    /** Whether a second factor there counts as one here. */
    trustMfa: boolean;
  };
  /**
   * Who is sent here after typing an address: browsers that have signed on before, or everybody with an address of a
   * proved domain, which tells strangers that the domain is a customer's.
   */
  discovery: "known" | "domain";
  /** Of an address outside the proved domains: refused, or let in with a code that is mailed to it. */
  outsideDomains: "refuse" | "mailCode";
  /** The redirect URI to enter at the identity provider, to the letter. */
  redirectUri?: string | undefined;
  /** Where a sign-on starts: the initiate login URI. */
  initiateUri?: string | undefined;
  /** Where the provider sends its logout tokens: the back-channel logout URL. */
  logoutUri?: string | undefined;
  /** Where the public keys are of one that proves itself with `private_key_jwt`. */
  jwksUri?: string | undefined;
  /** Of the kind `saml` alone. */
  serviceProvider?: SamlServiceProvider | undefined;
  /** Where the tenant's directory keeps its people (SCIM 2.0), with a token. */
  scimUrl: string;
  /** What its directory has here. Missing: it has never called. */
  directory?:
    | {
        active: number;
        inactive: number;
        held: number;
        groups: number;
        lastRequestAt: Timestamp | null;
      }
    | undefined;
  problems: ConnectionProblem[];
  /** When a test of this version last succeeded. */
  testedAt: Timestamp | null;
  lastSignOnAt: Timestamp | null;
  lastFailureAt: Timestamp | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** The fields to change. Null sets one to its default. */
export interface ConnectionChange {
  /** One line, trimmed. */
  name?: string | undefined;
  /** Which product it is, for the texts of forms. */
  provider?: "okta" | "entra" | "google" | "keycloak" | "other" | null | undefined;
  /** Saving an issuer reads its document. The secret is never shown again. */
  oidc?:
    | {
        /** The address of the identity provider, as its tokens name it: https, without query. */
        issuer?: string | null | undefined;
        /** The client ID of the app that is registered there. */
        clientId?: string | null | undefined;
        /**
         * How this service proves itself there: with the `clientSecret`, or with a key whose public part is at `jwksUri`.
         */
        clientAuth?: "secret" | "private_key_jwt" | null | undefined;
        clientSecret?: string | null | undefined;
        scopes?: string | null | undefined;
      }
    | null
    | undefined;
  /** `metadata`, or `metadataUrl`, or `entityId`, `ssoUrl` and `certificates`. */
  saml?:
    | {
        /** The provider's metadata (XML). It gives all of the following. */
        metadata?: string | null | undefined;
        /** Where its metadata is, which is read once. */
        metadataUrl?: string | null | undefined;
        /** What the identity provider calls itself: the issuer of its assertions. */
        entityId?: string | null | undefined;
        /** Where people sign in there, by the redirect binding: https. */
        ssoUrl?: string | null | undefined;
        /**
         * With what it signs assertions: X.509, as PEM or base64, of an RSA key of at least 2,048 bits or of P-256. Two for
         * as long as one takes the place of the other.
         */
        certificates?: string[] | null | undefined;
      }
    | null
    | undefined;
  /**
   * Which claims say what; dots enter objects where no claim has the whole name. By SAML, names of attributes: where
   * one is left as it is, the usual names count too, and the NameID if it is an address.
   */
  attributes?:
    | {
        /** The claim that names the person for good; `oid` with Entra's issuers alone. By SAML, the NameID. */
        subject?: "sub" | "oid" | null | undefined;
        email?: string | null | undefined;
        name?: string | null | undefined;
        groups?: string | null | undefined;
      }
    | null
    | undefined;
  /** `jit`: a first sign-on makes a member. `directory`: only whom the directory has gets in. */
  provisioning?: "jit" | "directory" | "both" | null | undefined;
  /** The first rule that fits gives the role. */
  roles?:
    | {
        /** Of whom no rule names; null: these do not get in. */
        default?: Role | null | undefined;
        rules?: RoleRule[] | null | undefined;
        /** Whether each sign-on gives the role again. */
        when?: "every" | "first" | null | undefined;
      }
    | null
    | undefined;
  session?:
    | {
        /** After so many hours the session ends, refreshed or not. */
        hours?: number | null | undefined;
        /** How long ago the person may have signed in there; null: however long. */
        maxAgeSeconds?: number | null | undefined;
        /** Ways to sign in, one of which the provider must say was used. */
        acrValues?: string[] | null | undefined;
        /** Whether the provider must say that there was a second factor. */
        requireMfa?: boolean | null | undefined;
        /** Whether a second factor there counts as one here. */
        trustMfa?: boolean | null | undefined;
      }
    | null
    | undefined;
  /**
   * Who is sent here after typing an address: browsers that have signed on before, or everybody with an address of a
   * proved domain, which tells strangers that the domain is a customer's.
   */
  discovery?: "known" | "domain" | null | undefined;
  /** Of an address outside the proved domains: refused, or let in with a code that is mailed to it. */
  outsideDomains?: "refuse" | "mailCode" | null | undefined;
}

/** What happens to the members whom a connection has made. */
export interface ConnectionDeletion {
  /** What happens to the members whom it has made, owners aside. */
  members: "keep" | "remove";
}

/** A connection to the identity provider of the tenant. */
export interface ConnectionInput {
  /** One line, trimmed. */
  name: string;
  /**
   * How it signs people on; `directory`: not at all, it provisions them alone. It stays what it is. By default
   * `"oidc"`.
   */
  kind?: "oidc" | "saml" | "directory" | undefined;
  /** Which product it is, for the texts of forms. */
  provider?: "okta" | "entra" | "google" | "keycloak" | "other" | null | undefined;
  /** Saving an issuer reads its document. The secret is never shown again. */
  oidc?:
    | {
        /** The address of the identity provider, as its tokens name it: https, without query. */
        issuer?: string | null | undefined;
        /** The client ID of the app that is registered there. */
        clientId?: string | null | undefined;
        /**
         * How this service proves itself there: with the `clientSecret`, or with a key whose public part is at `jwksUri`.
         */
        clientAuth?: "secret" | "private_key_jwt" | null | undefined;
        clientSecret?: string | null | undefined;
        scopes?: string | null | undefined;
      }
    | null
    | undefined;
  /** `metadata`, or `metadataUrl`, or `entityId`, `ssoUrl` and `certificates`. */
  saml?:
    | {
        /** The provider's metadata (XML). It gives all of the following. */
        metadata?: string | null | undefined;
        /** Where its metadata is, which is read once. */
        metadataUrl?: string | null | undefined;
        /** What the identity provider calls itself: the issuer of its assertions. */
        entityId?: string | null | undefined;
        /** Where people sign in there, by the redirect binding: https. */
        ssoUrl?: string | null | undefined;
        /**
         * With what it signs assertions: X.509, as PEM or base64, of an RSA key of at least 2,048 bits or of P-256. Two for
         * as long as one takes the place of the other.
         */
        certificates?: string[] | null | undefined;
      }
    | null
    | undefined;
  /**
   * Which claims say what; dots enter objects where no claim has the whole name. By SAML, names of attributes: where
   * one is left as it is, the usual names count too, and the NameID if it is an address.
   */
  attributes?:
    | {
        /** The claim that names the person for good; `oid` with Entra's issuers alone. By SAML, the NameID. */
        subject?: "sub" | "oid" | null | undefined;
        email?: string | null | undefined;
        name?: string | null | undefined;
        groups?: string | null | undefined;
      }
    | null
    | undefined;
  /** `jit`: a first sign-on makes a member. `directory`: only whom the directory has gets in. */
  provisioning?: "jit" | "directory" | "both" | null | undefined;
  /** The first rule that fits gives the role. */
  roles?:
    | {
        /** Of whom no rule names; null: these do not get in. */
        default?: Role | null | undefined;
        rules?: RoleRule[] | null | undefined;
        /** Whether each sign-on gives the role again. */
        when?: "every" | "first" | null | undefined;
      }
    | null
    | undefined;
  session?:
    | {
        /** After so many hours the session ends, refreshed or not. */
        hours?: number | null | undefined;
        /** How long ago the person may have signed in there; null: however long. */
        maxAgeSeconds?: number | null | undefined;
        /** Ways to sign in, one of which the provider must say was used. */
        acrValues?: string[] | null | undefined;
        /** Whether the provider must say that there was a second factor. */
        requireMfa?: boolean | null | undefined;
        /** Whether a second factor there counts as one here. */
        trustMfa?: boolean | null | undefined;
      }
    | null
    | undefined;
  /**
   * Who is sent here after typing an address: browsers that have signed on before, or everybody with an address of a
   * proved domain, which tells strangers that the domain is a customer's.
   */
  discovery?: "known" | "domain" | null | undefined;
  /** Of an address outside the proved domains: refused, or let in with a code that is mailed to it. */
  outsideDomains?: "refuse" | "mailCode" | null | undefined;
}

/** A page of the people of a connection. */
export interface ConnectionPeople {
  data: ConnectionPerson[];
  nextCursor: string | null;
}

/** Whom a connection knows. */
export interface ConnectionPerson {
  id: string;
  /** The account; null: there is none. */
  userId: string | null;
  email: string | null;
  /** What the directory calls the person. */
  userName?: string | undefined;
  externalId?: string | undefined;
  /** `held`: the directory has the person as active, and `reason` says what keeps them out. */
  state: "active" | "inactive" | "held" | "removed";
  reason?: string | undefined;
  lastSignOnAt: Timestamp | null;
}

/** Which people of a connection, and how many of them. */
export interface ConnectionPersonFilter {
  /** By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
  state?: "active" | "inactive" | "held" | "removed" | undefined;
}

/** What is missing before it signs people on. */
export interface ConnectionProblem {
  path: string;
  message: string;
}

/** What proves who signs in. */
export interface Credentials {
  email: string;
  password: string;
  /** A TOTP or recovery code. Required when two-factor authentication is on. */
  totp?: string | undefined;
  /** One of the user's tenants. Missing: the one used last. */
  tenantId?: string | undefined;
  /** From the Turnstile widget, where the service asks for one (`CAPTCHA_REQUIRED`). */
  captchaToken?: string | undefined;
}

/** A signature of your own form. */
export interface CustomProfile {
  kind: "custom";
  /** The header of the signature. */
  header: string;
  encoding: "hex" | "base64";
  algorithm: "sha256" | "sha512";
  /** What is signed, with `{body}` once, and `{id}` and `{timestamp}` as needed. */
  content: string;
  /** Stands before the signature. */
  prefix?: string | undefined;
  /** How the secret is the key: as text (`utf8`, the default), or decoded from base64, without `whsec_`. */
  key?: "utf8" | "base64" | undefined;
  /** Carries the value of `webhook-id`. */
  idHeader?: string | undefined;
  /** Carries the value of `webhook-timestamp`. */
  timestampHeader?: string | undefined;
}

/** A member that is left out stays as it is; null sets it back to its default. */
export interface DeliveryChange {
  retry?: RetryChange | null | undefined;
  /**
   * Only events that fit it are sent. It is replaced as a whole, and cannot stand beside `postern.…` in `events`. By
   * default: none.
   */
  filter?: Record<string, unknown> | null | undefined;
  /**
   * The signatures in `webhook-signature`: with the secret (`v1`), or also with an Ed25519 key (`v1+v1a`), whose public
   * key is at `/.well-known/webhook-keys/{id}`. By default: `"v1"`.
   */
  signature?: "v1" | "v1+v1a" | null | undefined;
  signatureProfile?: SignatureProfile | null | undefined;
  /**
   * The body: the event's payload (`payload`), `{ type, timestamp, data }` with the payload as `data` (`standard`), a
   * CloudEvent (`cloudevents`), or the event's id, type, time and URL without the payload (`thin`). A change applies to
   * open deliveries too, from their next attempt on. By default: `"payload"`.
   */
  format?: "payload" | "standard" | "cloudevents" | "thin" | null | undefined;
  /**
   * What happens to events that are published while the subscription is paused: they are not sent to it (`skip`), or
   * their deliveries are held and sent when it is resumed (`hold`). At most 100,000 are held, for the time of the
   * retention. A change applies from the next pause on. By default: `"skip"`.
   */
  onPause?: "skip" | "hold" | null | undefined;
  /**
   * What happens to events while the service has disabled the subscription. With a `retry.schedule` they are always
   * held. By default: `"skip"`.
   */
  onDisable?: "skip" | "hold" | null | undefined;
  rateLimit?: RateLimit | null | undefined;
  /** The most requests that are in progress at the same time. By default: no limit. */
  maxConcurrent?: number | null | undefined;
  /**
   * After how many hours without a success a subscription is disabled, if at least 20 attempts have failed; false for
   * never. By default: what the deployment sets with `AUTO_DISABLE_HOURS`, usually 120 hours.
   */
  autoDisable?:
    | false
    | {
        afterHours: number;
      }
    | null
    | undefined;
  /**
   * Headers that each delivery carries, by name; null removes one, and those left out stay. At most 20, together 4 KiB.
   * Their values are encrypted and never returned. When the URL's origin changes, each must be given again or set to
   * null. By default: none.
   */
  headers?: Record<string, string | null> | null | undefined;
}

/** The options that are set. Missing if none are. */
export interface DeliveryOptions {
  retry?: RetryOptions | undefined;
  /**
   * Only events that fit it are sent. It is replaced as a whole, and cannot stand beside `postern.…` in `events`. By
   * default: none.
   */
  filter?: Record<string, unknown> | undefined;
  /**
   * The signatures in `webhook-signature`: with the secret (`v1`), or also with an Ed25519 key (`v1+v1a`), whose public
   * key is at `/.well-known/webhook-keys/{id}`. By default: `"v1"`.
   */
  signature?: "v1" | "v1+v1a" | undefined;
  signatureProfile?: SignatureProfile | undefined;
  /**
   * The body: the event's payload (`payload`), `{ type, timestamp, data }` with the payload as `data` (`standard`), a
   * CloudEvent (`cloudevents`), or the event's id, type, time and URL without the payload (`thin`). A change applies to
   * open deliveries too, from their next attempt on. By default: `"payload"`.
   */
  format?: "payload" | "standard" | "cloudevents" | "thin" | undefined;
  /**
   * What happens to events that are published while the subscription is paused: they are not sent to it (`skip`), or
   * their deliveries are held and sent when it is resumed (`hold`). At most 100,000 are held, for the time of the
   * retention. A change applies from the next pause on. By default: `"skip"`.
   */
  onPause?: "skip" | "hold" | undefined;
  /**
   * What happens to events while the service has disabled the subscription. With a `retry.schedule` they are always
   * held. By default: `"skip"`.
   */
  onDisable?: "skip" | "hold" | undefined;
  rateLimit?: RateLimit | undefined;
  /** The most requests that are in progress at the same time. By default: no limit. */
  maxConcurrent?: number | undefined;
  /**
   * After how many hours without a success a subscription is disabled, if at least 20 attempts have failed; false for
   * never. By default: what the deployment sets with `AUTO_DISABLE_HOURS`, usually 120 hours.
   */
  autoDisable?:
    | false
    | {
        afterHours: number;
      }
    | undefined;
  /** The names of the headers that are set. */
  headers?:
    | Record<
        string,
        {
          set: true;
          /** The end of a value of 12 characters or more. */
          last4?: string | undefined;
        }
      >
    | undefined;
}

/** Says that publishers should stop using the type. */
export interface DeprecationInput {
  /** ISO 8601 with any offset. */
  since: string;
  note?: string | undefined;
  /** The type to use instead. */
  replacedBy?: string | undefined;
}

/** Where an address leads. */
export interface DiscoveredSignOn {
  /** Where the browser goes next; null: ask for other credentials. */
  signOn: string | null;
}

/** Who issues access tokens. It names no endpoint that there is not. */
export interface Discovery {
  issuer: string;
  jwks_uri: string;
  subject_types_supported: "public"[];
  id_token_signing_alg_values_supported: ("EdDSA" | "ES256" | "RS256")[];
  access_token_signing_alg_values_supported: ("EdDSA" | "ES256" | "RS256")[];
  claims_supported: string[];
  authorization_endpoint?: string | undefined;
  token_endpoint?: string | undefined;
  userinfo_endpoint?: string | undefined;
  end_session_endpoint?: string | undefined;
  revocation_endpoint?: string | undefined;
  introspection_endpoint?: string | undefined;
  pushed_authorization_request_endpoint?: string | undefined;
  device_authorization_endpoint?: string | undefined;
  registration_endpoint?: string | undefined;
  client_id_metadata_document_supported?: boolean | undefined;
  scopes_supported?: string[] | undefined;
  response_types_supported?: string[] | undefined;
  response_modes_supported?: string[] | undefined;
  grant_types_supported?: string[] | undefined;
  token_endpoint_auth_methods_supported?: string[] | undefined;
  token_endpoint_auth_signing_alg_values_supported?: string[] | undefined;
  revocation_endpoint_auth_methods_supported?: string[] | undefined;
  introspection_endpoint_auth_methods_supported?: string[] | undefined;
  dpop_signing_alg_values_supported?: string[] | undefined;
  code_challenge_methods_supported?: string[] | undefined;
  prompt_values_supported?: string[] | undefined;
  acr_values_supported?: string[] | undefined;
  request_parameter_supported?: boolean | undefined;
  request_uri_parameter_supported?: boolean | undefined;
  claims_parameter_supported?: boolean | undefined;
  authorization_response_iss_parameter_supported?: boolean | undefined;
  backchannel_logout_supported?: boolean | undefined;
  backchannel_logout_session_supported?: boolean | undefined;
  service_documentation: string;
  postern_revoked_uri: string;
}

/** A domain that the tenant says is its own. */
export interface Domain {
  /** In lower case and ASCII. It says nothing of the domains below it. */
  domain: string;
  /** `lost`: it was proved, and its record has not been found on three days in turn. */
  state: "pending" | "proved" | "lost";
  /** `platform`: the product vouches for it, and it is never looked up. */
  provedBy: "dns" | "platform" | null;
  /**
   * True: it was added with a setup link, and signs nobody in before an owner has checked it, or activated the
   * connection.
   */
  needsReview: boolean;
  record: ChallengeRecord;
  /** When it was last looked up on request, or a daily look-up has changed something; null: never. */
  checkedAt: Timestamp | null;
  provedAt: Timestamp | null;
  /** What the last look-up has found instead of the record. */
  lastError?: string | undefined;
}

/** A domain that the tenant says is its own. */
export interface DomainInput {
  /** A DNS name with a dot. Names in other scripts are stored in ASCII (IDNA). */
  domain: string;
}

/** Who gets a domain, and the operator's password or code. */
export interface DomainMove {
  /** The tenant that gets it. */
  tenantId: string;
  /** Why. Both tenants can read it in their audit log. */
  reason: string;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** How a domain is removed. */
export interface DomainRemoval {
  /** The last domain is removed although sign-on is required of its people, which ends too. By default `false`. */
  endEnforcement?: boolean | undefined;
}

/** A key of Ed25519 (RFC 8037). */
export interface EdwardsPublicKey {
  use: "sig";
  kid: string;
  x: string;
  kty: "OKP";
  crv: "Ed25519";
  alg: "EdDSA";
}

/** A key of P-256 (RFC 7518 section 6.2). */
export interface EllipticPublicKey {
  use: "sig";
  kid: string;
  x: string;
  kty: "EC";
  crv: "P-256";
  alg: "ES256";
  y: string;
}

/** A new address, and what confirms the session. */
export interface EmailChange {
  email: string;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** What shows that the new address is the user's. */
export interface EmailConfirmation {
  /** The token in the mailed link. */
  token: string;
}

/** An API key that no longer works. */
export interface EndedApiKey {
  id: string;
  name: string;
  /** The key's first characters and `…`. */
  prefix: string;
}

/** What becomes of an event that does not fit the schema: nothing, a warning, or a refusal. */
export type Enforcement = "off" | "warn" | "reject";

/** A code from a mail. */
export interface EnteredCode {
  /** From the answer to the request for the code. */
  state: string;
  /** The six digits from the mail. */
  code: string;
}

/** What went wrong: stable, so switch on it. The page `/docs/errors` explains each code. */
export type ErrorCode =
  | "VALIDATION_FAILED"
  | "INVALID_JSON"
  | "INVALID_TOKEN"
  | "TOKEN_EXPIRED"
  | "TWO_FACTOR_ALREADY_ENABLED"
  | "TWO_FACTOR_NOT_STARTED"
  | "TWO_FACTOR_NOT_ENABLED"
  | "UNAUTHENTICATED"
  | "WRONG_PASSWORD"
  | "INVALID_TOTP"
  | "INVALID_CODE"
  | "REFRESH_TOKEN_INVALID"
  | "REFRESH_TOKEN_EXPIRED"
  | "REFRESH_TOKEN_REUSED"
  | "FORBIDDEN"
  | "EMAIL_NOT_VERIFIED"
  | "CAPTCHA_REQUIRED"
  | "NO_TENANT"
  | "TOTP_REQUIRED"
  | "SECOND_FACTOR_REQUIRED"
  | "SIGN_ON_REQUIRED"
  | "STEP_UP_REQUIRED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONFLICT"
  | "LAST_OWNER"
  | "EMAIL_TAKEN"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "ACCOUNT_LOCKED"
  | "RATE_LIMITED"
  | "INTERNAL_ERROR"
  | "SERVICE_UNAVAILABLE";

/** What is wrong with one field of a request. */
export interface ErrorDetail {
  /** Where the field is in the body, such as `events.0`. */
  path: string;
  /** Why it was refused, for people. */
  message: string;
}

/** A published event, and what became of it. */
export interface EventDetail extends EventSummary {
  /** Any JSON value. Null for `postern.audit`. */
  payload: unknown;
  /** Each subscription that wanted the event, oldest first, at most 100 on a page. */
  subscriptions: EventOutcome[];
}

/** An event with one page of its subscriptions. */
export interface EventDetailPage {
  data: EventDetail;
  /** Leads to the next page of `subscriptions`; null on the last one. */
  nextCursor: string | null;
}

/** Which events to return. */
export interface EventFilter {
  /** Events on a page, 1 to 100. By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
  type?: string | undefined;
  /** Only events published at this time or later. ISO 8601 with any offset. */
  since?: string | undefined;
}

/** An event to publish. */
export interface EventInput {
  /** The event's type; subscriptions choose by it. */
  type: string;
  /** Any JSON value; it is the body of each delivery. Subscribers receive its text exactly as it is in the request. */
  payload: unknown;
  /** Printable ASCII, sent with each delivery as `X-Correlation-Id`. */
  correlationId?: string | undefined;
  /**
   * What the event is about, such as an order. The events of a key are numbered 1, 2, 3 in the order in which they are
   * stored, and each delivery carries `webhook-order-key` and `webhook-sequence`.
   */
  orderKey?: string | undefined;
  /**
   * The version of its type's schema that it must fit; by default the newest one. Ignored if the type is not declared.
   */
  schemaVersion?: number | undefined;
}

/** What became of an event for one subscription that wanted it. */
export interface EventOutcome {
  webhookId: string;
  /** The name of the subscription. */
  name: string;
  /** The id that the delivery has, or would have. Sent as `webhook-id`. */
  deliveryId: string;
  state: "delivered" | "failed" | "waiting" | "skipped";
  /**
   * Why it waits: `sending` (an attempt is in progress), `retry`, `queue` (it is about to be sent, or due at `until`
   * because of a fault of the service), `limit` (the subscription's limits make it wait), `backlog` (other deliveries
   * to this subscription come first), `held` (the subscription is paused or disabled and holds its deliveries, or has
   * not released this one yet), `held-by-operator` (an operator of the service has frozen what is sent for the tenant),
   * `retry-after` (the subscriber asked for a pause), `fan-out` (deliveries of the event are still being created). Why
   * it was skipped: its filter did not let it through (`filtered`), or the subscription was `paused` when the event was
   * published, `created-later`, or `deleted`.
   */
  reason?:
    | "sending"
    | "retry"
    | "queue"
    | "limit"
    | "backlog"
    | "held"
    | "held-by-operator"
    | "retry-after"
    | "fan-out"
    | "filtered"
    | "paused"
    | "created-later"
    | "deleted"
    | undefined;
  /** For `filtered`: the conditions of the filter that do not hold, at most 20. */
  because?: FilterReason[] | undefined;
  /** In place of `because`: the filter has changed since the event was published. */
  filterChanged?: true | undefined;
  /** When the next attempt is due, if that is known. */
  until?: Timestamp | undefined;
  /** The latest attempt. */
  attempt?: AttemptSummary | undefined;
}

/** A published event without its payload. */
export interface EventSummary {
  id: string;
  type: string;
  correlationId?: string | undefined;
  orderKey?: string | undefined;
  /** The number of the event within its `orderKey`. */
  sequence?: number | undefined;
  /** How many subscriptions received it when it was published. */
  deliveries: number;
  /** How many subscriptions list its type but do not receive it because of their filters. */
  filtered?: number | undefined;
  /** It is a test, sent to one subscription alone. */
  test?: true | undefined;
  createdAt: Timestamp;
}

/** An event type that the tenant has declared. */
export interface EventType extends EventTypeSummary {
  /** A JSON Schema of draft 2020-12, at most 64 KiB, for the payloads. */
  schema?: unknown | undefined;
  /** Payloads, at most 5 of 16 KiB. They must fit the schema. */
  examples?: unknown[] | undefined;
  /** How many enabled subscriptions receive it. */
  subscribers?: number | undefined;
}

/** The public pages that show the event types. */
export interface EventTypeCatalog {
  /** Whether everybody can see the pages. */
  public: boolean;
  /** The pages are at `/catalog/` and this. It is unique in the service. */
  slug?: string | undefined;
  /** The heading of the pages; the slug unless given. */
  title?: string | undefined;
  /** Plain text. */
  description?: string | undefined;
}

/** The fields to change. Null clears a field. Without a slug there is no title and no description. */
export interface EventTypeCatalogChange {
  /** Whether everybody can see the pages. */
  public?: boolean | undefined;
  /** The pages are at `/catalog/` and this. It is unique in the service. */
  slug?: string | null | undefined;
  /** The heading of the pages; the slug unless given. */
  title?: string | null | undefined;
  /** Plain text. */
  description?: string | null | undefined;
}

/** The fields to change. Null clears a field. */
export interface EventTypeChange {
  /** Plain text. */
  description?: string | null | undefined;
  /** The heading under which lists show it. */
  group?: string | null | undefined;
  enforce?: Enforcement | undefined;
  archived?: boolean | undefined;
  deprecated?: DeprecationInput | null | undefined;
  /** Payloads, at most 5 of 16 KiB. They must fit the schema. */
  examples?: unknown[] | null | undefined;
}

/** Which event types to list. */
export interface EventTypeFilter {
  /** Event types on a page, 1 to 200. By default `100`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer. */
  cursor?: string | undefined;
  /** The heading under which lists show it. */
  group?: string | undefined;
  /** Only names that begin so. */
  prefix?: string | undefined;
  /** By default `"exclude"`. */
  archived?: "exclude" | "include" | "only" | undefined;
}

/** Event types to create or change. */
export interface EventTypeImport {
  /** 1 to 1000 event types, as the export in JSON has them. */
  eventTypes?: ImportedEventType[] | undefined;
  /**
   * An OpenAPI document of version 3.0, 3.1 or 3.2, whose `webhooks`, `x-webhooks` or else `callbacks` are the event
   * types.
   */
  openapi?: unknown | undefined;
  /** An AsyncAPI document of version 2 or 3, whose messages that are sent are the event types. */
  asyncapi?: unknown | undefined;
  /** True: nothing is written, the answer tells what would be. By default `false`. */
  dryRun?: boolean | undefined;
}

/** The names of the types of an import, by what became of them, and what was not taken. */
export interface EventTypeImportResult {
  created: string[];
  /** Those of which other fields than the schema have changed. */
  updated: string[];
  /** Those that have a further version of their schema. */
  versions: string[];
  unchanged: string[];
  /** What was left out of types that were taken, at most 1,000. */
  ignored: {
    type: string;
    path: string;
    keyword: string;
  }[];
  /** How much more was left out than is listed. */
  moreIgnored?: number | undefined;
  /** Why types were not taken, with up to 3 reasons each. */
  failed: {
    type: string;
    path: string;
    message: string;
  }[];
  dryRun: boolean;
}

/** An event type to declare. */
export interface EventTypeInput {
  /** Its name, as events have it. */
  name: string;
  /** Plain text. */
  description?: string | undefined;
  /** The heading under which lists show it. */
  group?: string | undefined;
  /** By default `"off"`. */
  enforce?: Enforcement | undefined;
  /** A JSON Schema of draft 2020-12, at most 64 KiB, for the payloads. */
  schema?: unknown | undefined;
  /** Payloads, at most 5 of 16 KiB. They must fit the schema. */
  examples?: unknown[] | undefined;
  deprecated?: DeprecationInput | undefined;
}

/** A payload to try. Nothing is published. */
export interface EventTypeSample {
  payload: unknown;
  /** 1, 2, 3 … */
  version?: number | undefined;
}

/** Whether a payload fits the schema. */
export interface EventTypeSampleResult {
  valid: boolean;
  /** 1, 2, 3 … */
  version: number;
  errors: {
    path: string;
    /** The keyword and what it expects. */
    message: string;
  }[];
}

/** The settings of event types. */
export interface EventTypeSettings {
  /**
   * `open`: any type can be published. `known`: only declared ones that are not archived. `validated`: only those with
   * a schema, and every payload must fit.
   */
  mode: "open" | "known" | "validated";
  catalog: EventTypeCatalog;
}

/** The settings to change. */
export interface EventTypeSettingsChange {
  /**
   * `open`: any type can be published. `known`: only declared ones that are not archived. `validated`: only those with
   * a schema, and every payload must fit.
   */
  mode?: "open" | "known" | "validated" | undefined;
  catalog?: EventTypeCatalogChange | undefined;
}

/** An event type without its schema. */
export interface EventTypeSummary {
  /** Its name, as events have it. */
  name: string;
  /** Who has declared it. What the platform declares holds in every tenant. */
  scope: "tenant" | "platform";
  /** True: the platform has declared a type of the same name, which counts instead. */
  shadowed?: boolean | undefined;
  /** Plain text. */
  description?: string | undefined;
  /** The heading under which lists show it. */
  group?: string | undefined;
  enforce: Enforcement;
  /** True: lists hide it. */
  archived: boolean;
  /** Present if publishers should stop using it. */
  deprecated?:
    | {
        since: Timestamp;
        note?: string | undefined;
        /** The type to use instead. */
        replacedBy?: string | undefined;
      }
    | undefined;
  /** The newest version of its schema; 0 without one. */
  latestVersion: number;
  /** How many events were published with a warning, counted once a minute. */
  warned?:
    | {
        count: number;
        lastAt: Timestamp;
      }
    | undefined;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A version of the schema of an event type. */
export interface EventTypeVersion extends EventTypeVersionSummary {
  /** A JSON Schema of draft 2020-12, at most 64 KiB, for the payloads. */
  schema: unknown;
  /** Payloads, at most 5 of 16 KiB. They must fit the schema. */
  examples?: unknown[] | undefined;
}

/** A further version of the schema. */
export interface EventTypeVersionInput {
  /** A JSON Schema of draft 2020-12, at most 64 KiB, for the payloads. */
  schema: unknown;
  /** Payloads, at most 5 of 16 KiB. They must fit the schema. */
  examples?: unknown[] | undefined;
}

/** A version. */
export interface EventTypeVersionSummary {
  /** 1, 2, 3 … */
  version: number;
  /** Whether it breaks nothing since the version before. */
  compatible: boolean;
  /** Where valid payloads may become invalid, and where they may lose what is read. */
  breaks?:
    | {
        publishers: string[];
        subscribers: string[];
      }
    | undefined;
  createdAt: Timestamp;
}

/** How event types are exported. */
export interface EventTypesFormat {
  /**
   * `json`: as `GET /event-types/:name` has them. `openapi`: the webhooks of an OpenAPI document. `asyncapi`: channels
   * of an AsyncAPI document. `typescript`: an interface with the payload of each type. By default `"json"`.
   */
  format?: "json" | "openapi" | "asyncapi" | "typescript" | undefined;
}

/** An API key without the key itself. */
export interface ExportedApiKey extends ApiKey {
  tenantId: string;
  /** Null: the key belongs to the tenant itself. */
  userId: string | null;
  revokedAt: Timestamp | null;
}

/** An attempt without payload and response. */
export interface ExportedAttempt {
  id: string;
  webhookId: string;
  deliveryId: string;
  eventId: string;
  eventType: string;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
  attemptedAt: Timestamp;
  completedAt: Timestamp | null;
}

/** A connection as `POST /tenant/connections` takes it, without its secret. */
export interface ExportedConnection {
  name: string;
  /** How it signs people on; `directory`: not at all, it provisions them alone. It stays what it is. */
  kind: "oidc" | "saml" | "directory";
  provider: "okta" | "entra" | "google" | "keycloak" | "other";
  attributes: {
    /** The claim that names the person for good; `oid` with Entra's issuers alone. By SAML, the NameID. */
    subject: "sub" | "oid";
    email: string;
    name: string;
    groups: string;
  };
  roles: {
    default: string | null;
    rules: RoleRule[];
    /** Whether each sign-on gives the role again. */
    when: "every" | "first";
  };
  oidc?:
    | {
        issuer: string | null;
        clientId: string | null;
        /**
         * How this service proves itself there: with the `clientSecret`, or with a key whose public part is at `jwksUri`.
         */
        clientAuth: "secret" | "private_key_jwt";
        scopes: string;
      }
    | undefined;
  saml?:
    | {
        entityId: string | null;
        ssoUrl: string | null;
        certificates: string[];
      }
    | undefined;
  /** `jit`: a first sign-on makes a member. `directory`: only whom the directory has gets in. */
  provisioning: "jit" | "directory" | "both";
  session: {
    /** After so many hours the session ends, refreshed or not. */
    hours: number;
    /** How long ago the person may have signed in there; null: however long. */
    maxAgeSeconds: number | null;
    /** Ways to sign in, one of which the provider must say was used. */
    acrValues: string[];
    /** Whether the provider must say that there was a second factor. */
    requireMfa: boolean;
    /** Whether a second factor there counts as one here. */
    trustMfa: boolean;
  };
  /**
   * Who is sent here after typing an address: browsers that have signed on before, or everybody with an address of a
   * proved domain, which tells strangers that the domain is a customer's.
   */
  discovery: "known" | "domain";
  /** Of an address outside the proved domains: refused, or let in with a code that is mailed to it. */
  outsideDomains: "refuse" | "mailCode";
}

/** An event without its payload. */
export interface ExportedEvent {
  id: string;
  type: string;
  correlationId: string | null;
  orderKey: string | null;
  sequence: number | null;
  deliveries: number;
  /** It is a test, sent to one subscription alone. */
  test?: true | undefined;
  createdAt: Timestamp;
}

/** A person as the directory of a tenant has them here. */
export interface ExportedRecord {
  connectionId: string;
  id: string;
  /** The account; null: there is none. */
  userId: string | null;
  state: "active" | "inactive" | "held" | "removed";
  /** The names of the groups with the person. */
  groups: string[];
  /** What the directory has sent, as SCIM has it. */
  attributes: Record<string, unknown>;
}

/** A list of events that programs pull. */
export interface Feed {
  id: string;
  name: string;
  events: string[];
  /** The first characters of its token. */
  tokenPrefix: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Up to where a consumer has handled the events. */
export interface FeedAcknowledgement {
  /** A place in the feed, as an answer gave it; opaque. */
  cursor: string;
}

/** The fields to change; the others stay as they are. */
export interface FeedChange {
  /** One line, trimmed. */
  name?: string | undefined;
  /**
   * The event types that it lists, 1 to 100; `*` stands for all that the tenant publishes, `order.*` for those that
   * begin with `order.`.
   */
  events?: string[] | undefined;
}

/** A reader of a feed, and how far it has come. */
export interface FeedConsumer {
  name: string;
  /** A place in the feed, as an answer gave it; opaque. */
  cursor: string;
  /** How many events follow, counted up to 10,000. */
  waiting: number;
  updatedAt: Timestamp;
}

/** An event of a feed. */
export interface FeedEvent {
  id: string;
  type: string;
  createdAt: Timestamp;
  /** The JSON value exactly as it was published. */
  payload: unknown;
  correlationId?: string | undefined;
  /**
   * What the event is about, such as an order. The events of a key are numbered 1, 2, 3 in the order in which they are
   * stored, and each delivery carries `webhook-order-key` and `webhook-sequence`.
   */
  orderKey?: string | undefined;
  /** The number of the event within its `orderKey`. */
  sequence?: number | undefined;
}

/** A feed to create. */
export interface FeedInput {
  /** One line, trimmed. */
  name: string;
  /**
   * The event types that it lists, 1 to 100; `*` stands for all that the tenant publishes, `order.*` for those that
   * begin with `order.`.
   */
  events: string[];
}

/** A page of a feed. */
export interface FeedPage {
  data: FeedEvent[];
  /** What follows this page. Safe to keep: nothing appears before it later. */
  cursor: string;
  /** Whether to ask again at once. A page may be short or empty. */
  hasMore: boolean;
  /** After how many milliseconds to ask again; 0 only if there is more. */
  nextPollMs: number;
  /** Whether events after the cursor are left out: retention removed them, or `maxAgeMs`. */
  truncated: boolean;
}

/** Where a consumer goes on. */
export type FeedSeek =
  | {
      /** A place in the feed, as an answer gave it; opaque. */
      cursor: string;
    }
  | {
      to: "oldest" | "now";
    }
  | {
      /** The first event at this time or later is next. ISO 8601 with any offset. */
      since: string;
    };

/** How the former token ends. */
export interface FeedTokenRotation {
  /** For how long the former token stays valid, in seconds. By default `0`. */
  overlapSeconds?: number | undefined;
}

/** A feed with its new token. */
export interface FeedWithToken extends Feed {
  /** Reads the feed. It is never shown again. */
  token: string;
}

/** A condition that does not hold. */
export interface FilterReason {
  /** Where it looks; empty for the event as a whole. */
  path: string;
  operator: string;
  /** What stands beside the operator in the filter. */
  expected: unknown;
  /** The JSON type of the value there; of the first one, if the path leads to several. */
  found: "missing" | "null" | "boolean" | "number" | "string" | "array" | "object";
}

/** What a filter makes of an event. */
export interface FilterResult {
  /** Whether the subscription lists the type. */
  subscribed: boolean;
  /** Whether the filter lets the event through. */
  matches: boolean;
  /** The conditions that do not hold, at most 20. */
  because: FilterReason[];
}

/** An event to try. Nothing is published. */
export interface FilterSample {
  type: string;
  /** Any JSON value. */
  payload: unknown;
  /** The filter to try; by default that of the subscription. */
  filter?: Record<string, unknown> | undefined;
}

/** As GitHub signs, in `header` or `X-Hub-Signature-256`. */
export interface GithubProfile {
  kind: "github";
  header?: string | undefined;
}

/** Why sends wait. `held`: an operator has frozen them; `suspended`: the tenant is suspended. */
export type HoldCause = "held" | "suspended";

/** The attempts of one hour. */
export interface HourlyStats {
  /** The start of the hour. */
  hour: Timestamp;
  success: number;
  failed: number;
  /** The median latency, estimated from a histogram. Null if nothing was sent. */
  p50Ms: number | null;
  /** The 95th percentile of the latency, at most 10000. */
  p95Ms: number | null;
}

/** The person at a provider as whom the user signs in. */
export interface Identity {
  id: string;
  provider: ProviderName;
  /** Who vouches for the sign-in, such as `https://accounts.google.com`. */
  issuer: string;
  /** The address that the provider gave when the identity was added. */
  email: string | null;
  createdAt: Timestamp;
  lastUsedAt: Timestamp | null;
}

/** Where the page at `APP_URL/oauth` sends the user next. */
export interface IdentityInput {
  /**
   * Passed to the page at `APP_URL/oauth` unchanged, for example to say where to continue. Check it there: anybody can
   * make such a link.
   */
  to?: string | undefined;
}

/** An import of people, and how far it has come. */
export interface Import {
  id: string;
  name?: string | undefined;
  /** Only reports what would happen: nothing is written. */
  dryRun: boolean;
  /** What to do with people who have an account: nothing, or to complete it. */
  onExisting: "skip" | "update";
  state: "open" | "running" | "finished" | "stopped";
  /** How many people the parts have. */
  rows: number;
  /** How many of them are done. */
  done: number;
  /** How many accounts were made. */
  created: number;
  /** How many accounts were completed. */
  updated: number;
  /** How many accounts were left as they are. */
  skipped: number;
  /** How many rows were refused. */
  refused: number;
  /** How many people have come without the password of their row: its hash is out of bounds. */
  withoutPassword: number;
  /** How many people have an imported hash and have not signed in with it. */
  waiting: number;
  createdAt: Timestamp;
  startedAt?: Timestamp | undefined;
  endedAt?: Timestamp | undefined;
}

/** From where on imports are listed. */
export interface ImportFilter {
  /** Imports on a page, 1 to 100. By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
}

/** An import of people to create. */
export interface ImportInput {
  /** One line, trimmed. */
  name?: string | undefined;
  /** Only reports what would happen: nothing is written. By default `false`. */
  dryRun?: boolean | undefined;
  /** What to do with people who have an account: nothing, or to complete it. By default `"skip"`. */
  onExisting?: "skip" | "update" | undefined;
  /** What hashes of Firebase need: the project's password hash parameters. */
  hashSettings?:
    | {
        firebase?:
          | {
              signerKey: string;
              saltSeparator: string;
              rounds: number;
              memCost: number;
            }
          | undefined;
      }
    | undefined;
}

/** A part that the service has. */
export interface ImportPart {
  part: number;
  /** How many people it has. */
  rows: number;
  /** Its size. */
  bytes: number;
}

/** Which lines of a report are listed, and from where on. */
export interface ImportReportFilter {
  outcome?: "created" | "updated" | "skipped" | "refused" | undefined;
  /** Lines on a page, 1 to 2000. By default `500`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
}

/** How many parts the import has. All must have been sent. */
export interface ImportStart {
  /** How many parts there are. */
  parts: number;
}

/** An event type to create or change. Fields that are missing stay. */
export interface ImportedEventType {
  /** Plain text. */
  description?: string | null | undefined;
  /** The heading under which lists show it. */
  group?: string | null | undefined;
  enforce?: Enforcement | undefined;
  archived?: boolean | undefined;
  /** `true` counts from now, unless the type is deprecated already; `false` and null clear it. */
  deprecated?: boolean | DeprecationInput | null | undefined;
  /** Payloads, at most 5 of 16 KiB. They must fit the schema. */
  examples?: unknown[] | null | undefined;
  /** Its name, as events have it. */
  name: string;
  /** A JSON Schema of draft 2020-12, at most 64 KiB, for the payloads. */
  schema?: unknown | undefined;
  /** Ignored: the service sets it. */
  scope?: unknown | undefined;
  /** Ignored: the service sets it. */
  shadowed?: unknown | undefined;
  /** Ignored: the service sets it. */
  latestVersion?: unknown | undefined;
  /** Ignored: the service sets it. */
  warned?: unknown | undefined;
  /** Ignored: the service sets it. */
  subscribers?: unknown | undefined;
  /** Ignored: the service sets it. */
  createdAt?: unknown | undefined;
  /** Ignored: the service sets it. */
  updatedAt?: unknown | undefined;
}

/** What became of a line. */
export interface ImportedLine {
  /** The number of the line over all parts, from 1. */
  line: number;
  outcome: "created" | "updated" | "skipped" | "refused";
  externalId?: string | undefined;
  email?: string | undefined;
  userId?: string | undefined;
  /** Why the row was skipped or refused, or why its password was left out. */
  reason?: string | undefined;
  /** Members of the row that the service does not know, or has left out. */
  ignored?: string[] | undefined;
}

/** What became of one item. */
export interface ImportedSubscription {
  /** The place of the item in the request, from 0 on. */
  index: number;
  externalId?: string | undefined;
  outcome: "created" | "updated" | "unchanged" | "refused";
  id?: string | undefined;
  /** Why the item is refused. */
  reason?: string | undefined;
}

/** An invitation that has been mailed. */
export interface Invitation {
  id: string;
  email: string;
  role: Role;
  /** The user who invites; null: the product itself, with a platform key. */
  invitedBy: string | null;
  createdAt: Timestamp;
  /** Seven days after `createdAt`. */
  expiresAt: Timestamp;
}

/** Whom to invite, and the role they will have. */
export interface InvitationInput {
  email: string;
  role: Role;
}

/** What an open invitation says. */
export interface InvitationLookUp {
  tenant: {
    name: string;
  };
  role: Role;
  /** Whom it was mailed to, and who alone can use it. */
  email: string;
  /** True: sign in and accept it. False: register with it. */
  hasAccount: boolean;
  /** Name and address; null: the product itself. */
  inviter: string | null;
}

/** A new API key with its secret. */
export interface IssuedApiKey extends ApiKey {
  /** The key itself. Store it now: the service cannot return it again. */
  key: string;
}

/** A client with its new secret. */
export interface IssuedOauthClient extends OauthClient {
  /** Shown once. Missing for an app without a secret. */
  secret?: string | undefined;
}

/** A new platform key with its secret. */
export interface IssuedPlatformKey extends PlatformKey {
  /** The key itself. Store it now: the service cannot return it again. */
  key: string;
}

/** The tenant that an accepted invitation leads to. */
export interface JoinedTenant {
  /** Sign in to it with its id as `tenantId`. */
  tenant: Tenant;
  role: Role;
}

/** Public keys that verify access tokens (RFC 7517). */
export interface KeySet {
  keys: (EdwardsPublicKey | EllipticPublicKey | RsaPublicKey)[];
}

/** Opens a socket once. */
export interface ListenTicket {
  /** Opens the socket of the listener, once. */
  ticket: string;
  /** 30 seconds after it was made. */
  ticketExpiresAt: Timestamp;
}

/** A subscription whose deliveries go to a program over a WebSocket. */
export interface Listener {
  _id: string;
  name: string;
  events: string[];
  createdAt: Timestamp;
  /** Whether it has a socket. Otherwise it holds. */
  connected: boolean;
}

/** A listener to open. */
export interface ListenerInput {
  /**
   * The event types that it receives, 1 to 100; `*` stands for all that the tenant publishes, `order.*` for those that
   * begin with `order.`, `postern.*` for all operational events.
   */
  events: string[];
  /** One line, trimmed. By default `"Listener"`. */
  name?: string | undefined;
}

/** A language. */
export type Locale = "en" | "de" | "fr" | "es";

/** Which attempts of a log to return. */
export interface LogFilter {
  /** Attempts on a page, 1 to 100. By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
  status?: "pending" | "success" | "failed" | undefined;
  eventType?: string | undefined;
  /** Only attempts that started at this time or later. ISO 8601 with any offset. */
  since?: string | undefined;
  /** Only attempts that started before this time. ISO 8601 with any offset. */
  until?: string | undefined;
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.8. */
export interface LogoutRefusal {
  error: "invalid_request";
}

/** A new portal link with its URL. */
export interface MadePortalLink {
  id: string;
  permissions: Permission[];
  expiresAt: Timestamp;
  createdAt: Timestamp;
  /** The link itself, which works once. Send your customer there: the service cannot return it again. */
  url: string;
  /** When the link was opened; null: not yet, and for a token. */
  openedAt: Timestamp | null;
  theme?: PortalTheme | undefined;
  returnUrl?: string | undefined;
}

/** A new portal token. */
export interface MadePortalToken {
  id: string;
  permissions: Permission[];
  expiresAt: Timestamp;
  createdAt: Timestamp;
  /** The token itself, for `Authorization: Bearer`. The service cannot return it again. */
  token: string;
}

/** A token, which is shown once. */
export interface MadeScimToken {
  id: string;
  /** Somebody with a setup link has made it. It works once the connection is activated again. */
  needsReview: boolean;
  createdAt: Timestamp;
  /** When it stops working; null: it works until it is revoked. */
  expiresAt: Timestamp | null;
  token: string;
}

/** A new setup link with its URL. */
export interface MadeSetupLink extends SetupLink {
  /** The link itself, which works once. The service cannot return it again. */
  url: string;
}

/** A person in the tenant. */
export interface Member {
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  joinedAt: Timestamp;
}

/** Which members are listed, and from where on. */
export interface MemberFilter {
  /** Members on a page, 1 to 1000. By default `1000`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
  /** Part of a name or an address, in any case. A whole address is found at once. */
  q?: string | undefined;
}

/** A tenant that the user is a member of. */
export interface Membership {
  id: string;
  name: string;
  role: Role;
  /** True for the tenant of this session. */
  current: boolean;
}

/** The caller's settings in the tenant. */
export interface MembershipChange {
  /** Whether the caller gets mails about failing subscriptions of this tenant, as owner or admin. */
  alerts: boolean;
}

/** Where a tenant is moved, and the operator's password or code. */
export interface MoveRequest {
  /** A delivery database: 0 is `DB`, n is `SHARD_n`. */
  shard: number;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** An app that people sign in to. */
export interface OauthClient {
  id: string;
  owner: "platform" | "tenant";
  /** `metadata`: listed by the URL of its document, which is its `id`. */
  kind: "registered" | "metadata";
  /** Of an app that is listed, where it is read alone: the copy. */
  document?: Record<string, unknown> | undefined;
  externalId: string | null;
  name: string;
  type: "web" | "native";
  /** How the app proves itself: by `secret`, by its keys in `jwks`, or, as all `native` apps, not at all. */
  auth: "secret" | "private_key_jwt" | "none";
  /** Shown where people are asked, and loaded by their browsers. */
  logoUrl: string | null;
  homepageUrl: string | null;
  /** Shown where people are asked; so is `termsUrl`. */
  privacyUrl: string | null;
  termsUrl: string | null;
  /** Where our pages lead people who did not come from the app. */
  initiateLoginUrl: string | null;
  /**
   * Where the app is told when a sign-in ends, by a signed `logout_token` (OpenID Connect Back-Channel Logout 1.0). By
   * the rule of subscriptions' URLs.
   */
  backchannelLogoutUrl: string | null;
  /** The public keys of an app with `private_key_jwt`, as JWKs for RS256, PS256, ES256 or EdDSA. */
  jwks: {
    keys: Record<string, unknown>[];
  } | null;
  /** Where the app publishes these keys, in place of `jwks`. They are read again after five minutes. */
  jwksUrl: string | null;
  /**
   * Where the app gets its codes: https, or http of localhost. The exact URL must be sent. `native` apps may use a
   * scheme of their own, and any port of localhost.
   */
  redirectUrls: string[];
  /** Where people may go after they have signed out; by the rule of `redirectUrls`. */
  postLogoutUrls: string[];
  /**
   * `refresh_token`: people who allow `offline_access` stay connected without a session. `device_code`: they sign in on
   * another device (RFC 8628).
   */
  grants: ("authorization_code" | "refresh_token" | "client_credentials" | "device_code")[];
  scopes: ("openid" | "profile" | "email" | "tenant" | "offline_access")[];
  /** The APIs whose tokens the app may get, and with which of their scopes. */
  resources: ClientResource[];
  /** `skip`, for an app of your own: people are not asked. Set by an operator's session alone. */
  consent: "ask" | "skip";
  tenants: string[] | null;
  /** Whether people get through whose address is unverified. */
  unverifiedEmail: boolean;
  pkce: "required" | "optional";
  /** Whether the app must push its requests (RFC 9126). */
  pushedOnly: boolean;
  /** Whether access tokens are bound to a key of the app (RFC 9449): `allowed`, when it shows one. */
  dpop: "off" | "allowed" | "required";
  /** What each sign-in must have: a second factor (`mfa`), or a passkey (`phr`). */
  acr: "mfa" | "phr" | null;
  idTokenAlgorithm: "EdDSA" | "ES256" | "RS256";
  /** Whether ID tokens have the claims that userinfo has. */
  idTokenClaims: boolean;
  accessTokenSeconds: number;
  idTokenSeconds: number;
  /** How long a connection lasts that the app does not use. */
  idleDays: number;
  /** How long a connection lasts at most. */
  maxDays: number;
  enabled: boolean;
  secretPrefix?: string | undefined;
  /** When the former secret ends, while it still works. */
  previousExpiresAt?: Timestamp | undefined;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  lastUsedAt: Timestamp | null;
}

/** What changes of a client; what is missing stays. */
export interface OauthClientChange {
  /** Shown to people. One line without a host or URL. */
  name?: string | undefined;
  /** Shown where people are asked, and loaded by their browsers. */
  logoUrl?: string | null | undefined;
  homepageUrl?: string | null | undefined;
  /** Shown where people are asked; so is `termsUrl`. */
  privacyUrl?: string | null | undefined;
  termsUrl?: string | null | undefined;
  /** Where our pages lead people who did not come from the app. */
  initiateLoginUrl?: string | null | undefined;
  /**
   * Where the app is told when a sign-in ends, by a signed `logout_token` (OpenID Connect Back-Channel Logout 1.0). By
   * the rule of subscriptions' URLs.
   */
  backchannelLogoutUrl?: string | null | undefined;
  /** The public keys of an app with `private_key_jwt`, as JWKs for RS256, PS256, ES256 or EdDSA. */
  jwks?:
    | {
        keys: Record<string, unknown>[];
      }
    | null
    | undefined;
  /** Where the app publishes these keys, in place of `jwks`. They are read again after five minutes. */
  jwksUrl?: string | null | undefined;
  /**
   * Where the app gets its codes: https, or http of localhost. The exact URL must be sent. `native` apps may use a
   * scheme of their own, and any port of localhost.
   */
  redirectUrls?: string[] | undefined;
  /** Where people may go after they have signed out; by the rule of `redirectUrls`. */
  postLogoutUrls?: string[] | undefined;
  /**
   * `refresh_token`: people who allow `offline_access` stay connected without a session. `device_code`: they sign in on
   * another device (RFC 8628).
   */
  grants?: ("authorization_code" | "refresh_token" | "client_credentials" | "device_code")[] | undefined;
  scopes?: ("openid" | "profile" | "email" | "tenant" | "offline_access")[] | undefined;
  /** The APIs whose tokens the app may get, and with which of their scopes. */
  resources?: ClientResource[] | undefined;
  /** `skip`, for an app of your own: people are not asked. Set by an operator's session alone. */
  consent?: "ask" | "skip" | undefined;
  /** The only tenants whose members get through, by id or as `ext:<externalId>`. Null: all. */
  tenants?: string[] | null | undefined;
  /** Whether people get through whose address is unverified. */
  unverifiedEmail?: boolean | undefined;
  pkce?: "required" | "optional" | undefined;
  /** Whether the app must push its requests (RFC 9126). */
  pushedOnly?: boolean | undefined;
  /** Whether access tokens are bound to a key of the app (RFC 9449): `allowed`, when it shows one. */
  dpop?: "off" | "allowed" | "required" | undefined;
  /** What each sign-in must have: a second factor (`mfa`), or a passkey (`phr`). */
  acr?: "mfa" | "phr" | null | undefined;
  idTokenAlgorithm?: "EdDSA" | "ES256" | "RS256" | undefined;
  /** Whether ID tokens have the claims that userinfo has. */
  idTokenClaims?: boolean | undefined;
  accessTokenSeconds?: number | undefined;
  idTokenSeconds?: number | undefined;
  /** How long a connection lasts that the app does not use. */
  idleDays?: number | undefined;
  /** How long a connection lasts at most. */
  maxDays?: number | undefined;
  enabled?: boolean | undefined;
  /** Of an app by its document: the copy that serves when it cannot be fetched. */
  document?: Record<string, unknown> | undefined;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** An app to register, and the operator's password or code. */
export interface OauthClientInput {
  /** Shown to people. One line without a host or URL. Needed to register. */
  name?: string | undefined;
  /** The URL of the document of an app that is to be listed; then no other setting but `document`. */
  clientId?: string | undefined;
  /** Of an app by its document: the copy that serves when it cannot be fetched. */
  document?: Record<string, unknown> | undefined;
  /** Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \. Case matters. */
  externalId?: string | undefined;
  /** By default `"web"`. */
  type?: "web" | "native" | undefined;
  /** How the app proves itself: by `secret`, by its keys in `jwks`, or, as all `native` apps, not at all. */
  auth?: "secret" | "private_key_jwt" | "none" | undefined;
  /** Shown where people are asked, and loaded by their browsers. By default `null`. */
  logoUrl?: string | null | undefined;
  /** By default `null`. */
  homepageUrl?: string | null | undefined;
  /** Shown where people are asked; so is `termsUrl`. By default `null`. */
  privacyUrl?: string | null | undefined;
  /** By default `null`. */
  termsUrl?: string | null | undefined;
  /** Where our pages lead people who did not come from the app. By default `null`. */
  initiateLoginUrl?: string | null | undefined;
  /**
   * Where the app is told when a sign-in ends, by a signed `logout_token` (OpenID Connect Back-Channel Logout 1.0). By
   * the rule of subscriptions' URLs. By default `null`.
   */
  backchannelLogoutUrl?: string | null | undefined;
  /** The public keys of an app with `private_key_jwt`, as JWKs for RS256, PS256, ES256 or EdDSA. By default `null`. */
  jwks?:
    | {
        keys: Record<string, unknown>[];
      }
    | null
    | undefined;
  /**
   * Where the app publishes these keys, in place of `jwks`. They are read again after five minutes. By default `null`.
   */
  jwksUrl?: string | null | undefined;
  /**
   * Where the app gets its codes: https, or http of localhost. The exact URL must be sent. `native` apps may use a
   * scheme of their own, and any port of localhost. By default `[]`.
   */
  redirectUrls?: string[] | undefined;
  /** Where people may go after they have signed out; by the rule of `redirectUrls`. By default `[]`. */
  postLogoutUrls?: string[] | undefined;
  /**
   * `refresh_token`: people who allow `offline_access` stay connected without a session. `device_code`: they sign in on
   * another device (RFC 8628). By default `["authorization_code","refresh_token"]`.
   */
  grants?: ("authorization_code" | "refresh_token" | "client_credentials" | "device_code")[] | undefined;
  /** By default `["openid","profile","email","tenant","offline_access"]`. */
  scopes?: ("openid" | "profile" | "email" | "tenant" | "offline_access")[] | undefined;
  /** The APIs whose tokens the app may get, and with which of their scopes. By default `[]`. */
  resources?: ClientResource[] | undefined;
  /** `skip`, for an app of your own: people are not asked. Set by an operator's session alone. By default `"ask"`. */
  consent?: "ask" | "skip" | undefined;
  /** The only tenants whose members get through, by id or as `ext:<externalId>`. Null: all. By default `null`. */
  tenants?: string[] | null | undefined;
  /** Whether people get through whose address is unverified. By default `false`. */
  unverifiedEmail?: boolean | undefined;
  /** By default `"required"`. */
  pkce?: "required" | "optional" | undefined;
  /** Whether the app must push its requests (RFC 9126). By default `false`. */
  pushedOnly?: boolean | undefined;
  /**
   * Whether access tokens are bound to a key of the app (RFC 9449): `allowed`, when it shows one. By default `"off"`.
   */
  dpop?: "off" | "allowed" | "required" | undefined;
  /** What each sign-in must have: a second factor (`mfa`), or a passkey (`phr`). By default `null`. */
  acr?: "mfa" | "phr" | null | undefined;
  /** By default `"RS256"`. */
  idTokenAlgorithm?: "EdDSA" | "ES256" | "RS256" | undefined;
  /** Whether ID tokens have the claims that userinfo has. By default `true`. */
  idTokenClaims?: boolean | undefined;
  /** By default `900`. */
  accessTokenSeconds?: number | undefined;
  /** By default `600`. */
  idTokenSeconds?: number | undefined;
  /** How long a connection lasts that the app does not use. By default `30`. */
  idleDays?: number | undefined;
  /** How long a connection lasts at most. By default `90`. */
  maxDays?: number | undefined;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** How a secret is replaced. */
export interface OauthClientSecretRotation {
  /** How long the former secret still works; 0: it ends at once. By default `86400`. */
  overlapSeconds?: number | undefined;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** The result of a sign-in with a provider. */
export interface OauthExchange {
  /** The `code` that `APP_URL/oauth` was opened with. */
  code: string;
  /** A TOTP or recovery code. Required when two-factor authentication is on. */
  totp?: string | undefined;
  /** One of the user's tenants. Missing: the one used last. */
  tenantId?: string | undefined;
  /**
   * After `EMAIL_NOT_VERIFIED` with `next: email-code`, the code that was mailed: it proves the address. After
   * `CONFLICT`, a code from `POST /auth/code` for the address: it links the provider to the account that has the
   * address, unless LINK_BY_EMAIL is `never`.
   */
  mailCode?: EnteredCode | undefined;
}

/** A listener with its secret and its first ticket. */
export interface OpenedListener {
  _id: string;
  name: string;
  events: string[];
  createdAt: Timestamp;
  /** Signs its deliveries. It is never shown again. */
  secret: string;
  /** Opens the socket of the listener, once. */
  ticket: string;
  /** 30 seconds after it was made. */
  ticketExpiresAt: Timestamp;
}

/** A person as operators see them. */
export interface OperatedPerson {
  /** What the product calls it. */
  externalId: string | null;
  id: string;
  email: string;
  name: string | null;
  createdAt: Timestamp;
  /** Null: not suspended. */
  suspended: SuspendedSince | null;
  emailVerified: boolean;
  twoFactorEnabled: boolean;
  sessions: number;
  apiKeys: number;
  /** The fifty most recently used. */
  tenants: {
    id: string;
    name: string;
    role: Role;
  }[];
}

/** The identity providers and domains of a tenant. */
export interface OperatedSignOn {
  connections: {
    id: string;
    name: string;
    kind: "oidc" | "saml" | "directory";
    state: "draft" | "ready" | "active" | "disabled";
    lastSignOnAt: Timestamp | null;
    /** Since when many were refused, and nobody got in. */
    failingSince: Timestamp | null;
    /** Those of its directory, newest first: at most two. */
    scimTokens: {
      createdAt: Timestamp;
      lastUsedAt: Timestamp | null;
      expiresAt: Timestamp | null;
    }[];
    /** What its directory has here. Missing: it has never called. */
    directory?:
      | {
          active: number;
          inactive: number;
          held: number;
          groups: number;
          lastRequestAt: Timestamp | null;
        }
      | undefined;
  }[];
  /** Work over all people of a directory that has not ended, the oldest first. */
  jobs: {
    connectionId: string;
    /**
     * `roles`: giving the roles of the rules. `end`, `removed`: of a connection that was deleted, deleting what it has
     * left, and recording whom it has removed.
     */
    kind: "roles" | "end" | "removed";
    parts: number;
    since: Timestamp;
  }[];
  domains: {
    domain: string;
    state: "pending" | "proved" | "lost";
    provedBy: "dns" | "platform" | null;
  }[];
}

/** A subscription as operators see it. */
export interface OperatedSubscription {
  id: string;
  name: string;
  host: string;
  state: "active" | "failing" | "paused" | "disabled";
  /** Failed attempts since the last success. */
  failureCount: number;
  /** Of the last failed attempt, if it is among the newest. */
  error: string | null;
  /** When something was last sent to it. */
  lastTriggeredAt: Timestamp | null;
  /** The types that it lists. */
  events: string[];
  /** How many of the events in `published` are of these types. */
  matching: number;
  /** Listed types that nobody has declared or published, with the name that may be meant. */
  similar: {
    type: string;
    meant: string;
  }[];
  /** When and by whom it was paused or disabled, if the newest part of the audit log says so. */
  offSince: {
    at: Timestamp;
    by: string;
  } | null;
}

/** A tenant as operators see it. */
export interface OperatedTenant {
  /** What the product calls it. */
  externalId: string | null;
  /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
  id: string;
  name: string;
  createdAt: Timestamp;
  /** Null: not suspended. */
  suspended: SuspendedSince | null;
  /** The delivery database: 0 is `DB`, n is `SHARD_n`. */
  shard: number;
  /** Null: it was never moved. */
  move: TenantMove | null;
  members: number;
  apiKeys: number;
  /** The first ten. */
  owners: {
    id: string;
    email: string;
  }[];
  subscriptions: {
    total: number;
    active: number;
    failing: number;
    paused: number;
    disabled: number;
  };
  /** At most 50, those that fail first. */
  subscriptionStates: OperatedSubscription[];
  /** What the tenant has published in seven days, or since the oldest event that was read. */
  published: {
    since: Timestamp;
    events: number;
  };
  openDeliveries: BoundedCount;
  /** When the oldest open delivery was or is due. */
  oldestDueAt: Timestamp | null;
  /** In the present hour and the previous one. */
  attempts: {
    since: Timestamp;
    succeeded: number;
    failed: number;
  };
  /** Missing while sign-on is off. */
  signOn?: OperatedSignOn | undefined;
  holds: {
    cause: HoldCause;
    since: Timestamp;
    ofAllTenants: boolean;
  }[];
}

/** What proves again who the operator is: the password, a code, or both. */
export interface OperatorConfirmation {
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** What a search has found, at most 20 of each kind. */
export interface OperatorSearch {
  tenants: {
    /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
    id: string;
    /** What the product calls it. */
    externalId: string | null;
    name: string;
    isSuspended: boolean;
  }[];
  people: {
    id: string;
    /** What the product calls it. */
    externalId: string | null;
    email: string;
    name: string | null;
    isSuspended: boolean;
  }[];
  subscriptions: {
    id: string;
    name: string;
    host: string;
    enabled: boolean;
    /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
    tenantId: string;
    tenantName: string;
  }[];
  events: {
    id: string;
    type: string;
    createdAt: Timestamp;
    /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
    tenantId: string;
    tenantName: string;
  }[];
  deliveries: {
    id: string;
    webhookId: string;
    eventId: string;
    /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
    tenantId: string;
    tenantName: string;
  }[];
  /** The databases that did not answer, so that findings may be missing. */
  unreachable: number[];
}

/** A passkey of the user. */
export interface Passkey {
  /** The id that the authenticator gave the passkey, in base64url. */
  id: string;
  name: string;
  /** Whether it is synchronised to the user's other devices. */
  backedUp: boolean;
  /** How the browser reaches the authenticator, such as `internal`, `hybrid` or `usb`. */
  transports: string[];
  /** The model of the authenticator, in hex; zeros if it does not say, empty for an imported passkey. */
  aaguid: string;
  createdAt: Timestamp;
  /** Null: never. */
  lastUsedAt: Timestamp | null;
}

/** What `navigator.credentials.get` returned, as its `toJSON()`. */
export interface PasskeyAssertion {
  /** The id that the authenticator gave the passkey, in base64url. */
  id: string;
  type: "public-key";
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null | undefined;
  };
}

/** What `navigator.credentials.create` returned, as its `toJSON()`. */
export interface PasskeyAttestation {
  /** The id that the authenticator gave the passkey, in base64url. */
  id: string;
  type: "public-key";
  response: {
    clientDataJSON: string;
    attestationObject: string;
    transports?: string[] | undefined;
  };
}

/** The options for making a passkey. */
export interface PasskeyCreationOptions {
  /** Send it back with the answer. */
  state: string;
  /** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
  options: {
    rp: {
      /** The host of `APP_URL`. */
      id: string;
      name: string;
    };
    user: {
      id: string;
      name: string;
      displayName: string;
    };
    challenge: string;
    pubKeyCredParams: {
      type: "public-key";
      alg: number;
    }[];
    /** In milliseconds. */
    timeout: number;
    excludeCredentials: {
      type: "public-key";
      /** The id that the authenticator gave the passkey, in base64url. */
      id: string;
      transports: string[];
    }[];
    authenticatorSelection: {
      residentKey: "required";
      requireResidentKey: true;
      userVerification: "required";
    };
    attestation: "none";
  };
  /** Until when the answer is accepted. */
  expiresAt: Timestamp;
}

/** A passkey to add. */
export interface PasskeyInput {
  /** The `state` that came with the options. It works once, within five minutes. */
  state: string;
  response: PasskeyAttestation;
  /** 1 to 64 characters in one line. */
  name: string;
}

/** The answer to the options of a login. */
export interface PasskeyLogin {
  /** The `state` that came with the options. It works once, within five minutes. */
  state: string;
  response: PasskeyAssertion;
  /** One of the user's tenants. Missing: the one used last. */
  tenantId?: string | undefined;
}

/** A new account that gets a passkey in place of a password. */
export interface PasskeyRegistrant {
  email: string;
  /** One line, trimmed. */
  name?: string | undefined;
  /** The name of the new tenant: at most 64 characters, without a host or URL. Ignored with an invitation. */
  tenantName?: string | undefined;
  /** The token in the link of an invitation mail. The user joins that tenant instead of creating one. */
  invitationToken?: string | undefined;
  /** From the Turnstile widget, where the service asks for one (`CAPTCHA_REQUIRED`). */
  captchaToken?: string | undefined;
}

/** The answer to the options of a registration. */
export type PasskeyRegistration = PasskeyInput;

/** The options for signing in or confirming with a passkey. */
export interface PasskeyRequestOptions {
  /** Send it back with the answer. */
  state: string;
  /** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  options: {
    challenge: string;
    /** The host of `APP_URL`. */
    rpId: string;
    /** In milliseconds. */
    timeout: number;
    allowCredentials: {
      type: "public-key";
      /** The id that the authenticator gave the passkey, in base64url. */
      id: string;
      transports: string[];
    }[];
    userVerification: "required";
  };
  /** Until when the answer is accepted. */
  expiresAt: Timestamp;
}

/** A new password for the signed-in account. */
export interface PasswordChange {
  currentPassword: string;
  /** 8 to 256 characters after NFKC. The most common passwords and the user's own email address are refused. */
  newPassword: string;
}

/** A new password for an account whose password is forgotten. */
export interface PasswordReset {
  /** The token in the mailed link. */
  token: string;
  /** 8 to 256 characters after NFKC. The most common passwords and the user's own email address are refused. */
  newPassword: string;
  /**
   * Also ends all API keys, passkeys and sign-ins with providers. Those from before the address was verified always
   * end. By default `false`.
   */
  endCredentials?: boolean | undefined;
}

/** One right, held by a role and granted to an API key as a scope. */
export type Permission =
  | "webhook.create"
  | "webhook.read"
  | "webhook.update"
  | "webhook.delete"
  | "event.publish"
  | "source.manage"
  | "member.read"
  | "member.manage"
  | "audit.read"
  | "client.manage";

/** Why a person is suspended, and what happens to their API keys. */
export interface PersonSuspension extends Suspension {
  /** Whether API keys that the person has made keep working, for a tenant that depends on them. By default `false`. */
  keepApiKeys?: boolean | undefined;
}

/** An app, and whether operators have blocked it. */
export interface PlatformApp {
  client: AppName;
  /** `blocked`: nobody gets through, and its tokens have ended. Null: nothing is said. */
  state: "allowed" | "blocked" | null;
  lastUsedAt: Timestamp | null;
}

/** What operators say of an app; null: nothing any more. */
export interface PlatformAppRule {
  state: "blocked" | null;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** Which clients are listed, and from where on. */
export interface PlatformClientFilter {
  /** By default `50`. */
  limit?: number | undefined;
  cursor?: string | undefined;
  /** Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \. Case matters. */
  externalId?: string | undefined;
}

/** A domain that a tenant says is its own. */
export interface PlatformDomainInput {
  /** A DNS name with a dot. Names in other scripts are stored in ASCII (IDNA). */
  domain: string;
  /**
   * Whether the product vouches for it: nothing is looked up. While another tenant has the domain, it stays `pending`.
   * By default `false`.
   */
  proved?: boolean | undefined;
}

/** A platform key without its secret. */
export interface PlatformKey {
  id: string;
  name: string;
  /** The key's first 8 characters and `…`. */
  prefix: string;
  scopes: PlatformScope[];
  /** The only tenants that the key sees. Missing: all. */
  tenants?: string[] | undefined;
  createdAt: Timestamp;
  /** To the minute; null: never used. */
  lastUsedAt: Timestamp | null;
  /** Null: never. */
  expiresAt: Timestamp | null;
  /** When the former key ends, while it still works. */
  previousExpiresAt?: Timestamp | undefined;
}

/** A platform key to issue, and the operator's password or code. */
export interface PlatformKeyInput {
  /** One line, trimmed. */
  name: string;
  /** What the key may do. `tenants.*` stands for all scopes that begin with `tenants.`. */
  scopes: (
    | "tenants.read"
    | "tenants.write"
    | "users.read"
    | "users.write"
    | "members.read"
    | "members.write"
    | "events.publish"
    | "webhooks.read"
    | "webhooks.write"
    | "audit.read"
    | "clients.read"
    | "clients.write"
    | "connections.read"
    | "connections.write"
    | "tenants.*"
    | "users.*"
    | "members.*"
    | "events.*"
    | "webhooks.*"
    | "audit.*"
    | "clients.*"
    | "connections.*"
  )[];
  /** The only tenants that the key sees, by id or as `ext:<externalId>`. Missing: all. */
  tenants?: string[] | undefined;
  /** In the future. Missing: the key never expires. ISO 8601 with any offset. */
  expiresAt?: string | null | undefined;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** How a platform key is replaced. */
export interface PlatformKeyRotation {
  /** How long the former key still works; 0: it ends at once. By default `86400`. */
  overlapSeconds?: number | undefined;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** A user in a tenant. */
export interface PlatformMember extends Member {
  externalId: string | null;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata: Record<string, unknown>;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata: Record<string, unknown>;
}

/** What to change. */
export interface PlatformMemberChange {
  role?: Role | undefined;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata?: Record<string, unknown> | null | undefined;
}

/** From where on members are listed. */
export interface PlatformMemberFilter {
  /** Rows on a page, 1 to 200. By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
}

/** A member to add. */
export interface PlatformMemberInput {
  /** A user, by id, as `ext:<externalId>` or as `email:<address>`. */
  user: string;
  role: Role;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata?: Record<string, unknown> | null | undefined;
}

/** Why. Those concerned can read it in their audit log. */
export interface PlatformReason {
  /** One line, trimmed. */
  reason: string;
}

/** What a platform key may do. */
export type PlatformScope =
  | "tenants.read"
  | "tenants.write"
  | "users.read"
  | "users.write"
  | "members.read"
  | "members.write"
  | "events.publish"
  | "webhooks.read"
  | "webhooks.write"
  | "audit.read"
  | "clients.read"
  | "clients.write"
  | "connections.read"
  | "connections.write";

/** Since when and why a tenant or a user is suspended. */
export interface PlatformSuspension {
  at: Timestamp;
  reason: string | null;
}

/** A tenant, as the product sees it. */
export interface PlatformTenant {
  id: string;
  /** Your own id. */
  externalId: string | null;
  /** Null: not suspended. */
  suspended: PlatformSuspension | null;
  createdAt: Timestamp;
  /** When what this record shows last changed. */
  updatedAt: Timestamp;
  /** Grows with each event about the subject; 0 before the first one. */
  sequence: number;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata: Record<string, unknown>;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata: Record<string, unknown>;
  name: string;
}

/** What to change. `externalId: null` removes it. */
export interface PlatformTenantChange {
  /** One line, trimmed. */
  name?: string | undefined;
  /** Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \. Case matters. */
  externalId?: string | null | undefined;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata?: Record<string, unknown> | null | undefined;
}

/** Which tenants are listed, and from where on. */
export interface PlatformTenantFilter {
  /** Rows on a page, 1 to 200. By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
  /** Only what has changed at this time or later. ISO 8601 with any offset. */
  updatedSince?: string | undefined;
  /** Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \. Case matters. */
  externalId?: string | undefined;
}

/** A tenant to create. */
export interface PlatformTenantInput {
  /** One line, trimmed. */
  name: string;
  /** Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \. Case matters. */
  externalId?: string | undefined;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata?: Record<string, unknown> | null | undefined;
}

/** What a tenant has used in a month. */
export interface PlatformUsage {
  tenantId: string;
  /** Your own id. */
  externalId: string | null;
  name: string;
  /** Published events, without those that tell of subscriptions (`postern.…`). */
  events: number;
  /** Deliveries of these events, however many attempts each has taken. */
  deliveries: number;
  /** Of the payloads of these events. */
  bytes: number;
  /** The members of the tenant now. */
  members: number;
}

/** Of which month, and from where on. */
export interface PlatformUsageFilter {
  /** In UTC. */
  month?: string | undefined;
  /** Rows on a page, 1 to 200. By default `50`. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
}

/** A person with an account, as the product sees them. */
export interface PlatformUser {
  id: string;
  /** Your own id. */
  externalId: string | null;
  /** Null: not suspended. */
  suspended: PlatformSuspension | null;
  createdAt: Timestamp;
  /** When what this record shows last changed. */
  updatedAt: Timestamp;
  /** Grows with each event about the subject; 0 before the first one. */
  sequence: number;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata: Record<string, unknown>;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata: Record<string, unknown>;
  email: string;
  name: string | null;
  /** The language of their mails; missing: that of the service. */
  locale?: Locale | undefined;
  emailVerified: boolean;
  twoFactorEnabled: boolean;
}

/** What to change. Null removes a name or an `externalId`. */
export interface PlatformUserChange {
  /** One line, trimmed. */
  name?: string | null | undefined;
  email?: string | undefined;
  /** Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \. Case matters. */
  externalId?: string | null | undefined;
  locale?: Locale | null | undefined;
  /** Whether you vouch for the address. A new address is unverified if this is missing. */
  emailVerified?: boolean | undefined;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata?: Record<string, unknown> | null | undefined;
  /** Refused: mail a reset instead. */
  password?: unknown | undefined;
}

/** What deletes a user's account. */
export interface PlatformUserDeletion {
  /** Whether tenants that nobody else is a member of are deleted too, with all their data. */
  deleteTenants?: boolean | undefined;
}

/** Which users are listed, and from where on. */
export interface PlatformUserFilter extends PlatformTenantFilter {
  email?: string | undefined;
}

/** An account to create. It is a member of no tenant. */
export interface PlatformUserInput {
  email: string;
  /** One line, trimmed. */
  name?: string | undefined;
  /** Missing: the user sets one by a mailed link. */
  password?: string | undefined;
  /** Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \. Case matters. */
  externalId?: string | undefined;
  locale?: Locale | null | undefined;
  /** Whether you vouch for the address. False if missing. The service mails nothing. */
  emailVerified?: boolean | undefined;
  /** Your own data, which only platform keys see: a JSON object of at most 2 KiB. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata?: Record<string, unknown> | null | undefined;
}

/** Which mail to send. */
export interface PlatformUserMail {
  kind: "verification" | "password-reset";
}

/** A user, and the tenants that they are a member of. */
export interface PlatformUserWithTenants extends PlatformUser {
  /** The fifty most recently used. */
  tenants: {
    id: string;
    externalId: string | null;
    name: string;
    role: Role;
  }[];
}

/** A portal link or token that has not ended, without its secret. */
export interface PortalLink {
  id: string;
  permissions: Permission[];
  expiresAt: Timestamp;
  createdAt: Timestamp;
  kind: "link" | "token";
  /** When the link was opened; null: not yet, and for a token. */
  openedAt: Timestamp | null;
  theme?: PortalTheme | undefined;
  returnUrl?: string | undefined;
}

/** A portal link to make. */
export interface PortalLinkInput {
  /** What the portal may do: permissions on webhooks that you have yourself, with `webhook.read`. */
  permissions: Permission[];
  /** How long the link, and the session that it opens, works, in seconds. By default `3600`. */
  ttlSeconds?: number | undefined;
  theme?: PortalTheme | undefined;
  /** Where the pages lead back to: an https URL, or an http URL of a loopback address. */
  returnUrl?: string | undefined;
}

/** What a portal token gives access to. */
export interface PortalSession {
  tenant: {
    id: string;
    name: string;
    externalId?: string | undefined;
  };
  /** What the portal may do at present. */
  permissions: Permission[];
  expiresAt: Timestamp;
  theme?: PortalTheme | undefined;
}

/** How the pages of a portal look. */
export interface PortalTheme {
  /** Colours as `#rrggbb`. Missing ones are those of the console. */
  colors?:
    | {
        background?: string | undefined;
        surface?: string | undefined;
        text?: string | undefined;
        muted?: string | undefined;
        accent?: string | undefined;
        danger?: string | undefined;
      }
    | undefined;
  /** Missing: what fits the background, if the theme has one, else what the reader's device prefers. */
  scheme?: "light" | "dark" | undefined;
  /** Shown instead of your product's logo. */
  logoUrl?: string | undefined;
  /** What the pages call subscriptions. Missing: `webhooks`. */
  wording?: "webhooks" | "endpoints" | undefined;
  /** Shown instead of your product's name. */
  title?: string | undefined;
}

/** A portal token to make. */
export interface PortalTokenInput {
  /** What the portal may do: permissions on webhooks that you have yourself, with `webhook.read`. */
  permissions: Permission[];
  /** How long the token works, in seconds. By default `900`. */
  ttlSeconds?: number | undefined;
}

/** The signed-in user, and what they may do in their tenant. */
export interface Profile {
  id: string;
  /** What your product calls the user. */
  externalId: string | null;
  email: string;
  name: string | null;
  /** The language of mails; null: that of the service. */
  locale: Locale | null;
  emailVerified: boolean;
  twoFactorEnabled: boolean;
  createdAt: Timestamp;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata: Record<string, unknown>;
  tenant: ProfileTenant;
  /** What your product says of the user in this tenant. */
  member: {
    /**
     * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where
     * TOKEN_METADATA says so: a JSON object of at most 1 KiB.
     */
    publicMetadata: Record<string, unknown>;
  };
  role: Role;
  permissions: Permission[];
  /** Your own permissions of the role, which the setting ROLES gives it. */
  appPermissions: string[];
  /**
   * From when the tenant lets the user in only to set up a second factor, or to confirm with a passkey; null if it does
   * not.
   */
  secondFactorDueAt: Timestamp | null;
  /** Whether the user gets mails about failing subscriptions of this tenant, as owner or admin. */
  alerts: boolean;
}

/** What the signed-in user changes about themselves. */
export interface ProfileChange {
  /** Null removes it. */
  name?: string | null | undefined;
  /** The language of mails. Null: that of the service. */
  locale?: Locale | null | undefined;
}

/** The tenant of the session. */
export interface ProfileTenant {
  id: string;
  name: string;
  /** What your product calls the tenant. */
  externalId: string | null;
  /**
   * Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where TOKEN_METADATA
   * says so: a JSON object of at most 1 KiB.
   */
  publicMetadata: Record<string, unknown>;
}

/** A sign-in provider; `oidc` is the one that the service's operator has chosen. */
export type ProviderName = "google" | "github" | "microsoft" | "oidc";

/** An event that the service has stored. */
export interface PublishedEvent {
  id: string;
  type: string;
  /** How many subscriptions receive it. */
  deliveries: number;
  /** How many subscriptions list its type but do not receive it because of their filters. */
  filtered?: number | undefined;
  /** The number of the event within its `orderKey`. */
  sequence?: number | undefined;
  /** Where the payload does not fit the schema of its type, and whether the type is deprecated. */
  warnings?:
    | {
        path: string;
        message: string;
      }[]
    | undefined;
}

/**
 * The most requests that are sent on average per second, minute or hour, retries and tests included. Further ones wait
 * and use no attempt. Any single second, minute or hour has at most one request and a tenth of the limit more. By
 * default: no limit.
 */
export interface RateLimit {
  /** 1 to 10,000. */
  limit: number;
  per: "second" | "minute" | "hour";
}

/**
 * Ten codes, each of which replaces the authenticator app once. Show them now: the service cannot return them again.
 */
export interface RecoveryCodes {
  /** Each works once. They are shown only now. */
  recoveryCodes: string[];
}

/** A new account. */
export interface Registration extends PasskeyRegistrant {
  /** 8 to 256 characters after NFKC. The most common passwords and the user's own email address are refused. */
  password: string;
}

/** A replay, and how far it has come. */
export interface Replay {
  id: string;
  webhookId: string;
  status: "running" | "finished" | "stopped";
  /**
   * `failed`: deliveries that have failed, again under the same `webhook-id`. `missing`: events that the subscription
   * wants today and that were never delivered to it, because it was paused, did not list the type or, with
   * `includeBefore`, did not exist. `all`: every event that it wants today, as a new delivery with a new `webhook-id`
   * and the header `webhook-replay`.
   */
  which: "failed" | "missing" | "all";
  since: Timestamp;
  until: Timestamp;
  /** Only events of these types. By default all types of the subscription. */
  eventTypes?: string[] | undefined;
  /** `missing` also sends events from before the subscription was created. By default false. */
  includeBefore?: boolean | undefined;
  /** How many deliveries are queued per minute. */
  ratePerMinute: number;
  /** How many deliveries it has queued so far. */
  queued: number;
  /** The replay is done with events from before this time. */
  reached: Timestamp;
  createdAt: Timestamp;
  /** When it finished or was stopped. */
  endedAt?: Timestamp | undefined;
}

/** What a replay would send. */
export interface ReplayPreview {
  /** How many deliveries the replay would queue. */
  matched: number;
  /** True if there may be more: counting stops at 10,000 and at a bounded number of events. */
  isPartial: boolean;
}

/** A replay to start, or to count with `dryRun`. */
export interface ReplayRequest {
  /**
   * Only events published at this time or later. Must not be before the oldest event that is kept. ISO 8601 with any
   * offset.
   */
  since: string;
  /** Only events published before this time, by default now. ISO 8601 with any offset. */
  until?: string | undefined;
  /**
   * `failed`: deliveries that have failed, again under the same `webhook-id`. `missing`: events that the subscription
   * wants today and that were never delivered to it, because it was paused, did not list the type or, with
   * `includeBefore`, did not exist. `all`: every event that it wants today, as a new delivery with a new `webhook-id`
   * and the header `webhook-replay`.
   */
  which: "failed" | "missing" | "all";
  /** Only events of these types. By default all types of the subscription. */
  eventTypes?: string[] | undefined;
  /** `missing` also sends events from before the subscription was created. By default false. */
  includeBefore?: boolean | undefined;
  /** How many deliveries are queued per minute. By default `600`. */
  ratePerMinute?: number | undefined;
  /** Only counts: nothing is sent, and the answer is 200. */
  dryRun?: boolean | undefined;
}

/** A requested code, which is sent by mail. */
export interface RequestedCode {
  /** Send it with the code. Keep it on the device that asked for the code. */
  state: string;
}

/** An API that takes our tokens. */
export interface Resource {
  /** `api` for our own. */
  id: string;
  owner: "platform" | "tenant";
  /** Shown to people. One line without a host or URL. */
  name: string;
  /** The audience of its tokens: an https URL, or a URN. Apps name it as `resource` (RFC 8707). */
  identifier: string;
  scopes: ResourceScope[];
  /** The only clients that get its tokens; null: all that are registered for it. */
  clients: string[] | null;
  /** Whether apps get its tokens that nobody has registered. */
  unlisted: boolean;
  /** Whether clients of tenants get its tokens. */
  forTenants: boolean;
  /** Of its tokens; null: that of `TOKEN_ALGORITHM`. */
  algorithm: "EdDSA" | "ES256" | "RS256" | null;
  /** Whether each token names a tenant, machines' tokens too. */
  tenantRequired: boolean;
  enabled: boolean;
  secretPrefix?: string | undefined;
  createdAt: Timestamp | null;
  updatedAt: Timestamp | null;
}

/** What changes of a resource; what is missing stays. */
export interface ResourceChange {
  /** Shown to people. One line without a host or URL. */
  name?: string | undefined;
  /** The audience of its tokens: an https URL, or a URN. Apps name it as `resource` (RFC 8707). */
  identifier?: string | undefined;
  scopes?: ResourceScope[] | undefined;
  /** The only clients that get its tokens; null: all that are registered for it. */
  clients?: string[] | null | undefined;
  /** Whether apps get its tokens that nobody has registered. */
  unlisted?: boolean | undefined;
  /** Whether clients of tenants get its tokens. */
  forTenants?: boolean | undefined;
  /** Of its tokens; null: that of `TOKEN_ALGORITHM`. */
  algorithm?: "EdDSA" | "ES256" | "RS256" | null | undefined;
  /** Whether each token names a tenant, machines' tokens too. */
  tenantRequired?: boolean | undefined;
  enabled?: boolean | undefined;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** An API that takes our tokens, and the operator's password or code. */
export interface ResourceInput {
  /** Shown to people. One line without a host or URL. */
  name: string;
  /** The audience of its tokens: an https URL, or a URN. Apps name it as `resource` (RFC 8707). */
  identifier: string;
  scopes: ResourceScope[];
  /** The only clients that get its tokens; null: all that are registered for it. By default `null`. */
  clients?: string[] | null | undefined;
  /** Whether apps get its tokens that nobody has registered. By default `false`. */
  unlisted?: boolean | undefined;
  /** Whether clients of tenants get its tokens. By default `false`. */
  forTenants?: boolean | undefined;
  /** Of its tokens; null: that of `TOKEN_ALGORITHM`. By default `null`. */
  algorithm?: "EdDSA" | "ES256" | "RS256" | null | undefined;
  /** Whether each token names a tenant, machines' tokens too. By default `true`. */
  tenantRequired?: boolean | undefined;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** How apps get tokens for this API (RFC 9728). */
export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  scopes_supported: string[];
  bearer_methods_supported: string[];
  resource_name: string;
}

/**
 * What a token can open, and how people read it who are asked. `default`: an app gets it that names none. `sensitive`:
 * people must have signed in within ten minutes to allow it.
 */
export interface ResourceScope {
  name: string;
  description: string;
  default?: boolean | undefined;
  sensitive?: boolean | undefined;
}

/** A resource with its new secret. */
export interface ResourceSecret extends Resource {
  /** Shown once: with it, the API asks `/oauth/introspect` about tokens. */
  secret: string;
}

/** How failed deliveries are tried again; null sets a member back to its default. */
export interface RetryChange {
  /**
   * The waits before the second, third, ... attempt, in seconds: at most 604,800 in total, and at least a day less than
   * the retention. `"standard"` makes 10 attempts within 75 hours. By default: `[5, 10]`.
   */
  schedule?: "standard" | number[] | null | undefined;
  /**
   * Whether `Retry-After` can make a wait longer, up to a day, and whether 429 or 503 with this header stops all
   * deliveries for up to an hour. By default: true if there is a schedule.
   */
  respectRetryAfter?: boolean | null | undefined;
  /**
   * What happens after 410. `disable` ends the delivery, and a second 410 at least a minute later, without a success in
   * between, disables the subscription. By default: `disable` if there is a schedule, otherwise `retry`.
   */
  onGone?: "disable" | "retry" | null | undefined;
  /** Whether the response header `webhook-delivery: abort` ends a delivery that failed. By default: false. */
  abortHeader?: boolean | null | undefined;
}

/** Which failed deliveries to send again. */
export interface RetryFailedRequest {
  /** Only deliveries of events published at this time or later. ISO 8601 with any offset. */
  since: string;
  /** The `nextCursor` of the previous answer; opaque. */
  cursor?: string | undefined;
}

/** Which failed deliveries were queued again. */
export interface RetryFailedResult {
  /** How many, as a sentence for people. */
  message: string;
  /** Where the next page begins; null if there is none. */
  nextCursor: string | null;
}

/** The retry options that are set. */
export interface RetryOptions {
  /** The waits between attempts, in seconds. */
  schedule?: number[] | undefined;
  /**
   * Whether `Retry-After` can make a wait longer, up to a day, and whether 429 or 503 with this header stops all
   * deliveries for up to an hour. By default: true if there is a schedule.
   */
  respectRetryAfter?: boolean | undefined;
  /**
   * What happens after 410. `disable` ends the delivery, and a second 410 at least a minute later, without a success in
   * between, disables the subscription. By default: `disable` if there is a schedule, otherwise `retry`.
   */
  onGone?: "disable" | "retry" | undefined;
  /** Whether the response header `webhook-delivery: abort` ends a delivery that failed. By default: false. */
  abortHeader?: boolean | undefined;
}

/**
 * What a member may do: `owner`, `admin`, `operator`, `developer`, `viewer`, `member` or one that the setting ROLES
 * adds; see /docs/roles.
 */
export type Role = string;

/** Gives a role to whoever is in the group, or has the claim with this value. */
export interface RoleRule {
  group?: string | undefined;
  claim?: string | undefined;
  equals?: string | undefined;
  role: Role;
}

/** How many people would get another role. */
export interface RolesPreview {
  changes: {
    /** Null: they do not get in now. */
    from: Role | null;
    /** Null: they would not get in. */
    to: Role | null;
    count: number;
  }[];
  /** How many people were looked at. */
  people: number;
  /** False: the directory has more, for only its first 10,000 records are looked at. */
  complete: boolean;
}

/** The rules to try. */
export interface RolesPreviewInput {
  rules: RoleRule[];
}

/** The subscription after a rotation. */
export interface RotatedSubscription {
  /** With the new secret. */
  data: Subscription;
  secretRotation: {
    /** When the former keys of this kind end, newest first. */
    previousExpireAt: Timestamp[];
  };
}

/** A key of RSA (RFC 7518 section 6.3). */
export interface RsaPublicKey {
  use: "sig";
  kid: string;
  kty: "RSA";
  alg: "RS256";
  n: string;
  e: string;
}

/** What is entered at an identity provider that speaks SAML 2.0. */
export interface SamlServiceProvider {
  entityId: string;
  acsUrl: string;
  metadataUrl: string;
}

/** With which a tenant's directory calls. */
export interface ScimToken {
  id: string;
  /** Somebody with a setup link has made it. It works once the connection is activated again. */
  needsReview: boolean;
  createdAt: Timestamp;
  /** When it stops working; null: it works until it is revoked. */
  expiresAt: Timestamp | null;
  /** To the hour. */
  lastUsedAt: Timestamp | null;
}

/** A token for the tenant's directory. */
export interface ScimTokenInput {
  /** When it stops working. Directories that meet an ended token stop for a while. ISO 8601 with any offset. */
  expiresAt?: string | undefined;
}

/** How to rotate; every field may be left out. */
export interface SecretRotation {
  /** The new secret. If it is left out, the service makes a random `whsec_` one. Not allowed with `v1a`. */
  secret?: string | undefined;
  /**
   * How long the former key also signs, in seconds. For `v1a`, this counts from the time at which the new key starts to
   * sign. By default `86400`.
   */
  overlapSeconds?: number | undefined;
  /**
   * What to replace: the secret (`v1`), or the Ed25519 key (`v1a`), which begins to sign after 20 minutes. By default
   * `"v1"`.
   */
  kind?: "v1" | "v1a" | undefined;
}

/** The state of the service. */
export interface ServiceStatus {
  shards: {
    /** The delivery database: 0 is `DB`, n is `SHARD_n`. */
    shard: number;
    /** As last read by the hourly job; null before its first run. */
    bytes: number | null;
    /** The size as a share of the largest size that a database can have. */
    share: number | null;
    openToNewTenants: boolean;
    /** Open deliveries that are due, without those in backlogs. */
    overdue: BoundedCount;
    /** When the oldest of them was due. */
    oldestDueAt: Timestamp | null;
    /** Subscriptions with a backlog, whose deliveries wait apart from the others. */
    backlogs: number;
    oldestInBacklogAt: Timestamp | null;
    /** Subscriptions that fail. */
    failing: number;
    /**
     * The attempts since the hour before the present one, or those of the last hour that the hourly job has counted
     * where many subscriptions are. Null before its first run.
     */
    attempts: {
      since: Timestamp;
      until: Timestamp;
      succeeded: number;
      failed: number;
    } | null;
  }[];
  /** The tenants with the most failing subscriptions, and since when; at most 20. */
  failingTenants: {
    /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
    tenantId: string;
    tenantName: string;
    failing: number;
    since: Timestamp;
  }[];
  queues: {
    /** `deliveries`, `deliveries-slow`, `mail`; `deliveries-1`, `deliveries-1-slow` of database 1. */
    name: string;
    /** Null if the platform does not report it. */
    messages: number | null;
    oldestAt: Timestamp | null;
  }[];
  /** Of the last seven days, by hour, newest first. */
  deadLetters: {
    queue: string;
    hour: Timestamp;
    messages: number;
  }[];
  /** What is frozen, at most 200 of each database. Null as the tenant stands for all tenants. */
  holds: {
    /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
    tenantId: string | null;
    tenantName: string | null;
    cause: HoldCause;
    since: Timestamp;
    /** The delivery database: 0 is `DB`, n is `SHARD_n`. */
    shard: number;
  }[];
  /** The databases that did not answer. */
  unreachable: number[];
}

/** One sign-in of the user. What the service could not determine about the device is null. */
export interface Session {
  id: string;
  /** Browser and operating system in one line. */
  deviceName: string | null;
  browser: string | null;
  operatingSystem: string | null;
  /** `desktop`, `mobile` or the like. */
  platform: string | null;
  ipAddress: string | null;
  /** City and country. */
  location: string | null;
  createdAt: Timestamp;
  expiresAt: Timestamp;
  lastActivityAt: Timestamp;
  /** True for the session of this request. */
  current: boolean;
  /** The apps to which it has signed in, if any. */
  apps?: string[] | undefined;
}

/** A setup link that has not ended, without its URL. */
export interface SetupLink {
  id: string;
  /** What the link is for. */
  may: ("connection" | "domains" | "directory")[];
  /** The only connection that it reaches. Without one, it can make one, and reaches that. */
  connectionId: string | null;
  expiresAt: Timestamp;
  createdAt: Timestamp;
  /** When it was opened; null: not yet. */
  openedAt: Timestamp | null;
  email?: string | undefined;
  theme?: PortalTheme | undefined;
  returnUrl?: string | undefined;
}

/** A link for the customer's IT to make. */
export interface SetupLinkInput {
  /** The only connection that it reaches. Without one, it can make one, and reaches that. */
  connectionId?: string | undefined;
  /** What the link is for. */
  may: ("connection" | "domains" | "directory")[];
  /** How long the link, and the session that it opens, work, in seconds. By default `432000`. */
  ttlSeconds?: number | undefined;
  /** The link is mailed there, and whoever opens it needs a code that is mailed there too. */
  email?: string | undefined;
  theme?: PortalTheme | undefined;
  /** Where the pages lead back to: an https URL, or an http URL of a loopback address. */
  returnUrl?: string | undefined;
}

/** The answer to request options. */
export interface ShownPasskey {
  /** The `state` that came with the options. It works once, within five minutes. */
  state: string;
  response: PasskeyAssertion;
}

/** Options of a sign-in. */
export interface SignInOptions {
  /**
   * Passed to the page at `APP_URL/oauth` unchanged, for example to say where to continue. Check it there: anybody can
   * make such a link.
   */
  to?: string | undefined;
  /** The token in the link of an invitation mail. The person joins that tenant, with a new account if there is none. */
  invitationToken?: string | undefined;
}

/** The address that somebody has typed. */
export interface SignOnAddress {
  email: string;
  /** From the Turnstile widget, where the service asks for one (`CAPTCHA_REQUIRED`). */
  captchaToken?: string | undefined;
}

/** Where to mail a link that starts a sign-on. */
export interface SignOnLinkRequest {
  email: string;
  /**
   * Passed to the page at `APP_URL/oauth` unchanged, for example to say where to continue. Check it there: anybody can
   * make such a link.
   */
  to?: string | undefined;
}

/** Who must sign on. */
export interface SignOnRequirement {
  /**
   * Who gets in by [single sign-on](/docs/sign-on) alone. `domains`: members whose address is of a proved domain.
   * `all`: every member.
   */
  require: "off" | "domains" | "all";
  /** Members have this many days from the last change until they must sign on. */
  graceDays: number;
  /** From then on, the others get 403 `SIGN_ON_REQUIRED`. */
  from: Timestamp;
  /** How many members have to and have never signed on; at most 1,000 are counted. */
  membersWithout: number;
  /** Whether the session that asks gets in no more from then on. Missing for a platform key. */
  endsThisSession?: boolean | undefined;
}

/** Who must sign on. What stays out stays as it is. */
export interface SignOnRequirementChange {
  /**
   * Who gets in by [single sign-on](/docs/sign-on) alone. `domains`: members whose address is of a proved domain.
   * `all`: every member.
   */
  require: "off" | "domains" | "all";
  /** Members have this many days from the last change until they must sign on. */
  graceDays?: number | undefined;
}

/** What came of a test, or why a sign-on was refused. */
export interface SignOnTrace {
  id: string;
  at: Timestamp;
  kind: "test" | "sign-on" | "logout";
  outcome: "started" | "succeeded" | "refused";
  /** How far it came. */
  step: string;
  reason: string | null;
  /** What to change at the identity provider, for people; null after a good test. */
  message: string | null;
  /**
   * What the provider said of the person: of tests everything, of refusals the subject and the address, and of other
   * claims that they were there. Null if it came to none.
   */
  claims: Record<string, unknown> | null;
  /** What a sign-on of this person would do; `account` is null if it is refused. */
  would: {
    account: "found" | "made" | "linked" | null;
    role: string | null;
    /** The rule that gives the role, counted from 0; null: none, but the default, or what it is. */
    rule: number | null;
    /** The domain of the address. */
    domain: string | null;
  } | null;
}

/**
 * Further signature headers in the form of another provider, beside the standard ones: `svix`, `stripe`, `github`, or
 * `custom` with your own header and content. While a rotation overlaps, `svix` and `stripe` carry a signature of each
 * secret, the others that of the new one. A change replaces the whole object. By default: none.
 */
export type SignatureProfile = SvixProfile | StripeProfile | GithubProfile | CustomProfile;

/** With what an identity provider signs its assertions. */
export interface SigningCertificate {
  /** The certificate (DER) in base64. */
  certificate: string;
  notAfter: Timestamp;
  /** SHA-256 of the certificate, in hex. */
  fingerprint: string;
}

/** A URL at which another system sends its webhooks, which become events. */
export interface Source {
  id: string;
  name: string;
  provider: SourceProvider;
  /** Where the provider sends its calls. */
  url: string;
  /** Stands before each type. By default the provider and a dot; empty for `hmac` and `standard`. */
  typePrefix: string;
  /** False: every call gets 401. */
  enabled: boolean;
  secrets: {
    id: string;
    /** The last characters of a secret of 12 or more. */
    last4?: string | undefined;
    createdAt: Timestamp;
  }[];
  /** The types of the provider that are relayed, exact or ending in `*`; all unless given. */
  allow?: string[] | undefined;
  /** How many rightly signed calls it takes in 60 seconds; 30 unless given. */
  requestsPerMinute?: number | undefined;
  /** The largest body; 262,144 unless given. */
  maxBytes?: number | undefined;
  verification?: SourceVerificationOutput | undefined;
  type?: SourceType | undefined;
  dedupe?: SourceDedupe | undefined;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** When it last relayed an event, to the minute. */
  lastEventAt?: Timestamp | undefined;
}

/** The fields to change. Null sets an option back to its default. */
export interface SourceChange {
  /** One line, trimmed. */
  name?: string | undefined;
  /** False: every call gets 401. */
  enabled?: boolean | undefined;
  /** Stands before each type. By default the provider and a dot; empty for `hmac` and `standard`. */
  typePrefix?: string | null | undefined;
  /** The types of the provider that are relayed, exact or ending in `*`; all unless given. */
  allow?: string[] | null | undefined;
  /** How many rightly signed calls it takes in 60 seconds; 30 unless given. */
  requestsPerMinute?: number | null | undefined;
  /** The largest body; 262,144 unless given. */
  maxBytes?: number | null | undefined;
  verification?: SourceVerification | null | undefined;
  type?: SourceType | null | undefined;
  dedupe?: SourceDedupe | null | undefined;
}

/**
 * By which repeats are known, beside the type: a header, or a text or whole number in the body. False: no call is a
 * repeat. Unless given: the signed id if there is one, otherwise the type and the whole body.
 */
export type SourceDedupe = SourceDedupeKey | false;

/** What names an event. */
export type SourceDedupeKey =
  | {
      header: string;
    }
  | {
      /** A JSON pointer into the body (RFC 6901). */
      path: string;
    }
  | {
      /** The former name of `path`. */
      pointer: string;
    };

/** Calls that a source has refused. At most one entry a minute and reason. */
export interface SourceError {
  at: Timestamp;
  reason: SourceErrorReason;
  /** How many calls were refused since the entry before it. */
  count: number;
  /** The size of the last of their bodies. */
  bytes: number;
}

/** Why a call was refused. */
export type SourceErrorReason =
  | "signature"
  | "timestamp"
  | "disabled"
  | "media_type"
  | "body"
  | "type"
  | "schema"
  | "too_large"
  | "rate_limited"
  | "not_published"
  | "loop"
  | "unavailable";

/** A source to create. */
export interface SourceInput {
  /** One line, trimmed. */
  name: string;
  provider: SourceProvider;
  secrets: string[];
  /** False: every call gets 401. By default `true`. */
  enabled?: boolean | undefined;
  /** Stands before each type. By default the provider and a dot; empty for `hmac` and `standard`. */
  typePrefix?: string | undefined;
  /** The types of the provider that are relayed, exact or ending in `*`; all unless given. */
  allow?: string[] | undefined;
  /** How many rightly signed calls it takes in 60 seconds; 30 unless given. */
  requestsPerMinute?: number | undefined;
  /** The largest body; 262,144 unless given. */
  maxBytes?: number | undefined;
  verification?: SourceVerification | undefined;
  type?: SourceType | undefined;
  dedupe?: SourceDedupe | undefined;
}

/** Who sends the calls. */
export type SourceProvider =
  | "stripe"
  | "github"
  | "shopify"
  | "slack"
  | "twilio"
  | "sendgrid"
  | "mailgun"
  | "standard"
  | "hmac";

/** A call to try. Nothing is published. */
export interface SourceSample {
  headers: Record<string, string>;
  body: string;
}

/** What would become of a call. */
export interface SourceSampleResult {
  verified: boolean;
  reason?: SourceErrorReason | undefined;
  /** The type of the event that it would become. */
  type?: string | undefined;
  /** Whether it would become an event. */
  relayed?: boolean | undefined;
}

/** A further secret, with which calls can be signed from now on. */
export interface SourceSecretInput {
  /**
   * The provider's signing secret, at least 16 characters for `hmac` and `standard`, and 8 for others. It is never
   * shown again.
   */
  secret: string;
}

/** What names the type: a text or whole number in the body, a header, or always the same. */
export type SourceType =
  | {
      /** A JSON pointer into the body (RFC 6901). */
      pointer: string;
    }
  | {
      header: string;
    }
  | {
      fixed: string;
    };

/** How the calls of a source of the provider `hmac` are signed. */
export interface SourceVerification {
  /** The header with the signature, or with a list of them that commas, semicolons or spaces separate. */
  header: string;
  /**
   * An HMAC; for `ed25519`, `ecdsa` (P-256) and `rsa` (PKCS #1 v1.5), both with SHA-256, the secret is the public key,
   * as PEM, base64 or hexadecimal; for `token`, the header has the secret itself, and nothing is signed; for `jwt`, it
   * has a JSON Web Token, and the secret is that of its HMAC, or a public key as PEM. By default `"sha256"`.
   */
  algorithm?: "sha256" | "sha512" | "sha1" | "ed25519" | "ecdsa" | "rsa" | "token" | "jwt" | undefined;
  /** How the signature is written; base64 in either alphabet, padded or not. By default `"hex"`. */
  encoding?: "hex" | "base64" | undefined;
  /** What stands before each signature in its header. By default `""`. */
  prefix?: string | undefined;
  /** What is signed: `{body}`, and `{timestamp}` and `{id}` if their headers are named. By default `"{body}"`. */
  content?: string | undefined;
  /** The header with the time, in seconds or milliseconds since 1970, or in ISO 8601. It may be `header` too. */
  timestampHeader?: string | undefined;
  /** What stands before the time in its header. */
  timestampPrefix?: string | undefined;
  /** The header with the id of the call. */
  idHeader?: string | undefined;
  /**
   * For `jwt`: the claim that has the SHA-256 of the body, in hexadecimal or base64; `request_body_sha256` unless
   * given.
   */
  bodyClaim?: string | undefined;
  /** By default `300`. */
  toleranceSeconds?: number | undefined;
  /** How the bytes of the key are written in the secret. By default `"utf8"`. */
  secretEncoding?: "utf8" | "hex" | "base64" | undefined;
}

/** How the calls of a source of the provider `hmac` are signed. */
export interface SourceVerificationOutput {
  /** The header with the signature, or with a list of them that commas, semicolons or spaces separate. */
  header: string;
  /**
   * An HMAC; for `ed25519`, `ecdsa` (P-256) and `rsa` (PKCS #1 v1.5), both with SHA-256, the secret is the public key,
   * as PEM, base64 or hexadecimal; for `token`, the header has the secret itself, and nothing is signed; for `jwt`, it
   * has a JSON Web Token, and the secret is that of its HMAC, or a public key as PEM. By default `"sha256"`.
   */
  algorithm: "sha256" | "sha512" | "sha1" | "ed25519" | "ecdsa" | "rsa" | "token" | "jwt";
  /** How the signature is written; base64 in either alphabet, padded or not. By default `"hex"`. */
  encoding: "hex" | "base64";
  /** What stands before each signature in its header. By default `""`. */
  prefix: string;
  /** What is signed: `{body}`, and `{timestamp}` and `{id}` if their headers are named. By default `"{body}"`. */
  content: string;
  /** The header with the time, in seconds or milliseconds since 1970, or in ISO 8601. It may be `header` too. */
  timestampHeader?: string | undefined;
  /** What stands before the time in its header. */
  timestampPrefix?: string | undefined;
  /** The header with the id of the call. */
  idHeader?: string | undefined;
  /**
   * For `jwt`: the claim that has the SHA-256 of the body, in hexadecimal or base64; `request_body_sha256` unless
   * given.
   */
  bodyClaim?: string | undefined;
  /** By default `300`. */
  toleranceSeconds: number;
  /** How the bytes of the key are written in the secret. By default `"utf8"`. */
  secretEncoding: "utf8" | "hex" | "base64";
}

/** A test of a connection that has begun. */
export interface StartedTest {
  /** Where the browser goes to sign in at the provider. */
  url: string;
  /** Where the result is: a trace of the connection. */
  traceId: string;
}

/**
 * What confirms a session before something that cannot be undone: the password, a code, a passkey, or several of them.
 */
export interface StepUp {
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
  /** A code from a mail to the user's address. */
  mailCode?: EnteredCode | undefined;
  /**
   * The code of a sign-on with `purpose=step-up`, in the browser that has it; for sessions that a sign-on has opened.
   */
  signOn?: string | undefined;
  /** The answer to the options of a confirmation. */
  passkey?: ShownPasskey | undefined;
}

/** As Stripe signs, in `header` or `Stripe-Signature`. */
export interface StripeProfile {
  kind: "stripe";
  header?: string | undefined;
}

/** A subscription: the receiver of a subscriber in the tenant. */
export interface Subscription {
  _id: string;
  /** The id of the subscription in your own system, unique in the tenant. */
  externalId?: string | undefined;
  name: string;
  url: string;
  events: string[];
  /** The signing secret, in plaintext. */
  secret: string;
  /** False while the subscription is paused. */
  enabled: boolean;
  /** Present if the service, not a user, has disabled the subscription. */
  disabled?:
    | {
        /** `failing`: no delivery succeeded for too long. `gone`: its URL answered 410 twice. */
        reason: "failing" | "gone";
        at: Timestamp;
        /** When the failures began. */
        failingSince: Timestamp;
      }
    | undefined;
  /** The delivery options that are set; missing if all have their defaults. */
  delivery?: DeliveryOptions | undefined;
  /** When the last attempt started; missing before the first one. */
  lastTriggeredAt?: Timestamp | undefined;
  /** Failed attempts since the last success. */
  failureCount: number;
  /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
  tenantId: string;
  isDeleted: boolean;
  /** Increases by one with each change. */
  version: number;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /**
   * In the answer to a creation or a change: the event types that nobody has declared, which may be mistyped. They are
   * refused where only declared types can be published.
   */
  warnings?:
    | {
        path: string;
        message: string;
      }[]
    | undefined;
}

/** The fields to change; the others stay as they are. */
export interface SubscriptionChange {
  /** One line, trimmed. */
  name?: string | undefined;
  /** An http or https URL without credentials. Private addresses are refused. */
  url?: string | undefined;
  /**
   * The event types that it receives, 1 to 100; `*` stands for all that the tenant publishes, `order.*` for those that
   * begin with `order.`, `postern.*` for all operational events.
   */
  events?: string[] | undefined;
  /** Signs the deliveries: `whsec_` and a key in base64, or any text of up to 256 characters. */
  secret?: string | undefined;
  /** False: it is paused. */
  enabled?: boolean | undefined;
  /** How its deliveries are sent. Null sets all options to their defaults. */
  delivery?: DeliveryChange | null | undefined;
  /** Null removes it. */
  externalId?: string | null | undefined;
}

/** Subscriptions of another system. */
export interface SubscriptionImport {
  /** True: nothing is written, the answer tells what would be. By default `false`. */
  dryRun?: boolean | undefined;
  /**
   * 1 to 100 items, each with the members of `POST /webhooks` and an `externalId`. The `name` is the URL's host unless
   * given.
   */
  subscriptions: unknown[];
}

/** A subscription to create. */
export interface SubscriptionInput {
  /** One line, trimmed. */
  name: string;
  /** An http or https URL without credentials. Private addresses are refused. */
  url: string;
  /**
   * The event types that it receives, 1 to 100; `*` stands for all that the tenant publishes, `order.*` for those that
   * begin with `order.`, `postern.*` for all operational events.
   */
  events: string[];
  /** Signs the deliveries: `whsec_` and a key in base64, or any text of up to 256 characters. */
  secret: string;
  /** False creates it paused. By default `true`. */
  enabled?: boolean | undefined;
  /** How its deliveries are sent. Null sets all options to their defaults. */
  delivery?: DeliveryChange | null | undefined;
  /** The id of the subscription in your own system, unique in the tenant. */
  externalId?: string | undefined;
}

/** The attempts of one subscription, in total and per hour. */
export interface SubscriptionStats {
  /** Every hour, oldest first, including those without attempts. */
  hours: HourlyStats[];
  success: number;
  failed: number;
  /** The median latency, estimated from a histogram. Null if nothing was sent. */
  p50Ms: number | null;
  /** The 95th percentile of the latency, at most 10000. */
  p95Ms: number | null;
  /** Attempts in progress now. */
  pending: number;
  /** `success`, `failed` and `pending` together. */
  total: number;
}

/** Since when and why somebody or something is suspended. */
export interface SuspendedSince {
  at: Timestamp;
  reason: string | null;
}

/** Why somebody or something is suspended or resumed, and the operator's password or code. */
export interface Suspension {
  /** Why. Those concerned can read it in their audit log. */
  reason: string;
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
}

/** As Svix signs. */
export interface SvixProfile {
  kind: "svix";
}

/** An account's space: its members, subscriptions, events and API keys. */
export interface Tenant {
  id: string;
  name: string;
}

/** An app that members of the tenant have allowed something. */
export interface TenantApp {
  client: AppName;
  /** How many members have allowed it something; at most 1,000. */
  members: number;
  /** `blocked`: nobody gets through, and its tokens have ended. Null: nothing is said. */
  state: "allowed" | "blocked" | null;
}

/** What the tenant says of an app; null: nothing any more. */
export interface TenantAppRule {
  /** `blocked`: nobody gets through, and its tokens have ended. Null: nothing is said. */
  state: "allowed" | "blocked" | null;
}

/** What the service keeps about a tenant, without secrets. */
export interface TenantExport {
  exportedAt: Timestamp;
  tenant: {
    id: string;
    name: string;
    /** The product's own id of the tenant. */
    externalId: string | null;
    createdAt: Timestamp;
  };
  members: Member[];
  /** The open invitations. */
  invitations: Invitation[];
  /** The keys of the members, including ended ones. */
  apiKeys: ExportedApiKey[];
  subscriptions: {
    _id: string;
    /** The id of the subscription in your own system, unique in the tenant. */
    externalId?: string | undefined;
    name: string;
    url: string;
    events: string[];
    /** False while the subscription is paused. */
    enabled: boolean;
    /** Present if the service, not a user, has disabled the subscription. */
    disabled?:
      | {
          /** `failing`: no delivery succeeded for too long. `gone`: its URL answered 410 twice. */
          reason: "failing" | "gone";
          at: Timestamp;
          /** When the failures began. */
          failingSince: Timestamp;
        }
      | undefined;
    /** The delivery options that are set; missing if all have their defaults. */
    delivery?: DeliveryOptions | undefined;
    /** When the last attempt started; missing before the first one. */
    lastTriggeredAt?: Timestamp | undefined;
    /** Failed attempts since the last success. */
    failureCount: number;
    /** A UUID; `platform` for the tenant that stands for the platform as a whole. */
    tenantId: string;
    isDeleted: boolean;
    /** Increases by one with each change. */
    version: number;
    createdAt: Timestamp;
    updatedAt: Timestamp;
    /**
     * In the answer to a creation or a change: the event types that nobody has declared, which may be mistyped. They
     * are refused where only declared types can be published.
     */
    warnings?:
      | {
          path: string;
          message: string;
        }[]
      | undefined;
  }[];
  sources: {
    id: string;
    name: string;
    provider: SourceProvider;
    /** Stands before each type. By default the provider and a dot; empty for `hmac` and `standard`. */
    typePrefix: string;
    /** False: every call gets 401. */
    enabled: boolean;
    /** The types of the provider that are relayed, exact or ending in `*`; all unless given. */
    allow?: string[] | undefined;
    /** How many rightly signed calls it takes in 60 seconds; 30 unless given. */
    requestsPerMinute?: number | undefined;
    /** The largest body; 262,144 unless given. */
    maxBytes?: number | undefined;
    verification?: SourceVerificationOutput | undefined;
    type?: SourceType | undefined;
    dedupe?: SourceDedupe | undefined;
    createdAt: Timestamp;
    updatedAt: Timestamp;
    /** When it last relayed an event, to the minute. */
    lastEventAt?: Timestamp | undefined;
  }[];
  feeds: Feed[];
  catalog: EventTypeCatalog;
  /** Apps that members have allowed something, if any. */
  apps?: TenantApp[] | undefined;
  /** The connections of the tenant to its identity providers, if any. */
  connections?: ExportedConnection[] | undefined;
  /** The domains of the tenant, if any. */
  domains?: Domain[] | undefined;
  /** The people of the tenant's directories, if it has connections. */
  directory?: ExportedRecord[] | undefined;
  /** By name, each with its newest schema; archived ones too. */
  eventTypes: EventType[];
  /** Newest first. */
  events: ExportedEvent[];
  /** By subscription, newest first. */
  attempts: ExportedAttempt[];
  /** False if there are more events or attempts than one answer can hold. */
  isComplete: boolean;
}

/** The newest move of a tenant to another delivery database. */
export interface TenantMove {
  /** A delivery database: 0 is `DB`, n is `SHARD_n`. */
  from: number;
  /** A delivery database: 0 is `DB`, n is `SHARD_n`. */
  to: number;
  /**
   * `moving`: it is being copied. `moved`: it uses the new database, and the former one keeps what was published
   * before. `ended`: the former one has nothing of it any more. `cancelled`: it stayed where it was.
   */
  state: "moving" | "moved" | "ended" | "cancelled";
  /**
   * While it is being moved: how many entries of feeds and order keys are left to be copied. Each of the two counts for
   * 100,000 at most.
   */
  rowsLeft: number | null;
  createdAt: Timestamp;
  movedAt: Timestamp | null;
  endedAt: Timestamp | null;
}

/** What the tenant requires of its members. */
export interface TenantSecurity {
  /** `admins`: owners and admins need a second factor. `all`: every member does. */
  requireSecondFactor: "off" | "admins" | "all";
  /** Members have this many days from the last change of the policy to set up a second factor. */
  graceDays: number;
  /** From then on, members without a second factor get in only to set one up; null while it is off. */
  enforcedFrom: Timestamp | null;
  /** Missing while no app can be used that is unregistered. */
  unlistedApps?: "allow" | "listed" | "block" | undefined;
  /** Missing while nobody must sign on. */
  signOn?: SignOnRequirement | undefined;
  /** How many of the members whom the policy is about have no second factor yet. */
  membersWithout: number;
}

/** What stays out stays as it is. */
export interface TenantSecurityChange {
  /** `admins`: owners and admins need a second factor. `all`: every member does. */
  requireSecondFactor?: "off" | "admins" | "all" | undefined;
  /** Members have this many days from the last change of the policy to set up a second factor. */
  graceDays?: number | undefined;
  /**
   * Which [apps that nobody has registered](/docs/mcp#apps-that-nobody-has-registered) members may use. `listed`: those
   * that the tenant has `allowed`. `block`: none.
   */
  unlistedApps?: "allow" | "listed" | "block" | undefined;
  signOn?: SignOnRequirementChange | undefined;
}

/** The attempts of all subscriptions of the tenant. */
export interface TenantStats extends SubscriptionStats {
  /** The subscriptions that need attention, worst first, at most 20. */
  attention: AttentionItem[];
}

/** What waits because of the subscription's limits. Missing if it has none. */
export interface Throttle {
  /** How many deliveries wait, at most 100,000. */
  waiting: number;
  /** By when the first of them is sent. Null if none waits. */
  nextSlotAt: Timestamp | null;
}

/** The tokens of a session. */
export interface TokenPair {
  /** A JWT, valid for 15 minutes. */
  accessToken: string;
  /** Exchanged for a new pair; works once. */
  refreshToken: string;
}

/** What an authenticator app needs. */
export interface TwoFactorEnrolment {
  /** Base32, for typing in by hand. */
  secret: string;
  /** The content of the QR code for authenticator apps. */
  qrCodeUri: string;
}
