/**
 * Migrations only go forward: a database that the first one made and people have filled goes through each of the later
 * ones.
 */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

type Migration = (typeof env.TEST_MIGRATIONS)[number];

interface Column {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
}

const database = env.MIGRATED;

const tablesOf = async () =>
  (
    await database
      .prepare(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '_cf%'
          AND name NOT LIKE 'd1_%'`,
      )
      .all<{ name: string }>()
  ).results.map(({ name }) => name);

/** One row with a value in each column that needs one. */
async function fill(table: string): Promise<void> {
  const { results: columns } = await database.prepare(`PRAGMA table_info(${table})`).all<Column>();
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  const values = needed.map(({ type }) => (type.toLowerCase() === "integer" ? "1" : "'[]'"));
  await database
    .prepare(`INSERT INTO ${table} (${needed.map(({ name }) => name).join(", ")}) VALUES (${values.join(", ")})`)
    .run();
}

test("each migration keeps the rows of the ones before it", async () => {
  const filled: string[] = [];
  for (const migration of env.TEST_MIGRATIONS) {
    await applyD1Migrations(database, env.TEST_MIGRATIONS.slice(0, env.TEST_MIGRATIONS.indexOf(migration) + 1));
    for (const table of await tablesOf()) {
      if (filled.includes(table)) continue;
      await fill(table);
      filled.push(table);
    }
  }
  expect(filled.length).toBeGreaterThan(15);
  for (const table of filled) {
    const row = await database.prepare(`SELECT count(*) AS n FROM ${table}`).first();
    // Its migration writes one.
    expect([table, row]).toEqual([table, { n: table === "publishers" ? 2 : 1 }]);
  }
});

/** Columns that are gone, and the first migration of a version whose code names them no more. */
const UNUSED_SINCE: Record<string, string> = { "users.known_devices": "0014_purges.sql" };

const UPDATED_AT = /^CREATE TRIGGER `(\w+?)(?:_metadata|_locale)?_updated` .* BEGIN UPDATE `\1` SET `updated_at` = /;

/**
 * The statements of the migration at `index` that could break the version before it, which still runs while they are
 * applied. What a new table gets is its own affair; for others, only plain indexes and columns that the old INSERTs may
 * leave out are added, and unique indexes with such a column that may be null, which old rows all have.
 */
function breaking(migrations: readonly Migration[], index: number): string[] {
  const { name = "", queries = [] } = migrations[index] ?? {};
  const statements = queries.map((query) =>
    query
      .replaceAll(/^--.*$/gm, "")
      .replaceAll(/[\s;]+/g, " ")
      .trim(),
  );
  const created = statements.map((statement) => statement.match(/^CREATE TABLE `(\w+)`/)?.[1]);
  const nullable = statements.flatMap((statement) => {
    const [, table, column] = statement.match(/^ALTER TABLE `(\w+)` ADD `(\w+)` (?:text|integer)$/) ?? [];
    return table ? [`${table}.${column}`] : [];
  });
  return statements.filter((statement) => {
    // The version before knows no directory: its tables have no rows yet.
    if (
      /^CREATE TRIGGER `directory_(users|groups)_\w+` AFTER \w+ (OF `state` )?ON `directory_(users|groups)` /.test(
        statement,
      )
    )
      return false;
    if (statement === "" || /^CREATE (TABLE|INDEX) `/.test(statement)) return false;
    // An index that the next statement makes again, with a column more.
    if (statement === "DROP INDEX `sessions_by_connection`") return false;
    // A column that is computed from others: no INSERT names it.
    if (/^ALTER TABLE `\w+` ADD `\w+` (text|integer) GENERATED ALWAYS AS .* VIRTUAL$/.test(statement)) return false;
    // What the version before does to a table goes on; only rows of tables that it does not know follow.
    if (/^CREATE TRIGGER `(sessions_end_grants|oauth_grants_revoke)` AFTER DELETE ON/.test(statement)) return false;
    // Nor what apps are told, which has subscriptions of its own.
    if (/^CREATE TRIGGER `(sessions_expire_grants|oauth_grants_log_out)` (AFTER|BEFORE) DELETE/.test(statement))
      return false;
    // The version before does not know when a row was updated.
    if (UPDATED_AT.test(statement)) return false;
    // Nor how many members a tenant has.
    if (
      /^CREATE TRIGGER `memberships_(un)?counted` .* BEGIN UPDATE `tenants` SET `member_count` = `member_count` /.test(
        statement,
      )
    )
      return false;
    if (/^UPDATE `tenants` SET `member_count` = \(SELECT count\(\*\) FROM `memberships` /.test(statement)) return false;
    // Nor who has published, and when. A trigger may be dropped after the one that does more.
    if (/^CREATE TRIGGER `events_published(_on)?` .* BEGIN INSERT INTO `publishers` /.test(statement)) return false;
    if (/^UPDATE `publishers` SET `newest_day` = .* WHERE `tenant_id` = ''$/.test(statement)) return false;
    if (statement === "DROP TRIGGER `events_published`") return false;
    // Nor when a password was taken away.
    if (/^CREATE TRIGGER `users_password_removed` .* BEGIN UPDATE `users` SET `password_removed_at` =/.test(statement))
      return false;
    const [, table] = statement.match(/^(?:CREATE UNIQUE INDEX `\w+` ON|INSERT(?: OR IGNORE)? INTO) `(\w+)`/) ?? [];
    const indexed = statement.match(/^CREATE UNIQUE .*? ON `\w+` \(([^)]*)\)/)?.[1]?.match(/\w+/g) ?? [];
    if (indexed.some((column) => nullable.includes(`${table}.${column}`))) return false;
    if (table) return !created.includes(table);
    if (/^ALTER TABLE `\w+` ADD `\w+` (text|integer|blob)( DEFAULT \S+ NOT NULL)?$/.test(statement)) return false;
    const [, from, column] = statement.match(/^ALTER TABLE `(\w+)` DROP COLUMN `(\w+)`$/) ?? [];
    const since = migrations.findIndex((migration) => migration.name === UNUSED_SINCE[`${from}.${column}`]);
    return !(since >= 0 && since < index && name !== "");
  });
}

