/** The tables of the service. */
import { env } from "cloudflare:workers";

let applied: Promise<unknown> | undefined;

/** Applies the migrations, once in each runtime. `migrations.test.ts` applies them one by one. */
export function migrate(): Promise<unknown> {
  applied ??= Promise.all([env.DB, env.SHARD_1].map(applyTo));
  return applied;
}

/** Applies them in one round trip. */
const applyTo = (database: D1Database) =>
  database.batch(env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).map((query) => database.prepare(query)));
