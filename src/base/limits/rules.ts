/**
 * Every rate limit and budget. The variable `RATE_LIMITS` overrides rate limits by name; each budget has a variable of
 * its own.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time";

/** At most `limit` units in any `windowSeconds`. */
export interface Rule {
  limit: number;
  windowSeconds: number;
}

const minute = MINUTE_MS / 1000;
const hour = HOUR_MS / 1000;
const day = DAY_MS / 1000;
const MIB = 1024 * 1024;

/** The limits of sign-in and tokens. */
const SIGN_IN_RULES = {
  resendVerification: { limit: 5, windowSeconds: 2 * minute },
  verifyEmail: { limit: 30, windowSeconds: minute },
  forgotPassword: { limit: 3, windowSeconds: minute },
  resetPassword: { limit: 5, windowSeconds: minute },
  changePassword: { limit: 10, windowSeconds: hour },
  changeProfile: { limit: 30, windowSeconds: minute },
  changeEmail: { limit: 5, windowSeconds: hour },
  login: { limit: 30, windowSeconds: minute },
  requestCode: { limit: 5, windowSeconds: minute },
  verifyCode: { limit: 10, windowSeconds: minute },
  register: { limit: 20, windowSeconds: minute },
  oauth: { limit: 60, windowSeconds: minute },
  oauthExchange: { limit: 30, windowSeconds: minute },
  identities: { limit: 30, windowSeconds: minute },
  signOn: { limit: 120, windowSeconds: minute },
  discover: { limit: 30, windowSeconds: minute },
  signOnMail: { limit: 5, windowSeconds: minute },
  refresh: { limit: 60, windowSeconds: minute },
  twoFactor: { limit: 10, windowSeconds: minute },
  stepUp: { limit: 10, windowSeconds: minute },
  passkeys: { limit: 30, windowSeconds: minute },
  deleteAccount: { limit: 10, windowSeconds: hour },
  deleteTenant: { limit: 10, windowSeconds: hour },
  authorize: { limit: 120, windowSeconds: minute },
  consent: { limit: 60, windowSeconds: minute },
  token: { limit: 6000, windowSeconds: minute },
  tokenPublic: { limit: 120, windowSeconds: minute },
  clientMetadata: { limit: 30, windowSeconds: minute },
  clientMetadataOfHost: { limit: 10, windowSeconds: minute },
  registerClient: { limit: 20, windowSeconds: minute },
  clientAuth: { limit: 60, windowSeconds: minute },
  pushRequest: { limit: 600, windowSeconds: minute },
  deviceStart: { limit: 30, windowSeconds: minute },
  devices: { limit: 10_000, windowSeconds: 10 * minute },
  deviceCode: { limit: 30, windowSeconds: minute },
  deviceCodeOfPerson: { limit: 10, windowSeconds: minute },
  writeClients: { limit: 120, windowSeconds: minute },
} as const satisfies Record<string, Rule>;

/** The limits of mails to one email address. Mails beyond them are silently not sent. */
const MAILS = {
  codeMail: { limit: 3, windowSeconds: 15 * minute },
  resetMail: { limit: 5, windowSeconds: hour },
  verificationMail: { limit: 20, windowSeconds: day },
  invitationMail: { limit: 5, windowSeconds: day },
  notice: { limit: 20, windowSeconds: day },
  minorNotice: { limit: 10, windowSeconds: day },
  alertMail: { limit: 60, windowSeconds: day },
} as const satisfies Record<string, Rule>;

