/** Purges on a clock that the test moves, and a search of every table for what should be gone. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableName, is, Table } from "drizzle-orm";
import { createDb } from "../../src/base/db/client";
import { newId } from "../../src/base/db/ids";
import { createDeps, type Deps } from "../../src/base/deps";
import * as audit from "../../src/base/tables/audit";
import * as control from "../../src/base/tables/control-plane";
import * as credentials from "../../src/base/tables/credentials";
import * as delivery from "../../src/base/tables/delivery";
import * as directory from "../../src/base/tables/directory";
import * as types from "../../src/base/tables/event-types";
import * as events from "../../src/base/tables/events";
import * as feeds from "../../src/base/tables/feeds";
import * as imports from "../../src/base/tables/imports";
import * as operators from "../../src/base/tables/operators";
import * as platform from "../../src/base/tables/platform";
import * as portal from "../../src/base/tables/portal";
import * as alarms from "../../src/base/tables/service";
import * as signOn from "../../src/base/tables/sign-on";
import * as singleUse from "../../src/base/tables/single-use";
import * as sources from "../../src/base/tables/sources";
import { MINUTE_MS } from "../../src/base/time";
import { continuePurges } from "../../src/lifecycle/deletion/purge";
import type { Person } from "./client";
import { faultyDatabase } from "./faults/bindings";
import { unpaused } from "./upkeep";

/** Makes a call to D1. It may do anything before, after or instead of `call`. */
export type Hook = <T>(name: string, call: () => Promise<T>, shard: number) => Promise<T>;

const DATABASES: readonly D1Database[] = [env.DB, env.SHARD_1];

const CALLS_PER_RUN = 250;

/** Runs the purges of every database once, with the clock `minutesFromNow` ahead. */
export async function purgeOnce(minutesFromNow: number, hook: Hook = (_, call) => call()): Promise<void> {
  const context = createExecutionContext();
  const real = await createDeps(env, context);
  const databases = DATABASES.map((database, shard) =>
    createDb(faultyDatabase(database, { call: (name, call) => hook(name, call, shard) }), real.trips),
  );
  const [db = real.db] = databases;
  const deps: Deps = {
    ...unpaused(real),
    db,
    shards: { ...real.shards, db: (shard) => databases[shard] ?? db },
    now: () => Date.now() + minutesFromNow * MINUTE_MS,
  };
  const before = deps.trips.trips;
  const isOver = () => deps.trips.trips - before >= CALLS_PER_RUN;
  try {
    for (const shard of deps.shards.numbers) await continuePurges(deps, shard, "", isOver);
  } finally {
    await waitOnExecutionContext(context);
  }
}

export const openPurges = async (): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM purges").first<number>("n")) ?? 0;

/** Runs the purges until they have ended, with the clock `days` ahead, so that all of them are due. */
export async function purgeAll(days = 0): Promise<void> {
  for (let minutes = 3; minutes < 60; minutes += 1) {
    await purgeOnce(days * 24 * 60 + minutes);
    if ((await openPurges()) === 0) return;
  }
  throw new Error("the purges do not end");
}

interface Column {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
  /** Not 0 for a column of the key. */
  pk: number;
}

interface StoredTable {
  shard: number;
  name: string;
  columns: Column[];
}

/** Every table, as the migrations made it, once they are read. */
let tables: StoredTable[] | undefined;

/** Every table of every database. */
async function allTables(): Promise<StoredTable[]> {
  tables ??= (await Promise.all(DATABASES.map(tablesIn))).flat();
  return tables;
}

async function tablesIn(database: D1Database, shard: number): Promise<StoredTable[]> {
  const { results } = await database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*' AND name NOT GLOB 'd1_*'")
    .all<{ name: string }>();
  // `revocations` holds ids of what has ended, for 16 minutes, so that other services learn of it.
  const names = results.map(({ name }) => name).filter((name) => !name.startsWith("sqlite_") && name !== "revocations");
  const infos = await database.batch<Column>(names.map((name) => database.prepare(`PRAGMA table_info(${name})`)));
  return names.map((name, index) => ({ shard, name, columns: infos[index]?.results ?? [] }));
}

/**
 * Returns where a text occurs, in any column of any table: "0 users.email". Tables of the control plane are empty in
 * other databases.
 */
export async function occurrencesOf(text: string): Promise<string[]> {
  const all = await allTables();
  const found = DATABASES.map(async (database, shard) => {
    const searched = all.filter((table) => table.shard === shard);
    const counted = await database.batch<object>(
      searched.map(({ name, columns }) => {
        const counts = columns.map((column) => `sum(instr("${column.name}", ?1) > 0) AS "${column.name}"`);
        return database.prepare(`SELECT ${counts.join(", ")} FROM ${name}`).bind(text);
      }),
    );
    return searched.flatMap(({ name }, index) =>
      Object.entries(counted[index]?.results[0] ?? {}).flatMap(([column, count]) =>
        count ? [`${shard} ${name}.${column}`] : [],
      ),
    );
  });
  return (await Promise.all(found)).flat().sort();
}

/** The ids in a made-up row. */
interface Ids {
  person: Pick<Person, "userId" | "email">;
  tenantId: string;
  webhookId: string;
}

