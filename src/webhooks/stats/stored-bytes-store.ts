/** How many bytes each tenant keeps, counted across the tenants of one delivery database. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { DAY_MS } from "../../base/time";
import type { CountedTable } from "./counted-tables";

/** What a tenant keeps in some rows. */
export interface KeptBytes {
  tenantId: string;
  bytes: number;
}

/** The key of a row. */
export type RowKey = readonly (string | number)[];

type SizedRow = { owner: string; bytes: number } & Record<string, string | number>;

const list = (names: readonly string[]) => sql.raw(names.join(", "));

const RECENT_MS = 90 * DAY_MS;
/**
 * Whether an audit event is a recent change. Sign-ins do not count: strangers cause such events with wrong passwords.
 */
const isRecentChange = (nowMs: number) =>
  sql`id >= ${firstIdAt(nowMs - RECENT_MS)} AND substr(action, 1, 5) <> 'auth.'`;

/**
 * Counts a page of `limit` rows of a table after the key `after`; null is the beginning. Returns what tenants keep in
 * them, and the last key of the page; null at the end. Adding up here has D1 read each row once; its `GROUP BY` would
 * read a row five times.
 */
export async function countPage(
  db: Db,
  { table, key, owner, first = key.map(() => ""), bytes, texts, countsRecentChanges = false }: CountedTable,
  { after, limit, nowMs }: { after: RowKey | null; limit: number; nowMs: number },
): Promise<{ kept: KeptBytes[]; next: RowKey | null }> {
  const from = sql.join(
    (after ?? first).map((value) => sql`${value}`),
    sql`, `,
  );
  const size = sql.raw([bytes, ...texts.map((text) => `coalesce(octet_length(${text}), 0)`)].join(" + "));
  const counted = countsRecentChanges ? sql`iif(${isRecentChange(nowMs)}, ${size}, 0)` : size;
  const { found } = await atomically(db, {
    found: rows<SizedRow>(sql`SELECT ${list(key)}, ${sql.raw(owner)} AS owner, ${counted} AS bytes
      FROM ${sql.raw(table)} WHERE (${list(key)}) > (${from}) ORDER BY ${list(key)} LIMIT ${limit}`),
  });
  const sums = new Map<string, number>();
  for (const row of found) sums.set(row.owner, (sums.get(row.owner) ?? 0) + row.bytes);
  const last = found.length < limit ? undefined : found.at(-1);
  return {
    kept:
      owner === "tenant_id"
        ? [...sums].map(([tenantId, sum]) => ({ tenantId, bytes: sum }))
        : await ofTenants(db, sums),
    next: last === undefined ? null : key.map((name) => last[name] ?? ""),
  };
}

/** Finds the tenants of subscriptions. What is left of a subscription that is gone belongs to nobody. */
async function ofTenants(db: Db, sums: ReadonlyMap<string, number>): Promise<KeptBytes[]> {
  if (sums.size === 0) return [];
  return query<KeptBytes>(db)`SELECT s.tenant_id AS tenantId, j.value ->> 1 AS bytes
    FROM json_each(${jsonList([...sums])}) j CROSS JOIN subscriptions s ON s.id = j.value ->> 0`;
}

/** Adds what these tenants keep in the control plane. Their caps bound it, so it is read only for the largest. */
export async function withControlPlane({ db }: Pick<Deps, "db">, kept: readonly KeptBytes[]): Promise<KeptBytes[]> {
  if (kept.length === 0) return [];
  return query<KeptBytes>(db)`SELECT j.value ->> 'tenantId' AS tenantId, (j.value ->> 'bytes')
      + coalesce((SELECT sum(300 + octet_length(p.permissions) + coalesce(octet_length(p.theme), 0)
          + coalesce(octet_length(p.return_url), 0))
        FROM portal_links p WHERE p.tenant_id = j.value ->> 'tenantId'), 0)
      + coalesce((SELECT sum(200 + octet_length(s.secrets_sealed) + octet_length(s.options))
        FROM sources s WHERE s.tenant_id = j.value ->> 'tenantId'), 0)
      + 70 * (SELECT count(*) FROM sources s CROSS JOIN source_errors e ON e.source_id = s.id
        WHERE s.tenant_id = j.value ->> 'tenantId') AS bytes
    FROM json_each(${jsonList(kept)}) j`;
}
