/** Reading and replacing encrypted columns in D1. Spans tenants, because a key belongs to the whole service. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../db/client";

/** The tables with an encrypted column, and that column. */
const COLUMNS = {
  subscriptions: sql.identifier("secret_sealed"),
  users: sql.identifier("totp_secret_encrypted"),
} as const;

export type EncryptedTable = keyof typeof COLUMNS;

export interface EncryptedRow {
  id: string;
  encrypted: string;
}

/** Returns up to `limit` rows after `afterId` that are encrypted with another key than `keyId`, ordered by id. */
export async function findRowsUnderOtherKeys(
  db: Db,
  table: EncryptedTable,
  { keyId, afterId, limit }: { keyId: string; afterId: string; limit: number },
): Promise<EncryptedRow[]> {
  const column = COLUMNS[table];
  const { found } = await atomically(db, {
    found: rows<EncryptedRow>(sql`SELECT id, ${column} AS encrypted FROM ${sql.identifier(table)}
      WHERE id > ${afterId} AND ${column} NOT LIKE ${`${keyId}.%`} AND ${column} <> '' ORDER BY id LIMIT ${limit}`),
  });
  return found;
}

/** Replaces each ciphertext unless the row has changed since it was read. */
export async function replaceCiphertexts(
  db: Db,
  table: EncryptedTable,
  changes: readonly (EncryptedRow & { replacement: string })[],
): Promise<void> {
  const column = COLUMNS[table];
  await atomically(db, {
    replaced: sql`UPDATE ${sql.identifier(table)} SET ${column} = t.replacement
      FROM (SELECT value ->> 'id' AS id, value ->> 'encrypted' AS encrypted, value ->> 'replacement' AS replacement
        FROM json_each(${jsonList(changes)})) t
      WHERE ${sql.identifier(table)}.id = t.id AND ${column} = t.encrypted`,
  });
}
