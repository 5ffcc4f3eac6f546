/** The messages of the mail queue. They hold no secrets: tokens are derived from `id` when the mail is sent. */
import * as z from "zod";
import { ACTION_NAMES } from "../schemas/audit-actions";
import { LOCALES } from "../schemas/locales";
import { PROVIDER_NAMES } from "../schemas/schemas";

const id = z.string();
const userId = z.string();

/** The request that asked for a mail, for the audit log. */
const origin = z.object({
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  requestId: z.string().nullable(),
});

/** Where somebody asked for a mail: made of known names, except for the address. */
const asker = z.object({ device: z.string(), location: z.string().nullish(), ipAddress: z.string().nullish() });

export type Asker = z.infer<typeof asker>;

/** What ended when an unverified account was reclaimed, as counts, except for the second factor. */
const endedAccess = z.object({
  sessions: z.number(),
  apiKeys: z.number(),
  invitations: z.number(),
  tenants: z.number(),
  /** Missing in jobs from before there were passkeys. */
  passkeys: z.number().default(0),
  identities: z.number().default(0),
  twoFactor: z.boolean(),
});

/** An API key, a passkey or an identity, as a mail lists it. */
const listedCredential = z.object({
  kind: z.enum(["api-key", "passkey", "identity"]),
  /** Of the key or passkey; of an identity, its provider. */
  name: z.string(),
  /** Of a key, its first characters and its tenant; of an identity, the address at the provider. */
  place: z.string(),
  /** A JSON array, empty except for keys. */
  scopes: z.string(),
});

export type ListedCredential = z.infer<typeof listedCredential>;

/** The API keys that stopped working; missing in jobs from before they were named. */
const keys = z.array(z.string()).optional();

/** The subscriptions that a member has set up and that still receive events, with their hosts. */
const subscriptions = z.array(z.string()).optional();

/** The API keys of the tenant that a member has made and that still work. */
const tenantKeys = z.array(z.string()).optional();

/** The feeds that a member can still read, and the sources that they have set up. */
const connections = z.array(z.string()).optional();

/** A `ToldAct`. */
const toldAct = z.object({
  action: z.enum(ACTION_NAMES),
  values: z.record(z.string(), z.unknown()),
  tenant: z.string().nullable(),
  name: z.string().nullable(),
  count: z.number(),
});

/**
 * A line of a mail, in English, that leads to a page of the console; `path` is below it. `act` says it in other
 * languages; missing in jobs from before there were any.
 */
const namedLine = z.object({ line: z.string(), path: z.string(), act: toldAct.optional() });

export type NamedLine = z.infer<typeof namedLine>;

const domainNews = z.enum(["domainMissing", "domainLost", "domainTaken", "domainGiven", "domainToReview"]);

/** What the owners of a tenant are told. `by` and `person` are email addresses, or the name of an API key. */
const tenantNews = z.lazy(() =>
  z.discriminatedUnion("what", [
    z.object({ what: z.literal("joined"), person: z.string(), role: z.string() }),
    z.object({
      what: z.literal("roleChanged"),
      by: z.string(),
      person: z.string(),
      role: z.string(),
      subscriptions,
      tenantKeys,
      connections,
    }),
    z.object({
      what: z.literal("removed"),
      by: z.string(),
      person: z.string(),
      keys,
      subscriptions,
      tenantKeys,
      connections,
    }),
    z.object({ what: z.literal("left"), person: z.string(), keys, subscriptions, tenantKeys, connections }),
    z.object({
      what: z.literal("securityChanged"),
      by: z.string(),
      requireSecondFactor: z.enum(["off", "admins", "all"]),
      graceDays: z.number(),
    }),
    z.object({
      what: z.literal("signOnRequired"),
      by: z.string(),
      require: z.enum(["off", "domains", "all"]),
      graceDays: z.number(),
    }),
    z.object({ what: z.literal("signOnEnded") }),
    /** An owner has got in without the provider of a tenant that requires it. */
    z.object({ what: z.literal("brokenGlass"), by: z.string() }),
    z.object({ what: z.literal("exported"), by: z.string() }),
    z.object({ what: z.literal("auditReader"), by: z.string(), subscription: z.string(), host: z.string() }),
    z.object({ what: z.literal("auditTrimmed") }),
    z.object({ what: z.literal("imported"), by: z.string() }),
    z.object({ what: z.literal("connectionFailing"), connection: z.string() }),
    z.object({ what: z.literal("certificateEnds"), connection: z.string(), days: z.number() }),
    /** `directory` is the name of the connection. */
    z.object({ what: z.literal("directoryOwner"), directory: z.string(), person: z.string() }),
    z.object({ what: z.literal("directoryMany"), directory: z.string(), count: z.number() }),
    z.object({ what: z.literal("directoryDigest"), directory: z.string(), joined: z.number(), left: z.number() }),
    z.object({ what: z.literal("scimTokenEnds"), directory: z.string(), days: z.number() }),
    z.object({ what: domainNews, domain: z.string() }),
    z.object({ what: z.literal("toReview"), connection: z.string() }),
    /** After "this was not me": what has been undone, in sentences. */
    z.object({
      what: z.literal("undone"),
      by: z.string(),
      lines: z.array(z.string()),
      /** What was done and stays. */
      named: z.array(namedLine).optional(),
    }),
  ]),
);

export type TenantNews = z.infer<typeof tenantNews>;

/** What the other operators are told. `by` is an email address. */
const operatorNews = z.object({
  what: z.enum(["tenantSuspended", "personSuspended", "sendsHeld"]),
  by: z.string(),
  /** The id of the tenant or person; missing where all sends are held. */
  id: z.string().optional(),
  reason: z.string().optional(),
});

export type OperatorNews = z.infer<typeof operatorNews>;