export const RULES = {
  ...SIGN_IN_RULES,
  exportAccount: { limit: 1, windowSeconds: hour },
  exportTenant: { limit: 5, windowSeconds: hour },
  createApiKey: { limit: 20, windowSeconds: hour },
  openPortal: { limit: 60, windowSeconds: minute },
  openSetup: { limit: 30, windowSeconds: minute },
  setupLinks: { limit: 30, windowSeconds: minute },
  portalLinks: { limit: 300, windowSeconds: minute },
  refused: { limit: 60, windowSeconds: minute },
  unknownApiKey: { limit: 60, windowSeconds: minute },
  unknownSource: { limit: 60, windowSeconds: minute },
  unknownPortal: { limit: 60, windowSeconds: minute },
  checkDomain: { limit: 10, windowSeconds: minute },
  invite: { limit: 20, windowSeconds: hour },
  changeRole: { limit: 60, windowSeconds: minute },
  changeSecurity: { limit: 30, windowSeconds: minute },
  inviteAddress: { limit: 1, windowSeconds: 10 * minute },
  writeWebhook: { limit: 1000, windowSeconds: minute },
  importWebhooks: { limit: 30, windowSeconds: minute },
  rotateSecret: { limit: 10, windowSeconds: hour },
  webhookKeys: { limit: 120, windowSeconds: minute },
  redeliver: { limit: 120, windowSeconds: minute },
  readDeliveries: { limit: 3000, windowSeconds: minute },
  readAudit: { limit: 300, windowSeconds: minute },
  exportAudit: { limit: 10, windowSeconds: minute },
  operator: { limit: 300, windowSeconds: minute },
  publish: { limit: 6000, windowSeconds: minute },
  writeEventTypes: { limit: 600, windowSeconds: minute },
  writeConnections: { limit: 60, windowSeconds: minute },
  scim: { limit: 3000, windowSeconds: minute },
  testSignOn: { limit: 30, windowSeconds: minute },
  signOnLogout: { limit: 600, windowSeconds: minute },
  userinfo: { limit: 60, windowSeconds: minute },
  catalog: { limit: 120, windowSeconds: minute },
  catalogReads: { limit: 1200, windowSeconds: minute },
  testRules: { limit: 600, windowSeconds: minute },
  writeSource: { limit: 120, windowSeconds: minute },
  inbound: { limit: 30, windowSeconds: minute },
  readFeed: { limit: 120, windowSeconds: minute },
  writeFeed: { limit: 120, windowSeconds: minute },
  listen: { limit: 30, windowSeconds: minute },
  platformRead: { limit: 3000, windowSeconds: minute },
  platformWrite: { limit: 600, windowSeconds: minute },
  platformPublish: { limit: 60_000, windowSeconds: minute },
  unverifiedDeliveries: { limit: 100, windowSeconds: day },
  unverifiedEvents: { limit: 100, windowSeconds: day },
  unverifiedPayloadBytes: { limit: 5 * MIB, windowSeconds: day },
  unverifiedTotalBytes: { limit: 256 * MIB, windowSeconds: day },
  unverifiedHost: { limit: 60, windowSeconds: minute },
  introspect: { limit: 6000, windowSeconds: minute },
  metrics: { limit: 30, windowSeconds: minute },
  deepHealth: { limit: 30, windowSeconds: minute },
  ...MAILS,
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;
export type MailRuleName = keyof typeof MAILS;

export const MAIL_RULES: ReadonlySet<LimitName> = new Set(Object.keys(MAILS) as MailRuleName[]);

/** When the limiter is down, these refuse with 503, and mails are sent later; the others let requests pass. */
export const FAIL_CLOSED: ReadonlySet<LimitName> = new Set(
  Object.keys({ ...SIGN_IN_RULES, ...MAILS }) as (keyof typeof SIGN_IN_RULES | MailRuleName)[],
);

/** How much of a limit by IP address the network of the address may use up. */
export const NETWORK_FACTOR = 8;

/**
 * Whether the limit counts the network of such an address too, up to `NETWORK_FACTOR` times the limit. A customer of a
 * provider often has a whole network of IPv6. Many customers share one of IPv4, so only registrations count those.
 */
export const countsNetwork = (name: LimitName, clientIp: string): boolean =>
  clientIp.includes(":") || name === "register";

/**
 * What a tenant may use per minute. `perMinute` is the default of the variable, and `units` converts it into units of
 * the limit.
 */
export const BUDGETS = {
  tenantDeliveries: { variable: "TENANT_DELIVERIES_PER_MINUTE", perMinute: 60_000, units: 1, what: "deliveries" },
  tenantPayloadBytes: { variable: "TENANT_PAYLOAD_MIB_PER_MINUTE", perMinute: 60, units: MIB, what: "MiB of payloads" },
} as const;

export type BudgetName = keyof typeof BUDGETS;
export type LimitName = RuleName | BudgetName;

/**
 * The limits that a publish checks. An isolate leases their units in blocks, so that a publish seldom waits for the
 * limiter.
 */
export const LEASED: ReadonlySet<LimitName> = new Set<LimitName>([
  "publish",
  "platformPublish",
  "tenantDeliveries",
  "tenantPayloadBytes",
]);

/** The most units that one isolate leases in advance. */
export const blockUnits = ({ limit }: Rule): number => Math.ceil(limit / 100);

/**
 * How many units all isolates together may hold in advance. Units that were leased in one window can be used in the
 * next one, so a limit can be exceeded by this much.
 */
export const maxLeasedUnits = ({ limit }: Rule): number => Math.floor(limit / 10);

/** Below so many units, an allowance would not be worth its inexactness. */
const LEAST_ALLOWANCE = 5;

/**
 * How many units an isolate uses in a window without asking: a thousandth of the limit, so that a tenant that seldom
 * publishes needs no limiter. The isolate reports them when it asks for more.
 */
export const allowanceUnits = ({ limit }: Rule): number => {
  const units = Math.floor(limit / 1_000);
  return units < LEAST_ALLOWANCE ? 0 : units;
};

const LEASE_MS = 10_000;

/** How long an isolate may use the units that it has leased. */
export const leaseMs = ({ windowSeconds }: Rule): number => Math.min(LEASE_MS, (windowSeconds * 1000) / 6);
