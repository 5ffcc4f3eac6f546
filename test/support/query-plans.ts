/** Collects every statement that the stores send, and checks how SQLite would find its rows. */
import { getTableName } from "drizzle-orm";
import * as control from "../../src/base/tables/control-plane";
import * as credentials from "../../src/base/tables/credentials";
import * as delivery from "../../src/base/tables/delivery";
import * as events from "../../src/base/tables/events";
import * as feeds from "../../src/base/tables/feeds";
import * as operators from "../../src/base/tables/operators";
import * as alarms from "../../src/base/tables/service";
import * as signOn from "../../src/base/tables/sign-on";
import * as singleUse from "../../src/base/tables/single-use";
import { wholeDirectories } from "./directory-plans";

/** A statement that may read a whole table or index, and why that is right. */
interface Exception {
  statement: RegExp;
  /** The step of the plan that is allowed, such as "SCAN tenants". */
  step: RegExp;
  reason: string;
}

/**
 * Tables grow, so every request must find its rows by a key. Only hourly jobs may read whole tables, if those stay
 * small.
 */
const EXCEPTIONS: Exception[] = [
  {
    statement: /^\s*(SELECT subject_id AS subjectId, cursor FROM|UPDATE) purges\b.* AND step = /s,
    step: /^(SCAN purges|USE TEMP B-TREE FOR ORDER BY)/,
    reason: "only deletions under way have rows, and a search for many of them does it twice",
  },
  {
    statement: /SELECT DISTINCT event_id AS id FROM outbox/,
    step: /SCAN outbox/,
    reason: "retention reads it once in each turn of the hourly job, before many pages of events",
  },
  {
    statement: /ELSE EXISTS \(SELECT 1 FROM outbox WHERE tenant_id = \?\) END AS isInUse/,
    step: /SCAN outbox/,
    reason: "read last for a tenant that moved away a month ago; an index would cost every event",
  },
  {
    statement: /\bepisodes\b/,
    step: /^SCAN (e|episodes)$/,
    reason: "the review of every minute; the table only has failing subscriptions",
  },
  {
    statement: /WITH RECURSIVE guests/,
    step: /^SCAN (g|guests|p)$/,
    reason: "no table, but the query's own rows: an account, and the people whom it has invited in at most three days",
  },
  {
    statement: /\boauth_resources\b/,
    step: /^(SCAN (oauth_resources|r)$|USE TEMP B-TREE FOR ORDER BY)/,
    reason: "at most `MAX_RESOURCES` rows",
  },
  {
    statement: /\bFROM connections c\b.* ORDER BY c\.created_at/s,
    step: /^USE TEMP B-TREE FOR ORDER BY/,
    reason: "at most `MAX_CONNECTIONS_PER_TENANT` rows",
  },
  {
    statement: /\bsign_on_traces\b/,
    step: /^USE TEMP B-TREE FOR ORDER BY/,
    reason: "at most 150 rows of a connection",
  },
  {
    statement: /\boauth_clients\b/,
    step: /^(SCAN (oauth_clients|c)$|USE TEMP B-TREE FOR ORDER BY)/,
    reason: "at most `MAX_CLIENTS` rows, which operators list and whose number a registration counts",
  },
  {
    statement: /WITH ruled AS MATERIALIZED/,
    step: /^(SCAN (u|p)$|SEARCH k USING AUTOMATIC COVERING INDEX|USE TEMP B-TREE FOR (GROUP|ORDER) BY)/,
    reason: "no table, but the query's own rows: the groups that rules name, and 2,000 records of a directory",
  },
  {
    statement: /WITH RECURSIVE used/,
    step: /^SCAN (used|named)$/,
    reason: "no table, but the query's own rows: the apps of a tenant",
  },
  {
    statement: /\btoken_signers\b/,
    step: /^SCAN (token_signers|sessions EXISTS)\b/,
    reason:
      "a row for each change of the signing settings in 90 days, read once a minute; and whether there is any session",
  },
];

const statements = new Set<string>();
/**
 * Stores call D1 through this file and tests do not, so a stack trace that contains it belongs to a statement of a
 * store.
 */
