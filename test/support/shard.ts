/** About half of the test files have their tenants in the second delivery database, so that the suite covers both. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { MAX_SHARD_BYTES } from "../../src/db/shard-sizes-store";

const path = expect.getState().testPath ?? "";
const nameCodes = [...(path.split("/").at(-1) ?? "")].map((character) => character.charCodeAt(0));

/** The number of the delivery database for the tenants of this test file. */
export const SHARD = nameCodes.reduce((sum, code) => sum + code, 0) % 2;

/** The database itself. */
export const deliveryDb: D1Database = SHARD === 0 ? env.DB : env.SHARD_1;

/** Marks the other database as full, so that new tenants get this one. */
export async function closeOtherShard(): Promise<void> {
  await env.DB.prepare("INSERT OR REPLACE INTO shards (shard, bytes, noted_at) VALUES (?1, 0, 0), (?2, ?3, 0)")
    .bind(SHARD, 1 - SHARD, MAX_SHARD_BYTES)
    .run();
}
