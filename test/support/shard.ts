/** Every other test file has its tenants in the second delivery database, so that the whole suite holds for both. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { MAX_SHARD_BYTES } from "../../src/db/shard-sizes-store";

const path = expect.getState().testPath ?? "";
const nameCodes = [...(path.split("/").at(-1) ?? "")].map((character) => character.charCodeAt(0));

/** The number of the database in which this file's tenants live. */
export const SHARD = nameCodes.reduce((sum, code) => sum + code, 0) % 2;

/** That database. */
export const deliveryDb: D1Database = SHARD === 0 ? env.DB : env.SHARD_1;

/** Makes new tenants live there: the other database is full. */
export async function closeOtherShard(): Promise<void> {
  await env.DB.prepare("INSERT OR REPLACE INTO shards (shard, bytes, noted_at) VALUES (?1, 0, 0), (?2, ?3, 0)")
    .bind(SHARD, 1 - SHARD, MAX_SHARD_BYTES)
    .run();
}
