/** What tenants keep is counted in every table, page by page, in bounded memory. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { newId, newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { COUNTED_TABLES, type CountedTable } from "../../src/webhooks/stats/counted-tables";
import { addTo } from "../../src/webhooks/stats/largest";
import { countStoredBytes } from "../../src/webhooks/stats/stored-bytes";
import { countPage, type RowKey, withControlPlane } from "../../src/webhooks/stats/stored-bytes-store";
import { signUp } from "../support/client";
import { deliveryDb, SHARD } from "../support/shard";
import { unpaused } from "../support/upkeep";

interface Column {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
  pk: number;
}

const TEXT = "x".repeat(100);
const realDeps = (changes: object = {}) => createDeps({ ...env, ...changes } as Env, createExecutionContext());

/** Inserts rows with the columns that a row needs, and with those that are counted. */
async function fill(database: D1Database, table: CountedTable, owner: string, count: number): Promise<void> {
  const { results } = await database.prepare(`PRAGMA table_info(${table.table})`).all<Column>();
  const needed = results.filter(
    ({ name, notnull, dflt_value, pk }) =>
      pk > 0 || table.texts.includes(name) || (notnull === 1 && dflt_value === null),
  );
  const cellOf = ({ name, type }: Column, n: number) => {
    if (name === table.owner) return owner;
    if (table.key.at(-1) === name) return type.toLowerCase() === "integer" ? n : `${owner}${n}`.padEnd(100, "x");
    if (type.toLowerCase() === "integer") return 1;
    return table.texts.includes(name) ? TEXT : "[]";
  };
  const names = needed.map(({ name }) => name).join(", ");
  const insert = database.prepare(`INSERT INTO ${table.table} (${names}) VALUES (${needed.map(() => "?").join(", ")})`);
  await database.batch(
    Array.from({ length: count }, (_, n) => insert.bind(...needed.map((column) => cellOf(column, n)))),
  );
}

const subscriptionOf = async (tenantId: string): Promise<string> => {
  const id = newId();
  await deliveryDb
    .prepare(
      `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
         updated_at) VALUES (?1, ?2, '', '', '[]', '', '', 1, 1, 1)`,
    )
    .bind(id, tenantId)
    .run();
  return id;
};

test.each(COUNTED_TABLES.map((table) => [table.table, table] as const))(
  "a row of %s counts with its texts, wherever a page ends",
  async (_, table) => {
    const tenantId = newId();
    const owner = table.owner === "tenant_id" ? tenantId : await subscriptionOf(tenantId);
    await fill(deliveryDb, table, owner, 5);
    const db = (await realDeps()).shards.db(SHARD);
    let bytes = 0;
    let next: RowKey | null = null;
    do {
      const page: Awaited<ReturnType<typeof countPage>> = await countPage(db, table, {
        after: next,
        limit: 2,
        nowMs: Date.now(),
      });
      for (const kept of page.kept) if (kept.tenantId === tenantId) bytes += kept.bytes;
      next = page.next;
    } while (next !== null);
    expect(bytes).toBe(5 * (table.bytes + TEXT.length * table.texts.length));
  },
);

test("of the audit log, only changes of the last 90 days count, and no sign-ins", async () => {
  const tenantId = newId();
  const insert = deliveryDb.prepare(
    "INSERT INTO audit_events (tenant_id, id, action, actor_kind) VALUES (?, ?, ?, 'user')",
  );
  const [now, old] = [Date.now(), Date.now() - 91 * 86_400_000];
  await deliveryDb.batch([
    insert.bind(tenantId, newIdAt(now), "webhook.updated"),
    insert.bind(tenantId, newIdAt(now), "auth.login_failed"),
    insert.bind(tenantId, newIdAt(old), "webhook.updated"),
  ]);
  const log = COUNTED_TABLES.find(({ table }) => table === "audit_events");
  if (!log) throw new Error("the audit log is not counted");
  const db = (await realDeps()).shards.db(SHARD);
  const { kept } = await countPage(db, log, { after: [tenantId, ""], limit: 3, nowMs: now });
  expect(kept).toEqual([{ tenantId, bytes: log.bytes }]);
});