const CLIENT_FILE = "src/base/db/client.ts";

interface CallSite {
  getFileName(): string | null;
}
const V8Error = Error as ErrorConstructor & {
  prepareStackTrace?: ((error: Error, sites: CallSite[]) => unknown) | undefined;
};

let isCollecting = false;

/**
 * Starts collecting the statements that stores prepare in this isolate, for requests, queue consumers, cron and RPC.
 */
export function collectStatements(database: D1Database): void {
  if (isCollecting) return;
  isCollecting = true;
  const prototype: D1Database = Object.getPrototypeOf(database);
  const prepare = prototype.prepare;
  prototype.prepare = function (query) {
    if (!statements.has(query) && isCalledBy(CLIENT_FILE)) statements.add(query);
    return prepare.call(this, query);
  };
}

/** Whether the stack has a function of `file`. Its text would cost more, because Vite maps it to the sources. */
function isCalledBy(file: string): boolean {
  const { prepareStackTrace } = V8Error;
  let isOnStack = false;
  V8Error.prepareStackTrace = (_error, sites) => {
    isOnStack = sites.some((site) => site.getFileName()?.endsWith(file));
  };
  // The stack is read, because it is made only then.
  void new Error().stack;
  V8Error.prepareStackTrace = prepareStackTrace;
  return isOnStack;
}

export const collected = (): string[] => [...statements];

/** Forgets what was collected, so that a test file can tell its own statements. */
export const forgetStatements = (): void => statements.clear();

const checked = new Set<string>();

/** The statements that were collected since the last call. */
export function newlyCollected(): string[] {
  const found = collected().filter((statement) => !checked.has(statement));
  for (const statement of found) checked.add(statement);
  return found;
}

/** Returns the query plan of each statement as SQLite prints it, one line per step. */
async function explain(database: D1Database, queries: readonly string[]): Promise<string[][]> {
  const explained = queries.map((query) => {
    const unbound = Array.from(query.matchAll(/\?/g), () => null);
    return database.prepare(`EXPLAIN QUERY PLAN ${query}`).bind(...unbound);
  });
  const results = await database.batch<{ detail: string }>(explained);
  return results.map(({ results: steps }) => steps.map(({ detail }) => detail));
}

/**
 * Returns the steps that read a whole table or index. `json_each` and results that the statement itself materialized do
 * not count.
 */
function fullScans(plan: readonly string[]): string[] {
  const made = new Set(plan.flatMap((step) => step.match(/^(?:MATERIALIZE|CO-ROUTINE) (\S+)/)?.[1] ?? []));
  return plan.filter((step) => {
    const [, table = ""] = step.match(/^SCAN (\S+)/) ?? step.match(/^SEARCH (\S+) USING AUTOMATIC/) ?? [];
    return table !== "" && table !== "CONSTANT" && !step.includes("VIRTUAL TABLE") && !made.has(table);
  });
}

/** Returns the statements that read a whole table, index or directory without an exception, each with its plan. */
export async function badPlans(
  database: D1Database,
  queries: readonly string[],
  exceptions: readonly Exception[] = EXCEPTIONS,
): Promise<string[]> {
  if (queries.length === 0) return [];
  const plans = await explain(database, queries);
  return queries.flatMap((query, index) => {
    const plan = plans[index] ?? [];
    const scans = fullScans(plan).filter(
      (step) => !exceptions.some((exception) => exception.statement.test(query) && exception.step.test(step)),
    );
    const bad = [...scans, ...wholeDirectories(query, plan)];
    return bad.length === 0 ? [] : [`${bad.join(", ")}\n${query}\n${plan.join("\n")}`];
  });
}

const { feedTokens, ...deliveryFeeds } = feeds;
const planeOf = new Map<string, "control" | "delivery">();
for (const [plane, schema] of Object.entries({
  control: { ...control, ...credentials, ...singleUse, ...signOn, ...alarms, feedTokens },
  delivery: { ...delivery, ...events, ...operators, ...deliveryFeeds },
} as const)) {
  for (const table of Object.values(schema)) planeOf.set(getTableName(table), plane as "control" | "delivery");
}

