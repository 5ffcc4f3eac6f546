/**
 * Applies migrations to the local databases, as `wrangler d1 migrations apply --local` does, which starts workerd anew
 * for each of them.
 */
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { ROOT } from "../bundle.ts";
import { readMigrations } from "../migrations.ts";

/** The table in which wrangler notes what it has applied. */
export const NOTES = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** The name of the Worker that has only the databases. */
export const DATABASES_WORKER = "databases";

/**
 * Brings every database up to date, and then does `work` with them. The options must be those of the databases alone.
 * The service's sweep would start to send what is owed, and lose the results when this ends. And each binding blocks
 * this thread until workerd answers, which a busy service may never do: it waits for this thread to read its log.
 */
export async function withDatabases<T>(
  databases: MiniflareOptions,
  work: (miniflare: Miniflare) => Promise<T>,
): Promise<T> {
  const miniflare = new Miniflare(databases);
  try {
    await migrateRunning(miniflare, DATABASES_WORKER);
    return await work(miniflare);
  } finally {
    await miniflare.dispose();
  }
}

/** Brings every database that a Worker binds up to date, while the Worker runs. */
export async function migrateRunning(miniflare: Miniflare, worker: string): Promise<void> {
  const bindings = Object.entries(await miniflare.getBindings<Record<string, unknown>>(worker));
  for (const [name] of bindings.filter(([binding]) => isDatabase(binding))) {
    const count = await migrateOne(await miniflare.getD1Database(name, worker));
    if (count > 0) console.log(`Applied ${count} migrations to ${name}.`);
  }
}

/** The names that `src/base/db/shards.ts` knows. */
const isDatabase = (binding: string): boolean => /^(DB|SHARD_\d+)$/.test(binding);

/** Returns how many migrations were missing. */
async function migrateOne(database: Awaited<ReturnType<Miniflare["getD1Database"]>>): Promise<number> {
  await database.prepare(NOTES).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const missing = readMigrations(join(ROOT, "migrations")).filter(({ name }) => !applied.has(name));
  for (const { name, statements } of missing) {
    const note = database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    // In one text, because each call of `prepare` from Node takes some milliseconds.
    await database.batch([database.prepare(statements.join("\n")), note]);
  }
  return missing.length;
}