test("portal links, sources and their errors count for those who store the most", async () => {
  const tenantId = newId();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO portal_links (id, tenant_id, kind, hash, maker_kind, maker_id, permissions, created_at, expires_at)
       VALUES (?1, ?1, 'link', ?1, 'user', '', '[]', 1, 1)`,
    ).bind(tenantId),
    env.DB.prepare(
      `INSERT INTO sources (id, tenant_id, name, provider, secrets_sealed, options, is_enabled, created_at, updated_at)
       VALUES (?1, ?1, '', 'github', '', '{}', 1, 1, 1)`,
    ).bind(tenantId),
    env.DB.prepare(
      "INSERT INTO source_errors (source_id, reason, slot, at, count, bytes) VALUES (?1, 'signature', 0, 1, 1, 1)",
    ).bind(tenantId),
  ]);
  expect(await withControlPlane(await realDeps(), [{ tenantId, bytes: 1_000 }])).toEqual([
    { tenantId, bytes: 1_000 + 302 + 202 + 70 },
  ]);
});

test("a run reads each row once, and goes on where the run before it ended", async () => {
  const { tenantId } = await signUp();
  const count = 1_500;
  await deliveryDb
    .prepare(
      `INSERT INTO order_sequences (tenant_id, key, last, used_at)
       SELECT ?1, value || hex(zeroblob(400)), 1, 1 FROM json_each(?2)`,
    )
    .bind(tenantId, JSON.stringify(Array.from({ length: count }, (_, n) => 10_000 + n)))
    .run();
  const reads: number[] = [];
  const reading = {
    prepare: (text: string) => deliveryDb.prepare(text),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await deliveryDb.batch(statements);
      reads.push(results.reduce((sum, { meta }) => sum + meta.rows_read, 0));
      return results;
    },
  };
  const deps = await realDeps({ TENANT_STORED_MIB: "1", [SHARD === 0 ? "DB" : `SHARD_${SHARD}`]: reading });
  let runs = 0;
  for (let cursor: string | null = ""; cursor !== null; runs += 1) {
    let pages = 0;
    cursor = await countStoredBytes(unpaused(deps), SHARD, cursor, () => {
      pages += 1;
      return pages > 2;
    });
  }
  expect(runs).toBeGreaterThan(COUNTED_TABLES.length / 2);
  const noted = await env.DB.prepare("SELECT stored_bytes AS bytes FROM tenants WHERE id = ?").bind(tenantId).first();
  expect(noted).toEqual({ bytes: count * (60 + 805) });
  expect(Math.max(...reads)).toBeLessThanOrEqual(1_001);
  expect(reads.reduce((sum, read) => sum + read)).toBeLessThan(1.5 * count);
});

test("sums of many are kept in bounded memory, too low by a small share at most", () => {
  const large = Array.from({ length: 5 }, (_, n) => [`large ${n}`, 1_000 * (n + 1)] as const);
  const small = Array.from({ length: 1_000 }, (_, n) => [`small ${n}`, 1] as const);
  const kept = 20;
  let sums = {};
  for (let at = 0; at < small.length; at += 10) {
    sums = addTo(sums, [...small.slice(at, at + 10), ...(at % 200 === 0 ? large : [])], kept);
    expect(Object.keys(sums).length).toBeLessThanOrEqual(2 * kept);
  }
  const total = 5 * 15_000 + 1_000;
  for (const [id, amount] of large) {
    const sum = (sums as Record<string, number>)[id] ?? 0;
    expect(sum).toBeLessThanOrEqual(5 * amount);
    expect(sum).toBeGreaterThanOrEqual(5 * amount - total / kept);
  }
});