/**
 * Returns the statements that name tables of both planes. None may, because a tenant's delivery plane can be in another
 * database.
 */
export function statementsAcrossPlanes(queries: readonly string[]): string[] {
  return queries.filter((query) => {
    const tables = [...query.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+[`"]?(\w+)/gi)].map(([, table = ""]) => table);
    return new Set(tables.flatMap((table) => planeOf.get(table) ?? [])).size > 1;
  });
}

/** The stores of the apps that people sign in to, each with a statement of its own. */
export const STORES_OF_APPS: Readonly<Record<string, RegExp>> = {
  "oauth/apps": /WITH mine AS/,
  "oauth/apps/rules": /INSERT INTO oauth_rules/,
  "oauth/apps/tell-store": /ORDER BY due_at DESC LIMIT/,
  "oauth/authorization": /INSERT INTO oauth_consents/,
  "oauth/clients": /UPDATE oauth_clients SET previous_hash/,
  "oauth/clients/endings-store": /FROM oauth_endings WHERE at </,
  "oauth/clients/unlisted/listed-store": /c\.kind = 'listed'/,
  "oauth/clients/unlisted/unlisted-store": /oauth_clients\.kind <> 'registered'/,
  "oauth/our-api": /JOIN oauth_clients c ON c\.id = g\.client_id JOIN users u.*r\.id = 'api'/s,
  "oauth/resources": /INSERT INTO oauth_resources/,
  "oauth/tokens/introspect-store": /r\.identifier AS audience/,
  "oauth/tokens/machine-store": /CROSS JOIN tenants t ON/,
  "oauth/clients/starts-store": /AS initiateLoginUrl/,
  "oauth/clients/logout-store": /enabled,\s+options, created_at, updated_at\)/,
  "oauth/tokens": /INSERT INTO oauth_grants/,
  "oauth/tokens/offline-store": /UPDATE oauth_grants SET generation/,
};

/** A statement of each store of connections, domains and people who sign on. */
export const STORES_OF_SIGN_ON: Readonly<Record<string, RegExp>> = {
  "sign-on/domains": /INSERT INTO domains .* ON CONFLICT .* DO NOTHING/s,
  "sign-on/domains/daily-store": /INDEXED BY domains_proved/,
  "service/domains/move-store": /INSERT INTO domains .*'platform'/s,
  "sign-on/connections": /INSERT INTO connections/,
  "sign-on/discovery": /INDEXED BY domains_proved CROSS JOIN connections/,
  "sign-on/discovery/link-store": /SELECT 1 WHERE NOT EXISTS/,
  "sign-on/flow/connection-store": /c\.kind <> 'directory'\) LIMIT 2/,
  "sign-on/logout": /INSERT INTO audit_events .* idp_sid = /s,
  "sign-on/policy/begin-store": /UPDATE tenants SET sign_on_begun_at = \?/,
  "sign-on/rules/judged-store": /r\.value ->> 'group' IN \(g\.id, g\.display_name\)/,
  "sign-on/connections/deletion-store": /DELETE FROM connections WHERE id/,
  "sign-on/connections/removed-store": /printf\('removed/,
  "sign-on/rules/jobs-store": /INSERT INTO directory_jobs/,
  "sign-on/setup-links": /INSERT INTO portal_links .*'setup'/s,
  "identity/policy/enforcement-store": /SET sign_on = NULL, sign_on_from = NULL/,
  "identity/policy/open-connection-store": /c\.kind <> 'directory'\)/,
  "identity/policy/sign-on-store": /c\.kind <> 'directory'\)\s+ORDER BY EXISTS \(SELECT 1 FROM connection_identities/,
  "identity/tokens/sign-on-due-store": /INDEXED BY tenants_sign_on CROSS JOIN memberships m/,
  "sign-on/renewal": /SELECT c\.id,\s+c\.tenant_id AS tenantId, c\.name, c\.document,/,
  "sign-on/traces/failing-store": /SET failing_told_at/,
  "service/metrics/sign-on-store": /INDEXED BY sign_on_traces_refused/,
  "service/operators/sign-on-store": /failing_since AS failingSince/,
  "sign-on/traces": /INSERT INTO sign_on_traces/,
  "sign-on/people/account-store": /UPDATE connection_identities AS i SET last_used_at/,
  "sign-on/people/managed-store": /UPDATE users AS u SET email = .*k\.is_maker = 1/s,
  "sign-on/people/membership-store": /UPDATE memberships SET role = .* role_by = 'directory' AND role <> 'owner'/s,
  "sign-on/people/obstacle-store": /IS NULL AS isReserved/,
  "sign-on/people/opening-store": /AND c\.version = \? AND t\.suspended_at IS NULL/,
  "sign-on/people/record-store": /lr\.user_id = /,
  "sign-on/people/take-over-store": /email_verified_by = 'connection' WHERE id = /,
  "sign-on/people/world-store": /AS isHostedDomainProved/,
  "sign-on/people/write-store": /UPDATE connections SET last_sign_on_at/,
  "identity/recovery/revert-sign-on-store":
    /UPDATE connection_identities INDEXED BY \w+ SET removed_at = \?\s+WHERE id = /,
  "directory/callers": /FROM scim_tokens k CROSS JOIN connections/,
  "directory/due/due-store": /AS jobs,\s+EXISTS/,
  "directory/ending/ending-store": /AND kind <> 'roles' ORDER BY due_at/,
  "directory/groups/change-store": /UPDATE directory_groups SET/,
  "directory/groups/job-store": /FROM directory_jobs j CROSS JOIN connections/,
  "directory/groups/list-store": /fm\.person_id = \?/,
  "directory/groups/member-store": /m\.person_id IN \(SELECT value/,
  "directory/groups/preview-store": /j\.role IS NOT j\.has/,
  "directory/groups/read-store": /FROM directory_groups g\s+WHERE g\.connection_id = \? AND g\.id = \?/,
  "directory/groups/roles-store": /UPDATE memberships AS o SET role/,
  "directory/groups/ways-in-store": /SET reason = NULL,/,
  "directory/notices": /c\.directory_requested_at IS NOT NULL ORDER BY c\.id/,
  "directory/people": /d\.id AS place/,
  "directory/people/release-store": /FROM directory_users h/,
  "directory/tokens": /INSERT INTO scim_tokens/,
  "directory/users/account-store": /s\.subject = \?/,
  "directory/users/change-store": /g\.write_id = \?/,
  "directory/users/departure-store":
    /UPDATE connection_identities INDEXED BY \w+\s+SET last_used_at = \? WHERE user_id/,
  "directory/users/filter-store": /x\.has_more_emails = 1\)/,
  "directory/users/judge-again-store": /INDEXED BY directory_users_to_judge/,
  "directory/users/joining-store": /'connection', \?\s+WHERE EXISTS \(SELECT 1 FROM directory_users g/,
  "directory/users/list-store": /ORDER BY d\.id LIMIT \? OFFSET \?/,
  "directory/users/managed-store": /UPDATE users AS u SET name = .*g\.write_id/s,
  "directory/users/record-store": /d\.name_key = \?/,
  "directory/users/removal-store": /SET state = 'removed'/,
  "directory/users/take-over-store": /AND email = \? AND email_verified_at IS NULL/,
  "directory/users/tell-store": /SET directory_alarmed_at/,
  "directory/users/write-store": /INSERT INTO directory_users/,
  "tenancy/tenants/deactivated-store": /FROM connections dc WHERE .* FROM directory_users dd/s,
  "tenancy/tenants/room-store": /sum\(rc\.directory_active\)/,
  "lifecycle/exports/directory-store": /d\.record AS attributes/,
  "lifecycle/deletion/left-people-store": /\(d\.state_at, d\.connection_id, d\.id\) > /,
  "lifecycle/deletion/left-accounts-store": /\(i\.connection_id, i\.generation, i\.subject\)/,
};
