/** What is sealed in D1, for moving it to the newest key; across tenants, since a key belongs to the whole service. */
import { sql } from "drizzle-orm";
import { atomically, jsonList } from "../db/client";
import type { Deps } from "../deps";

/** The columns that hold sealed texts. */
const COLUMNS = {
  subscriptions: sql.identifier("secret_sealed"),
  users: sql.identifier("totp_secret_sealed"),
} as const;

export type SealedTable = keyof typeof COLUMNS;

export interface SealedRow {
  id: string;
  sealed: string;
}

/** Up to `limit` rows behind `afterId` that are sealed under another key than `keyId`, in the order of their ids. */
export async function findSealedUnderOtherKeys(
  { db }: Deps,
  table: SealedTable,
  { keyId, afterId, limit }: { keyId: string; afterId: string; limit: number },
): Promise<SealedRow[]> {
  const column = COLUMNS[table];
  const [rows] = await atomically(db, [
    sql`SELECT id, ${column} AS sealed FROM ${sql.identifier(table)}
      WHERE id > ${afterId} AND ${column} NOT LIKE ${`${keyId}.%`} ORDER BY id LIMIT ${limit}`,
  ]);
  return rows as SealedRow[];
}

/** Puts newly sealed texts in place of the old ones, where those still stand. */
export async function replaceSealed(
  { db }: Deps,
  table: SealedTable,
  changes: readonly (SealedRow & { resealed: string })[],
): Promise<void> {
  const column = COLUMNS[table];
  await atomically(db, [
    sql`UPDATE ${sql.identifier(table)} SET ${column} = t.resealed
      FROM (SELECT value ->> 'id' AS id, value ->> 'sealed' AS sealed, value ->> 'resealed' AS resealed
        FROM json_each(${jsonList(changes)})) t
      WHERE ${sql.identifier(table)}.id = t.id AND ${column} = t.sealed`,
  ]);
}
