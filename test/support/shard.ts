/** About half of the test files have their tenants in the second delivery database, so that the suite covers both. */
import { env } from "cloudflare:workers";
import { CLOSED_AT, MAX_SHARD_BYTES } from "../../src/base/db/shard-sizes-store";

/** The number of the delivery database for the tenants of the current test file. */
export let SHARD = 0;

/** The database itself. */
export let deliveryDb: D1Database = env.DB;

/** Chooses the database by the name of the test file that begins. */
export async function chooseShard(testPath: string): Promise<void> {
  const nameCodes = [...(testPath.split("/").at(-1) ?? "")].map((character) => character.charCodeAt(0));
  SHARD = nameCodes.reduce((sum, code) => sum + code, 0) % 2;
  deliveryDb = SHARD === 0 ? env.DB : env.SHARD_1;
  await closeOtherShard();
}

/** Marks the other database as closed, so that new tenants get this one. */
export async function closeOtherShard(): Promise<void> {
  await env.DB.prepare("INSERT OR REPLACE INTO shards (shard, bytes, noted_at) VALUES (?1, 0, 0), (?2, ?3, 0)")
    .bind(SHARD, 1 - SHARD, CLOSED_AT * MAX_SHARD_BYTES)
    .run();
}
