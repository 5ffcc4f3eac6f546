/**
 * Tables generated from the code, so that the pages cannot fall behind it. A page places one with `<!-- table: errors
 * -->`.
 */

import { TABLE_BOUNDS } from "../../base/bounds/tables";
import { CACHES, mostBytesOf } from "../../base/caches";
import { SETTINGS } from "../../base/config/config";
import { describeCode, ERROR_CODES } from "../../base/errors";
import { CAPS, type CapName } from "../../base/limits/caps";
import { BUDGETS, type BudgetName, FAIL_CLOSED, MAIL_RULES, RULES, type RuleName } from "../../base/limits/rules";
import { LOG_FIELDS } from "../../base/log/log-fields";
import type { LogLine } from "../../base/log/log-levels";
import { LOG_LINES } from "../../base/log/log-lines";
import { ACTION_NAMES } from "../../base/schemas/audit-actions";
import { sentenceWithoutValues } from "../../base/schemas/audit-sentences";
import { PLATFORM_SCOPE_TEXTS } from "../../base/schemas/platform-scopes";
import { BUILT_IN_ROLES, PERMISSION_TEXTS, PERMISSIONS, permissionsOf, ROLE_TEXTS } from "../../base/schemas/roles";
import { METRICS } from "../../service/metrics/catalogue";
import { ADDRESSES, PROVIDER_RECIPES } from "../../sign-on/connections/recipes";
import { SAML_ADDRESSES, SAML_RECIPES } from "../../sign-on/connections/saml-recipes";
import { DELIVERY_OPTIONS } from "../../webhooks/options/delivery-options";
import { mark } from "../figures";
import { ADVICE } from "./error-advice";

/** A rate-limited endpoint and what its limit counts by, such as "IP address". */
export interface LimitedEndpoint {
  endpoint: string;
  rule: RuleName;
  per: string;
}

/** A method of the client with its arguments, what it does, and what it throws. */
type Method = readonly [method: string, does: string, throws: string];

/** A table of D1 with what its rows are. */
type DeclaredTable = readonly [name: string, rows: string];

/** What the tables need besides constants. */
export interface Facts {
  /** The endpoints that the limits apply to. */
  limited: readonly LimitedEndpoint[];
  /** The methods of each noun of the client. */
  methods: Readonly<Record<string, readonly Method[]>>;
  /** The tables that each file of src/base/tables declares, by the name of the file. */
  dataModel: Readonly<Record<string, readonly DeclaredTable[]>>;
}

const PLACEHOLDER = /<!-- table: ([a-z-]+)[^>]*-->/g;

/** The steps at an identity provider, with what is copied in blocks of their own, which have copy buttons. */
const recipe = (provider: keyof typeof PROVIDER_RECIPES): string =>
  stepsOf(PROVIDER_RECIPES[provider].steps, ADDRESSES);

const samlRecipe = (provider: keyof typeof SAML_RECIPES): string => stepsOf(SAML_RECIPES[provider], SAML_ADDRESSES);

interface Step<Name extends string> {
  text: string;
  addresses?: readonly Name[];
  texts?: Readonly<Record<string, string>>;
}

const stepsOf = <Name extends string>(steps: readonly Step<Name>[], labels: Readonly<Record<Name, string>>): string =>
  steps
    .map(({ text, addresses = [], texts = {} }, index) =>
      [
        `${index + 1}. ${text}`,
        ...addresses.map((name) => `   On the page of the connection: the ${labels[name]}.`),
        ...Object.values(texts).map((value) => `   \`\`\`\n   ${value}\n   \`\`\``),
      ].join("\n\n"),
    )
    .join("\n");

