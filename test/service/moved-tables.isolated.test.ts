/**
 * Which tables follow a tenant to another delivery database, and which are emptied behind it. A new table fails here
 * until that is decided.
 */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { createDb } from "../../src/base/db/client";
import { cleanPage } from "../../src/service/moves/clean-store";
import { copyPage } from "../../src/service/moves/copy-pages-store";
import { copySubscriptions } from "../../src/service/moves/copy-store";
import { copyVersions } from "../../src/service/moves/copy-versions-store";
import { type Person, signUpVerified } from "../support/client";
import { fillTables, tablesOf } from "../support/purges";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

/** Every table is filled and read. */
vi.setConfig({ testTimeout: 90_000 });

/** Retention empties them: open deliveries and the log end where they began. */
const HISTORY = ["attempts", "events", "idempotency_keys", "manual_retries", "outbox", "publishers", "replay_jobs"];
/** The first read after the move makes it again. */
const MADE_AGAIN = "catalog_files";
/** Says of the former database that the tenant has left it. */
const MARK = "departed_tenants";

const dbOf = (shard: number) => createDb(shard === 0 ? env.DB : env.SHARD_1, { trips: 0, sqlMs: 0, rowsWritten: 0 });
const [from, to] = [dbOf(SHARD), dbOf(1 - SHARD)];

async function filled(): Promise<Person & { webhookId: string }> {
  const person = await signUpVerified();
  const webhookId = await subscribe(person, newInbox("200").url);
  await fillTables({ person, tenantId: person.tenantId, webhookId }, SHARD);
  // Only an hour of failures follows.
  await deliveryDb.prepare("UPDATE hourly_stats SET failure_count = 1 WHERE subscription_id = ?").bind(webhookId).run();
  return { ...person, webhookId };
}

test("each table of a tenant follows it, but for its history", async () => {
  const { tenantId, webhookId } = await filled();
  const before = await tablesOf([tenantId, webhookId], SHARD);
  await copySubscriptions(from, to, tenantId);
  for (const which of ["audit", "numbers", "entries"] as const) await copyPage([from, to], tenantId, which, "");
  await copyVersions([from, to], tenantId);
  const after = await tablesOf([tenantId, webhookId], 1 - SHARD);
  expect(before.filter((table) => !after.includes(table))).toEqual([...HISTORY, MADE_AGAIN, MARK].sort());
});

test("nothing of a tenant is left in its former database, but for what retention empties", async () => {
  const { tenantId, webhookId } = await filled();
  for (let at: number | null = 0; at !== null; at = await cleanPage(from, tenantId, true, at));
  expect(await tablesOf([tenantId, webhookId], SHARD)).toEqual(["events", "outbox"]);
});
