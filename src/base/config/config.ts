/**
 * Settings from variables and secrets, parsed once per isolate. A bad setting stops the service, or only its feature if
 * it is optional, with a message that names it but never shows its value.
 */
import * as z from "zod";
import { BRAND_VARIABLES, type Brand } from "../brand";
import { isGuessableKey } from "../crypto/guessable-key";
import { LOG_LEVELS } from "../log/log-levels";
import { email } from "../schemas/schemas";
import { commaList, isAtOrBelow, wholeNumber } from "../schemas/settings";
import { ConfigError } from "./config-error";
import { LANGUAGE_VARIABLES } from "./language-settings";
import { LEGACY_LOGIN_VARIABLES, type LegacyLogin, readLegacyLogin } from "./legacy-login-settings";
import { LIMIT_VARIABLES, type LimitSettings, readLimits } from "./limit-settings";
import { OAUTH_VARIABLES, passkeyUrl, unfitOauthSettings } from "./oauth-settings";
import { PROVIDER_VARIABLES, type Providers, readProviders } from "./provider-settings";
import { ROLE_VARIABLES } from "./role-settings";
import { readTurnstile, SIGN_IN_VARIABLES, TURNSTILE_VARIABLES, type Turnstile } from "./sign-in-settings";
import { SIGN_ON_VARIABLES, unfitSignOnSettings } from "./sign-on-settings";
import { ISSUER_VARIABLES, type Issuers, readIssuers, TOKEN_VARIABLES } from "./token-settings";

const MIN_SECRET_KEY_CHARACTERS = 32;
const randomKey = z
  .string()
  .min(MIN_SECRET_KEY_CHARACTERS)
  .refine((key) => !isGuessableKey(key));

const isOrigin = (text: string): boolean => URL.parse(text)?.origin === text;