const TABLES: Record<string, (facts: Facts) => string> = {
  "recipe-okta": () => recipe("okta"),
  "recipe-entra": () => recipe("entra"),
  "recipe-google": () => recipe("google"),
  "recipe-keycloak": () => recipe("keycloak"),
  "recipe-saml-okta": () => samlRecipe("okta"),
  "recipe-saml-entra": () => samlRecipe("entra"),
  "recipe-saml-google": () => samlRecipe("google"),
  "recipe-saml-keycloak": () => samlRecipe("keycloak"),
  "recipe-saml-other": () => samlRecipe("other"),
  "sign-on-providers": () =>
    table(
      ["Provider", "Issuer", "Subject", "Groups", "Directory"],
      Object.entries(PROVIDER_RECIPES)
        .filter(([name]) => name !== "other")
        .map(([name, { title, issuer, subject, groups, directory }]) => [
          `[${title}](sign-on-${name}.md)`,
          `\`${issuer}\``,
          `\`${subject}\``,
          groups,
          directory,
        ]),
    ),
  errors: () =>
    table(
      ["Status", "Code", "Message", "What to do"],
      ERROR_CODES.map((code) => {
        const { status, message } = describeCode(code);
        return [String(status), `<a id="${code}"></a>\`${code}\``, message, ADVICE[code]];
      }),
    ),
  limits: ({ limited }) =>
    table(
      ["Name", "At most", "Window in seconds", "Per", "Counts", "If the rate limiter fails"],
      (Object.keys(RULES) as RuleName[]).map((name) => [
        `\`${name}\``,
        mark("limit", name),
        mark("window", name),
        ...(COUNTED_ELSEWHERE[name] ?? endpointsUnder(name, limited)),
        MAIL_RULES.has(name) ? "sent later" : FAIL_CLOSED.has(name) ? "503" : "allowed",
      ]),
    ),
  budgets: () =>
    table(
      ["Setting", "At most", "Per"],
      (Object.keys(BUDGETS) as BudgetName[]).map((name) => {
        const { variable, what } = BUDGETS[name];
        return [`\`${variable}\``, `${mark("budget", name)} ${what}`, "tenant and minute"];
      }),
    ),
  caps: () =>
    table(
      ["Setting", "At most", "Per"],
      (Object.keys(CAPS) as CapName[]).map((name) => [
        `\`${CAPS[name].variable}\``,
        `${mark("cap", name)} ${CAPS[name].what}`,
        CAPS[name].per,
      ]),
    ),
  caches: () =>
    table(
      ["What", "Entries", "MiB at most"],
      Object.values(CACHES)
        .filter((cache) => mostBytesOf(cache) > 0)
        .map((cache) => [
          cache.holds,
          cache.entries?.toLocaleString("en") ?? "",
          (mostBytesOf(cache) / 1024 ** 2).toFixed(1),
        ]),
    ),
  "table-bounds": () =>
    table(
      ["Table", "Who makes it grow", "Rows at most", "Bytes of a row", "Counts", "What ends a row"],
      Object.entries(TABLE_BOUNDS).map(([name, bound]) => {
        const shown = `[\`${name}\`](data-model.md#${name})`;
        if ("why" in bound) return [shown, "the service", bound.why, "", "", ""];
        const { grower, rows, bytes, isCounted, ends } = bound;
        return [shown, grower.join(", "), rows, bytes, isCounted ? "✓" : "", ends];
      }),
    ),
  settings: () =>
    table(
      ["Name", "Purpose", "Must"],
      SETTINGS.map(({ name, description, must }) => [`\`${name}\``, description, must]),
    ),
  "audit-actions": () =>
    table(
      ["Action", "Somebody"],
      ACTION_NAMES.map((name) => [`\`${name}\``, sentenceWithoutValues(name)]),
    ),
  "delivery-options": () =>
    table(
      ["Option", "Values", "By default", "Meaning"],
      DELIVERY_OPTIONS.map(({ path, docs }) => [`\`${path}\``, docs.values, docs.byDefault, docs.description]),
    ),
  "platform-scopes": () =>
    table(
      ["Scope", "Allows to"],
      Object.entries(PLATFORM_SCOPE_TEXTS).map(([name, text]) => [`\`${name}\``, text]),
    ),
  permissions: () =>
    table(
      ["Permission", "Allows to", ...BUILT_IN_ROLES],
      PERMISSIONS.map((name) => [
        `\`${name}\``,
        PERMISSION_TEXTS[name],
        ...BUILT_IN_ROLES.map((role) => (permissionsOf(role).includes(name) ? "✓" : "")),
      ]),
    ),
  roles: () =>
    table(
      ["Role", "For"],
      BUILT_IN_ROLES.map((role) => [role, ROLE_TEXTS[role]]),
    ),
  metrics: () =>
    table(
      ["Metric", "Labels", "Unit", "Meaning"],
      Object.entries(METRICS).map(([name, { labels, unit, help }]) => [
        `\`${name}\``,
        labels.map((label) => `\`${label}\``).join(" "),
        unit,
        help,
      ]),
    ),
  "log-fields": () =>
    table(
      ["Field", "Meaning"],
      Object.entries(LOG_FIELDS).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
  "log-lines": () =>
    table(
      ["Message", "Level", "Meaning", "What to do"],
      Object.entries<LogLine>(LOG_LINES).map(([message, { level, meaning, advice = "" }]) => [
        `\`${message}\``,
        [level].flat().join(" or "),
        meaning,
        advice,
      ]),
    ),
};

/** The methods of one noun of the client. */
const methodTable = (rows: readonly Method[]) =>
  table(
    ["Method", "What it does and returns", "Errors"],
    rows.map(([method, does, throws]) => [`\`${method}\``, does, throws]),
  );

/** The tables that one file declares. */
const modelTable = (rows: readonly DeclaredTable[]) =>
  table(
    ["Table", "Its rows"],
    rows.map(([name, text]) => [`<a id="${name}"></a>\`${name}\``, text]),
  );

/** For rules that do not count the requests of an endpoint: what they count by, and what they count. */
const MAILS = ["email address", "mails; the others are not sent"] as const;
const COUNTED_ELSEWHERE: Partial<Record<RuleName, readonly [per: string, what: string]>> = {
  ...Object.fromEntries([...MAIL_RULES].map((name) => [name, MAILS])),
  platformPublish: ["platform key", "events that it publishes, in all tenants together"],
  refused: ["user or key", "requests without the permission, which count towards no other limit"],
  unknownApiKey: ["IP address", "requests with an API key or a platform key that does not exist"],
  unknownSource: ["IP address", "calls to sources that do not exist"],
  unknownPortal: ["IP address", "pages of portals and setup links with a cookie of no session"],
  token: ["client with a secret", "requests for tokens and to give them back"],
  tokenPublic: ["client without a secret and IP address", "the same"],
  clientMetadata: ["IP address", "documents of apps that are fetched"],
  clientMetadataOfHost: ["host", "the same"],
  registerClient: ["IP address", "registrations of apps by themselves"],
  clientAuth: ["IP address", "requests of clients that do not prove themselves"],
  pushRequest: ["client and IP address", "requests that apps push"],
  deviceStart: ["client and IP address", "devices that ask for a sign-in"],
  devices: ["the service", "the same; the others get 503"],
  deviceCode: ["IP address", "codes of devices that people enter"],
  deviceCodeOfPerson: ["user", "the same"],
  userinfo: ["sign-in or connection", "requests for userinfo"],
  introspect: ["client", "questions about tokens"],
  authorize: ["IP address", "sign-ins and sign-outs that apps ask for"],
  consent: ["user", "answers on the pages for apps"],
  catalogReads: ["catalogue", "pages and files that anybody reads"],
  unverifiedDeliveries: ["tenant without a verified owner", "deliveries; the others are refused with 403"],
  unverifiedEvents: [
    "tenant without a verified owner",
    "events, subscribed to or not; the others are refused with 403",
  ],
  unverifiedPayloadBytes: ["tenant without a verified owner", "bytes of payloads; the others are refused with 403"],
  unverifiedTotalBytes: ["all tenants without a verified owner", "bytes of payloads; the others are refused with 403"],
  unverifiedHost: [
    "host of a subscriber, over all tenants without a verified owner",
    "deliveries sent; the others wait",
  ],
};

function endpointsUnder(name: RuleName, limited: readonly LimitedEndpoint[]): [per: string, what: string] {
  const endpoints = limited.filter(({ rule }) => rule === name);
  const per = [...new Set(endpoints.map((endpoint) => endpoint.per))].join(", ");
  return [per, endpoints.map(({ endpoint }) => `\`${endpoint}\``).join(" ")];
}

/** Replaces each placeholder in `markdown` with its table. Throws on an unknown table name. */
export function withTables(markdown: string, facts: Facts): string {
  return markdown.replaceAll(PLACEHOLDER, (_placeholder, name: string) => {
    const methods = facts.methods[name.replace(/^client-/, "")];
    const declared = facts.dataModel[name.replace(/^tables-/, "")];
    const made = TABLES[name]?.(facts) ?? (declared && modelTable(declared)) ?? (methods && methodTable(methods));
    if (!made) throw new Error(`no table ${name}`);
    return made;
  });
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