test("no migration breaks the version before it", () => {
  const found = env.TEST_MIGRATIONS.map(({ name }, index) => [name, breaking(env.TEST_MIGRATIONS, index)]);
  expect(found).toEqual(env.TEST_MIGRATIONS.map(({ name }) => [name, []]));
});

test.each([
  "DROP TABLE `events`",
  "ALTER TABLE `users` DROP COLUMN `email`",
  "ALTER TABLE `users` RENAME COLUMN `email` TO `mail`",
  "ALTER TABLE `users` ADD `nick` text UNIQUE",
  "CREATE UNIQUE INDEX `one_name` ON `users` (`name`)",
  "UPDATE users SET name = ''",
  "INSERT INTO `users` SELECT * FROM `people`",
  "CREATE TRIGGER `t` AFTER INSERT ON `users` BEGIN SELECT 1; END",
])("a migration that does so is seen: %s", (statement) => {
  expect(breaking([{ name: "0001_bad.sql", queries: [statement] }], 0)).toHaveLength(1);
});

/** Tables with text keys. */
const WITHOUT_ROWID = [
  "alarms",
  "attempts",
  "audit_events",
  "audit_feeds",
  "catalog_files",
  "catalogs",
  "connection_identities",
  "connections",
  "dead_letters",
  "departed_tenants",
  "directory_groups",
  "directory_jobs",
  "directory_members",
  "directory_users",
  "domains",
  "episodes",
  "event_type_versions",
  "event_types",
  "events",
  "feed_consumers",
  "feed_entries",
  "feed_logs",
  "feed_tokens",
  "feed_types",
  "feeds",
  "hourly_stats",
  "idempotency_keys",
  "import_trials",
  "known_devices",
  "mail_codes",
  "manual_retries",
  "monthly_usage",
  "oauth_clients",
  "oauth_consents",
  "oauth_endings",
  "oauth_grants",
  "oauth_resources",
  "oauth_rules",
  "order_sequences",
  "outbox",
  "platform_key_hashes",
  "platform_sequences",
  "portal_links",
  "publish_rules",
  "publishers",
  "purge_members",
  "replay_jobs",
  "revocations",
  "scim_tokens",
  "sends_held",
  "sign_on_traces",
  "signing_keys",
  "source_errors",
  "sources",
  "subscription_events",
  "subscriptions",
  "token_signers",
  "used_states",
];

test("the delivery plane's tables keep no second index for their text keys", async () => {
  await applyD1Migrations(database, env.TEST_MIGRATIONS);
  const { results } = await database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%WITHOUT ROWID'")
    .all<{ name: string }>();
  expect(results.map(({ name }) => name).sort()).toEqual(WITHOUT_ROWID);
});