/** A subscription in a mail about failing ones. Times are Unix ms. */
const noticeItem = z.object({
  webhookId: z.string(),
  name: z.string(),
  host: z.string(),
  state: z.enum(["failing", "atRisk", "disabled", "gone", "recovered"]),
  /** False if an earlier mail has reported it. */
  isNew: z.boolean(),
  since: z.number().nullable(),
  /** When it will be disabled; null for never. */
  disablesAt: z.number().nullable(),
  failures: z.number(),
  error: z.string().nullable(),
});

export type NoticeItem = z.infer<typeof noticeItem>;

export type EndedAccess = z.infer<typeof endedAccess>;

/** Mails whose link or code the reader needs to go on. */
const mailsWithTokens = () =>
  [
    z.object({ kind: z.literal("verification"), id, userId }),
    /** Has the email, not a user: the consumer looks the user up, where no caller can measure how long it takes. */
    z.object({
      kind: z.literal("passwordReset"),
      id,
      email: z.string(),
      origin: origin.optional(),
      /** What a "this was not me" link has undone in tenants, in sentences; missing for a reset that was asked for. */
      undone: z.array(z.string()).optional(),
      /** What was done besides and stays, and the secrets that may have been read. */
      named: z.array(namedLine).optional(),
      secrets: z.array(namedLine).optional(),
      /** Whether such a link could not turn the second factor on again. */
      isFactorLost: z.boolean().optional(),
    }),
    /** Has the email, for the same reason. */
    z.object({
      kind: z.literal("mailCode"),
      id,
      email: z.string(),
      asker: asker.optional(),
      /** Whether it proves an address that may have no account yet. */
      proves: z.boolean().optional(),
    }),
    /** Has the email, for the same reason: the consumer looks up whose domain it is of. */
    z.object({
      kind: z.literal("signOnLink"),
      id,
      email: z.string(),
      to: z.string(),
      isForApps: z.boolean(),
      asker: asker.optional(),
    }),
    z.object({ kind: z.literal("invitation"), id, tenantId: z.string(), invitationId: z.string() }),
    /** Its id is that of the link. */
    z.object({ kind: z.literal("setupLink"), id }),
    z.object({ kind: z.literal("accountTakenOver"), id, userId, ended: endedAccess, byCode: z.boolean().optional() }),
    /** To the new address. */
    z.object({ kind: z.literal("emailConfirmation"), id, userId }),
    z.object({ kind: z.literal("twoFactorRemoval"), id, userId }),
  ] as const;

/** The other mails, which say what has happened. */
const notices = () =>
  [
    z.object({
      kind: z.enum(["recoveryCodesRenewed", "recoveryCodeUsed", "accountExported"]),
      id,
      userId,
    }),
    z.object({ kind: z.literal("appConnected"), id, userId, appName: z.string() }),
    /** `appName`: whose token it was; missing for one of a session. */
    z.object({ kind: z.literal("refreshTokenReused"), id, userId, appName: z.string().optional() }),
    z.object({
      kind: z.literal("passwordChanged"),
      id,
      userId,
      ended: endedAccess.optional(),
      endedCredentials: z.array(listedCredential).optional(),
    }),
    /** To the former address; `isDone` is false while the new one is not confirmed. */
    z.object({ kind: z.literal("emailChanged"), id, userId, isDone: z.boolean() }),
    z.object({ kind: z.literal("twoFactorChanged"), id, userId, enabled: z.boolean() }),
    z.object({ kind: z.enum(["passkeyAdded", "passkeyRemoved"]), id, userId, passkeyName: z.string() }),
    z.object({ kind: z.enum(["identityLinked", "identityUnlinked"]), id, userId, provider: z.enum(PROVIDER_NAMES) }),
    z.object({ kind: z.enum(["apiKeyCreated", "platformKeyCreated"]), id, userId, keyName: z.string() }),
    z.object({
      kind: z.literal("signedInOnNewDevice"),
      id,
      userId,
      device: z.string(),
      location: z.string().nullish(),
      ipAddress: z.string().nullish(),
      signedInAt: z.number(),
    }),
    /** `pool`: which codes were guessed; missing for those of the second factor. */
    z.object({ kind: z.literal("secondFactorGuessed"), id, userId, pool: z.enum(["totp", "code"]).optional() }),
    /** Has the address, because the account is gone. */
    z.object({
      kind: z.literal("accountDeleted"),
      id,
      email: z.string(),
      name: z.string().nullable(),
      deletedAt: z.number(),
      /** Of the person; missing or null: that of the service. */
      locale: z.enum(LOCALES).nullish(),
    }),
    z.object({ kind: z.enum(["tenantDeleted", "signOnLinked"]), id, userId, tenantName: z.string() }),
    z.object({ kind: z.literal("tenantNotice"), id, userId, tenantName: z.string(), news: tenantNews }),
    z.object({ kind: z.literal("operatorNotice"), id, userId, news: operatorNews }),
    /** Goes to the address in ALERT_MAIL. Times are Unix ms; `endedAt` is null in the mail about the beginning. */
    z.object({ kind: z.literal("alarm"), id, finding: z.string(), since: z.number(), endedAt: z.number().nullable() }),
    /** `more` counts the subscriptions that `items` leaves out. */
    z.object({
      // Its name on the queue: jobs of an older version may be waiting.
      kind: z.literal("subscriptionAlert"),
      id,
      userId,
      tenantName: z.string(),
      items: z.array(noticeItem),
      more: z.number(),
    }),
  ] as const;

/** Made when the first job is read: it is large, and few isolates read one. */
export const mailJob = z.lazy(() => z.discriminatedUnion("kind", [...mailsWithTokens(), ...notices()]));

export type MailJob = z.infer<typeof mailJob>;
