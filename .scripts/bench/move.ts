/** For how long a tenant with a feed of 250,000 entries is refused while it moves to another database. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, createAccount, publishCall, tenantOf } from "./account.ts";
import type { Database } from "./database.ts";
import { createClient } from "./load.ts";
import { upkeepUntil } from "./retention.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";

const ENTRIES = 250_000;
/** Few enough rows, because D1 limits the time of one statement. */
const ROWS_PER_STATEMENT = 50_000;
const PUBLISH_EVERY_MS = 50;
const CONNECTIONS = 16;
/** The most seconds of 503 in all. */
const MOST_SECONDS = 2;

/** Publishes all the time of a move. Returns what to print: how long it took, and for how long publishes got 503. */
export async function measureMove(run: Run): Promise<string[]> {
  const service = await serve(run.bundles, { deliver: false, hasShard: true });
  const client = createClient(service.base, CONNECTIONS);
  try {
    const { database, shard = database } = service;
    const { headers, ...account } = await createAccount(client);
    const tenantId = await tenantOf({ headers, ...account });
    await ask(client, { method: "POST", path: "/api/v1/feeds", headers, body: { name: "all", events: ["*"] } });
    run.progress("moves: seeding a feed");
    const entries = run.scaled(ENTRIES);
    const place = await database
      .prepare("SELECT shard FROM tenants WHERE id = ?")
      .bind(tenantId)
      .first<number>("shard");
    await seedEntries(place === 0 ? database : shard, tenantId, entries);
    await database
      .prepare(`INSERT INTO tenant_moves (id, tenant_id, from_shard, to_shard, step, created_at)
        SELECT 'move', id, shard, 1 - shard, 'copy', ? FROM tenants WHERE id = ?`)
      .bind(Date.now(), tenantId)
      .run();
    run.progress("moves: moving");
    const startMs = performance.now();
    let hasMoved = false;
    const moved = upkeepUntil(service, "* * * * *", async () => !(await isMoved(database))).finally(() => {
      hasMoved = true;
    });
    const refusedMs: number[] = [];
    let published = 0;
    const publish = async () => {
      const sentMs = performance.now();
      const { status } = await client.send(publishCall({ headers, ...account }, "Published", published));
      published += 1;
      if (status === 503) refusedMs.push(sentMs);
      else if (status !== 202) throw new Error(`publish: ${status}`);
    };
    const underWay: Promise<void>[] = [];
    while (!hasMoved) {
      underWay.push(publish());
      await sleep(PUBLISH_EVERY_MS);
    }
    await Promise.all([moved, ...underWay]);
    const seconds = (performance.now() - startMs) / 1000;
    const refused = (refusedMs.length * PUBLISH_EVERY_MS) / 1000;
    const isMet = refused <= MOST_SECONDS;
    return [
      `A move of ${entries.toLocaleString("en")} feed entries took ${seconds.toFixed(1)} s. ${refusedMs.length} of ` +
        `${published} publishes got 503, for ${refused.toFixed(2)} s in all (at most ${MOST_SECONDS}: ` +
        `${isMet ? "met" : "MISSED"}).`,
    ];
  } finally {
    client.close();
    await service.stop();
  }
}

async function seedEntries(shard: Database, tenantId: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    await shard
      .prepare(`WITH RECURSIVE n(i) AS (SELECT ?1 + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
        INSERT INTO feed_entries (tenant_id, position, event_id, type) SELECT ?3, i, 'gone' || i, 'Published' FROM n`)
      .bind(from, Math.min(from + ROWS_PER_STATEMENT, count), tenantId)
      .run();
  }
}

/** The tenant uses its new database; the upkeep goes on with what it has left in the other. */
const isMoved = async (database: Database): Promise<boolean> =>
  (await database.prepare("SELECT moved_at AS at FROM tenant_moves WHERE id = 'move'").first<number>("at")) !== null;
