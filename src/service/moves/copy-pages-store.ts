/** Copying what a tenant has much of, page by page. Every page can be repeated, and be late. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, queryFirst, rows } from "../../base/db/client";
import { insertRows, type StoredRow } from "../../base/db/copy";
import { repeatable } from "../../base/db/faults";

/** A table with many rows of a tenant, and the column that follows the tenant in its key. */
const PAGED = {
  audit: { table: "audit_events", key: "id", type: "text", pageRows: 500 },
  numbers: { table: "order_sequences", key: "key", type: "text", pageRows: 5_000 },
  entries: { table: "feed_entries", key: "position", type: "integer", pageRows: 5_000 },
} as const;

type Paged = keyof typeof PAGED;

const after = (which: Paged, tenantId: string, key: string): SQL => {
  const { key: column, type } = PAGED[which];
  return sql`tenant_id = ${tenantId} AND ${sql.raw(column)} > CAST(${key} AS ${sql.raw(type)})`;
};

/**
 * Copies a page of a table after the key `from`. Returns the last key that was copied, and whether there may be more.
 */
export async function copyPage(
  [from, to]: readonly [Db, Db],
  tenantId: string,
  which: Paged,
  key: string,
): Promise<{ last: string; hasMore: boolean }> {
  const { table, key: column, pageRows } = PAGED[which];
  const { page } = await repeatable(() =>
    atomically(from, {
      page: rows<StoredRow>(sql`SELECT * FROM ${sql.raw(table)} WHERE ${after(which, tenantId, key)}
        ORDER BY ${sql.raw(column)} LIMIT ${pageRows}`),
    }),
  );
  if (page.length > 0) await write(to, which, page);
  return { last: String(page.at(-1)?.[column] ?? key), hasMore: page.length === pageRows };
}

/** A number of an order key only increases. */
const NEWER = sql`ON CONFLICT (tenant_id, key) DO UPDATE SET last = excluded.last, used_at = excluded.used_at
  WHERE order_sequences.last < excluded.last`;

const write = (to: Db, which: Paged, page: readonly StoredRow[]) =>
  repeatable(() =>
    atomically(to, {
      copied: insertRows(PAGED[which].table, page, sql`true`, which === "numbers" ? NEWER : undefined),
    }),
  );

/** How many events of any tenants a page looks at for those of the tenant. */
const PAGE_EVENTS = 5_000;

/**
 * Copies the numbers of the order keys that the tenant used in a page of the events of the database after the id
 * `afterId`. Ids are times, so this finds what has changed since one without a search for it. Returns the last id; null
 * at the end.
 */
export async function copyUsedNumbers(
  [from, to]: readonly [Db, Db],
  tenantId: string,
  afterId: string,
): Promise<string | null> {
  const { page } = await repeatable(() =>
    atomically(from, {
      page: rows<{ id: string; key: string | null }>(sql`SELECT id, iif(tenant_id = ${tenantId}, order_key, NULL) AS key
        FROM (SELECT id, tenant_id, order_key FROM events WHERE id > ${afterId} ORDER BY id LIMIT ${PAGE_EVENTS})`),
    }),
  );
  const keys = [...new Set(page.flatMap(({ key }) => key ?? []))];
  if (keys.length > 0) {
    const { numbers } = await repeatable(() =>
      atomically(from, {
        numbers: rows<StoredRow>(sql`SELECT q.* FROM json_each(${jsonList(keys)}) k CROSS JOIN order_sequences q
          ON q.tenant_id = ${tenantId} AND q.key = k.value`),
      }),
    );
    await write(to, "numbers", numbers);
  }
  return page.length === PAGE_EVENTS ? (page.at(-1)?.id ?? null) : null;
}

/** The most rows of a table that are counted for the operator. */
const COUNTED_ROWS = 100_000;

/** How many rows of a table are left to be copied after a key, up to 100,000. */
export async function countLeft(from: Db, tenantId: string, which: Paged, key: string): Promise<number> {
  const found = await queryFirst<{ count: number }>(from)`SELECT count(*) AS count FROM (SELECT 1
    FROM ${sql.raw(PAGED[which].table)} WHERE ${after(which, tenantId, key)} LIMIT ${COUNTED_ROWS})`;
  return found?.count ?? 0;
}