/**
 * Returns what a column holds in a made-up row, by its name. A new table whose ids have other names needs a line here.
 */
const contentOf = (column: Column, { person, tenantId, webhookId }: Ids): string | number | undefined => {
  const ids: Record<string, string> = {
    id: newId(),
    tenant_id: tenantId,
    user_id: person.userId,
    subject_id: person.userId,
    invited_by: person.userId,
    accepted_by: person.userId,
    actor_id: person.userId,
    email: person.email,
    actor_name: person.email,
    subscription_id: webhookId,
    key_hash: newId(),
    entries: JSON.stringify([{ line: 1, outcome: "created", userId: person.userId }]),
    actor_kind: "user",
    action: "auth.login",
    tenants: JSON.stringify([tenantId, newId()]),
    ip: "198.51.100.9",
    user_agent: "a browser",
  };
  const known = ids[column.name];
  if (known !== undefined || column.notnull === 0 || column.dflt_value !== null) return known;
  if (column.type.toLowerCase() === "integer") return 1;
  return column.pk > 0 ? newId() : "[]";
};

const HOLDS_PERSON = new Set(["user_id", "subject_id", "invited_by", "accepted_by", "actor_id", "email"]);
/** The service itself creates the rows of these tables. */
const REAL = new Set(["users", "tenants", "memberships", "purges", "purge_members"]);
/** These tables have no rows of people or tenants. */
const IMPERSONAL = new Set([
  "shards",
  "dead_letters",
  "alarms",
  "mail_failures",
  "legacy_login_failures",
  "key_checks",
  "first_keys",
  "token_signers",
  "platform_key_hashes",
  "platform_rules",
  "platform_feed",
  // Found through their sources.
  "source_errors",
  // Found through their connections.
  "sign_on_traces",
  "directory_groups",
  "directory_members",
]);

const namesOf = (schema: object) =>
  Object.values(schema).flatMap((value) => (is(value, Table) ? [getTableName(value)] : []));
const { feedTokens, ...deliveryFeeds } = feeds;
const { catalogs, ...deliveryTypes } = types;
const CONTROL = new Set(
  [
    ...[control, credentials, singleUse, alarms, platform, sources, imports, portal, signOn, directory],
    { feedTokens, catalogs },
  ].flatMap(namesOf),
);
const DELIVERY = new Set([delivery, events, deliveryTypes, operators, audit, deliveryFeeds].flatMap(namesOf));

/**
 * Adds a row to each table, in the database of a tenant with this shard; with `ofPersons`, only to tables with a column
 * for a person.
 */
export async function fillTables(ids: Ids, tenantShard: number, { ofPersons = false } = {}): Promise<void> {
  const all = await allTables();
  const isFilled = ({ shard, name, columns }: StoredTable): boolean => {
    const isUsed = (shard === 0 && CONTROL.has(name)) || (shard === tenantShard && DELIVERY.has(name));
    if (!isUsed || REAL.has(name) || IMPERSONAL.has(name)) return false;
    return !ofPersons || columns.some((column) => HOLDS_PERSON.has(column.name));
  };
  await Promise.all(
    DATABASES.map(async (database, shard) => {
      const filled = all.filter((table) => table.shard === shard && isFilled(table));
      if (filled.length > 0) await database.batch(filled.map((table) => insertInto(database, table, ids)));
    }),
  );
}

function insertInto(database: D1Database, { name, columns }: StoredTable, ids: Ids): D1PreparedStatement {
  const isAlert = name === "alert_mails";
  const contents = columns.flatMap((column) => {
    const content = contentOf(column, ids);
    if (content === undefined) return [];
    const isComposed = isAlert && column.name === "id";
    return [[column.name, isComposed ? `${newId()}:${ids.tenantId}:${ids.person.userId}` : content] as const];
  });
  const names = contents.map(([column]) => `"${column}"`).join(", ");
  const marks = contents.map(() => "?").join(", ");
  // A row of a person that has no other key may be there.
  const insert = database.prepare(`INSERT OR IGNORE INTO ${name} (${names}) VALUES (${marks})`);
  return insert.bind(...contents.map(([, content]) => content));
}

/** Returns the tables of a delivery database that have a row with one of these texts. */
export async function tablesOf(texts: readonly string[], shard: number): Promise<string[]> {
  const places = (await Promise.all(texts.map(occurrencesOf))).flat();
  const tables = places
    .filter((place) => place.startsWith(`${shard} `))
    .map((place) => place.slice(2).replace(/\..*/, ""));
  return [...new Set(tables)].filter((table) => DELIVERY.has(table)).sort();
}

/** Returns the tables without a row that contains one of these texts, in the database for a tenant with this shard. */
export async function tablesWithout(texts: readonly string[], tenantShard: number): Promise<string[]> {
  const found = (await Promise.all(texts.map(occurrencesOf))).flat().map((place) => place.replace(/\..*/, ""));
  const expected = [
    ...[...CONTROL].map((name) => `0 ${name}`),
    ...[...DELIVERY].map((name) => `${tenantShard} ${name}`),
  ];
  return expected
    .filter((place) => !found.includes(place))
    .map((place) => place.slice(2))
    .sort();
}