const VARIABLES = {
  SECRET_KEYS: {
    description:
      "All signing and encryption keys are derived from these; see [Key rotation](operations.md#key-rotation). A " +
      "secret, not a variable.",
    must:
      `be a comma-separated list of secrets, newest first, each at least ${MIN_SECRET_KEY_CHARACTERS} random ` +
      `characters, such as from \`openssl rand -hex 32\``,
    schema: commaList.pipe(z.array(randomKey).min(1)),
  },
  METRICS_TOKEN: {
    description:
      "The token with which Prometheus reads [metrics](metrics.md). A secret; optional. Missing: metrics are off.",
    must: `be at least ${MIN_SECRET_KEY_CHARACTERS} random characters, or missing`,
    schema: randomKey.optional(),
  },
  CLIENT_IP_SECRET: {
    description:
      "Lets your own server name its users' IP addresses; see [Client addresses](operations.md#client-addresses). " +
      "A secret; optional.",
    must: `be at least ${MIN_SECRET_KEY_CHARACTERS} random characters, or missing`,
    schema: randomKey.optional(),
  },
  APP_URL: {
    description:
      "The address that links in mails start with: `/verify-email?token=...`, `/reset-password?token=...` and " +
      "`/accept-invitation?token=...` follow it.",
    must: "be an http or https URL without a trailing slash",
    schema: z.url({ protocol: /^https?$/ }).refine((url) => !url.endsWith("/")),
  },
  ...TOKEN_VARIABLES,
  ...OAUTH_VARIABLES,
  ...ROLE_VARIABLES,
  MAIL_FROM: {
    description: "The sender of every mail.",
    must: "contain a sender address",
    schema: z.string().regex(/^[^\r\n]*[^\s<>]+@[^\s<>]+>?$/),
  },
  ALERT_MAIL: {
    description: "Who is mailed [alarms](operations.md#alarms) about the service. Empty: nobody.",
    must: "be an email address, or empty",
    schema: z
      .literal("")
      .transform(() => null)
      .or(email)
      .prefault(""),
  },
  CORS_ORIGINS: {
    description: "The origins whose pages may call the API from a browser. Empty: none.",
    must: "be a comma-separated list of origins, or empty",
    schema: commaList.pipe(z.array(z.string().regex(/^https?:\/\/[^/]+$/))),
  },
  PORTAL_ORIGINS: {
    description:
      "The origins whose pages may frame [portals](portal.md), and call the API with portal tokens. Empty: none.",
    must: "be a comma-separated list of origins, or empty",
    schema: commaList.pipe(z.array(z.string().refine(isOrigin))).prefault(""),
  },
  PASSKEY_ORIGINS: {
    description:
      "Origins besides that of `APP_URL` whose pages may use passkeys. Passkeys are bound to the host of " +
      "`APP_URL`, so these must be hosts below it.",
    must: "be a comma-separated list of origins, each of the host of APP_URL or of a host below it, or empty",
    schema: commaList.pipe(z.array(z.string().refine(isOrigin))).prefault(""),
  },
  ...BRAND_VARIABLES,
  ...LANGUAGE_VARIABLES,
  ...PROVIDER_VARIABLES,
  ...SIGN_IN_VARIABLES,
  ...LEGACY_LOGIN_VARIABLES,
  ...SIGN_ON_VARIABLES,
  OPERATORS: {
    description: "Who operates this service: see [Operators](operations.md#operators). Empty: nobody does.",
    must: "be a comma-separated list of email addresses, or empty",
    schema: commaList.pipe(z.array(email)).prefault(""),
  },
  WEBHOOK_EGRESS: {
    description:
      "Whether webhook URLs with private and reserved addresses are refused. `any` is for local development.",
    must: 'be "public" or "any"',
    schema: z.enum(["public", "any"]),
  },
  OBJECT_JURISDICTION: {
    description:
      "The jurisdiction that the service's Durable Objects stay in; see [The place of the " +
      "data](production.md#2-the-place-of-the-data). Set it before the first deployment: another one begins all " +
      "counts, locks and schedules anew. Empty: none.",
    must: 'be "eu", "fedramp", "fedramp-high" or empty',
    schema: z.enum(["", "eu", "fedramp", "fedramp-high"]).prefault(""),
  },
  ...LIMIT_VARIABLES,
  AUTO_DISABLE_HOURS: {
    description:
      "After how many hours of failures a subscription is disabled, unless its option `autoDisable` says " +
      "otherwise. `false`: never.",
    must: 'be a whole number from 24 to 720, or "false"',
    schema: z.union([z.literal("false").transform(() => null), wholeNumber(24, 720)]).prefault("120"),
  },
  LOG_LEVEL: {
    description:
      "The least serious log lines that are written. `warn` leaves out requests, sign-ins and successful attempts.",
    must: 'be "info", "warn" or "error"',
    schema: z.enum(LOG_LEVELS).prefault("info"),
  },
  LOG_ATTEMPTS: {
    description:
      "Which attempts are logged: `all`, or only those that failed (`failed`). The delivery log has all of them.",
    must: 'be "all" or "failed"',
    schema: z.enum(["all", "failed"]).prefault("all"),
  },
  RETENTION_DAYS: {
    description: "How many days delivery logs and events are kept.",
    must: "be a whole number from 1 to 3650",
    schema: wholeNumber(1, 3650),
  },
  AUDIT_RETENTION_DAYS: {
    description: "How many days the audit log is kept.",
    must: "be a whole number from 30 to 3650",
    schema: wholeNumber(30, 3650).prefault("365"),
  },
  AUDIT_MAX_ROWS: {
    description:
      "How many events of a tenant the audit log keeps in each database. Beyond that, the oldest are removed.",
    must: "be a whole number from 10000 to 100000000",
    schema: wholeNumber(10_000, 100_000_000).prefault("1000000"),
  },
} as const;

/** The settings as the operations page shows them. */
export const SETTINGS = Object.entries(VARIABLES).map(([name, { description, must }]) => ({ name, description, must }));

type Name = keyof typeof VARIABLES;
type Values = { [N in Name]: z.output<(typeof VARIABLES)[N]["schema"]> };

/** The names of all settings. */
export const SETTING_NAMES = Object.keys(VARIABLES) as Name[];

/** Settings that make a part of the configuration together. */
const COMBINED = {
  ...BRAND_VARIABLES,
  ...ISSUER_VARIABLES,
  ...LEGACY_LOGIN_VARIABLES,
  ...LIMIT_VARIABLES,
  ...PROVIDER_VARIABLES,
  ...TURNSTILE_VARIABLES,
};

type CamelCase<S extends string> = S extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<S>;

/** All other settings: `appUrl` is what APP_URL says. */
type PlainSettings = { [N in Exclude<Name, keyof typeof COMBINED> as CamelCase<N>]: Values[N] };

export interface Config extends PlainSettings, Issuers, LimitSettings {
  brand: Brand;
  /** An origin; set if there is a provider. */
  publicUrl: string | undefined;
  /** The providers that people can sign in with. */
  providers: Providers;
  /** Null: nobody is asked to confirm that they are human. */
  turnstile: Turnstile | null;
  /** The former service that is asked about unknown passwords; null: none. */
  legacyLogin: LegacyLogin | null;
  /** What is wrong with optional settings, whose features are off: each begins with the name of the setting. */
  refused: readonly string[];
}

/**
 * Settings whose feature the service can do without, and what a bad one counts as: most switch their feature off. They
 * must not stop sign-in.
 */
const OPTIONAL: Partial<Record<Name, string | undefined>> = {
  METRICS_TOKEN: undefined,
  CLIENT_IP_SECRET: undefined,
  ALERT_MAIL: "",
  BRAND_NAME: "",
  BRAND_LOGO_URL: "",
  BRAND_COLOR: "",
  DEFAULT_LOCALE: "en",
  TEXTS: "",
  CORS_ORIGINS: "",
  PORTAL_ORIGINS: "",
  PASSKEY_ORIGINS: "",
  ...Object.fromEntries(Object.keys(PROVIDER_VARIABLES).map((name) => [name, undefined])),
  TURNSTILE_SITE_KEY: "",
  TURNSTILE_SECRET: "",
  REGISTRATION: "invite",
  PERSONAL_TENANTS: "on",
  LINK_BY_EMAIL: "never",
  OPERATORS: "",
  ROLES: "",
  TOKEN_METADATA: "",
  MAIL_CODE: "on",
  PASSWORDS: "on",
  SIGN_ON: "on",
  AUTO_DISABLE_HOURS: "120",
  LOG_LEVEL: "info",
  LOG_ATTEMPTS: "all",
};

/** Parses the settings of `env`. Throws `ConfigError` for one that the service cannot do without. */
export function parseConfig(env: Partial<Record<Name, unknown>>): Config {
  const problems: string[] = [];
  const refused: string[] = [];
  const parse = (name: Name): unknown => {
    const { schema, must } = VARIABLES[name];
    const result = schema.safeParse(env[name]);
    if (result.success) return result.data;
    (name in OPTIONAL ? refused : problems).push(`${name} must ${must}`);
    return name in OPTIONAL ? schema.parse(OPTIONAL[name]) : undefined;
  };
  const values = Object.fromEntries(SETTING_NAMES.map((name) => [name, parse(name)])) as Values;
  const read = <N extends Name>(name: N): Values[N] => values[name];
  const plain = SETTING_NAMES.filter((name) => !(name in COMBINED)).map((name) => [camelCase(name), values[name]]);
  const { publicUrl, providers } = readProviders(read, refused);
  const config: Config = {
    ...(Object.fromEntries(plain) as PlainSettings),
    ...readIssuers(read, publicUrl ?? values.APP_URL),
    ...readLimits(read),
    brand: { name: values.BRAND_NAME, logoUrl: values.BRAND_LOGO_URL, color: values.BRAND_COLOR },
    publicUrl,
    providers,
    turnstile: readTurnstile(read, refused),
    legacyLogin: readLegacyLogin(read, values.WEBHOOK_EGRESS, problems),
    refused,
  };
  const unfit = [...unfitOauthSettings(config), ...unfitSignOnSettings(config)];
  problems.push(...unfit.map((name) => `${name} must ${VARIABLES[name].must}`));
  if (problems.length > 0) throw new ConfigError([...problems, ...refused]);
  if (config.passkeyOrigins.every((origin) => isAtOrBelow(origin, passkeyUrl(config)))) return config;
  refused.push(`PASSKEY_ORIGINS must ${VARIABLES.PASSKEY_ORIGINS.must}`);
  return { ...config, passkeyOrigins: [] };
}

/** The refusal of a setting that only the runtime's cryptography can judge. */
export const refusedSetting = (name: Name): ConfigError => new ConfigError([`${name} must ${VARIABLES[name].must}`]);

const camelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
