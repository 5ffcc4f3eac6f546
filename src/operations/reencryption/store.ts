/** Reading and replacing encrypted columns in D1. Spans tenants, because a key belongs to the whole service. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";

/** An encrypted column, and the columns of its table's key. */
export interface EncryptedColumn {
  table: string;
  column: string;
  key: readonly string[];
}

export interface EncryptedRow {
  key: string[];
  encrypted: string;
}

const columnsOf = (names: readonly string[]) => sql.join(names.map(sql.identifier), sql`, `);

/** The first `count` members of a JSON list, as SQL. */
const membersOf = (list: SQL, count: number) =>
  sql.join(
    Array.from({ length: count }, (_, index) => sql`${list} ->> ${sql.raw(String(index))}`),
    sql`, `,
  );

/**
 * Returns up to `limit` rows after the key `after` that are encrypted with a key other than `keyId`, in the order of
 * their keys.
 */
export async function findRowsUnderOtherKeys(
  db: Db,
  { table, column: name, key }: EncryptedColumn,
  { keyId, after, limit }: { keyId: string; after: readonly string[]; limit: number },
): Promise<EncryptedRow[]> {
  const column = sql.identifier(name);
  const { found } = await atomically(db, {
    found: rows<{ key: string; encrypted: string }>(
      sql`SELECT json_array(${columnsOf(key)}) AS key, ${column} AS encrypted FROM ${sql.identifier(table)}
        WHERE (${columnsOf(key)}) > (${membersOf(sql`${jsonList(after)}`, key.length)})
          AND ${column} NOT LIKE ${`${keyId}.%`} AND ${column} <> '' ORDER BY ${columnsOf(key)} LIMIT ${limit}`,
    ),
  });
  return found.map((row) => ({ key: JSON.parse(row.key) as string[], encrypted: row.encrypted }));
}

/** Replaces each ciphertext unless the row has changed since it was read. */
export async function replaceCiphertexts(
  db: Db,
  { table, column: name, key }: EncryptedColumn,
  changes: readonly (EncryptedRow & { replacement: string })[],
): Promise<void> {
  const column = sql.identifier(name);
  await atomically(db, {
    replaced: sql`UPDATE ${sql.identifier(table)} SET ${column} = t.replacement
      FROM (SELECT value ->> 'key' AS key, value ->> 'encrypted' AS encrypted, value ->> 'replacement' AS replacement
        FROM json_each(${jsonList(changes)})) t
      WHERE (${columnsOf(key)}) = (${membersOf(sql`t.key`, key.length)}) AND ${column} = t.encrypted`,
  });
}

/** What the last pass over the encrypted columns of a database found. */
interface KeyCheck {
  /** The ids of the keys in SECRET_KEYS, newest first, comma-separated; "" before the first pass. */
  ring: string;
  /** A JSON array: the ids of the keys that secrets needed but SECRET_KEYS did not have. */
  missing: string;
}

/** The row of a database in `key_checks`. */
const rowOf = (shard: number): number => shard + 1;

export async function readKeyCheck({ db }: Deps, shard: number): Promise<KeyCheck> {
  const { check } = await atomically(db, {
    check: rows<KeyCheck>(sql`SELECT ring, missing FROM key_checks WHERE id = ${rowOf(shard)}`),
  });
  return check[0] ?? { ring: "", missing: "[]" };
}

/** Returns the ids of the keys that secrets of these databases need but SECRET_KEYS did not have. */
export async function readMissingKeys({ db, shards }: Pick<Deps, "db" | "shards">): Promise<string[]> {
  const { keys } = await atomically(db, {
    keys: rows<{ id: string }>(sql`SELECT DISTINCT j.value AS id FROM key_checks k CROSS JOIN json_each(k.missing) j
      WHERE k.id IN (SELECT value FROM json_each(${jsonList(shards.numbers.map(rowOf))})) ORDER BY j.value`),
  });
  return keys.map(({ id }) => id);
}

/** Notes what a pass found. Writes nothing if the last pass found the same. */
export async function noteKeyCheck({ db }: Deps, shard: number, { ring, missing }: KeyCheck): Promise<void> {
  await atomically(db, {
    noted: sql`INSERT INTO key_checks (id, ring, missing) VALUES (${rowOf(shard)}, ${ring}, ${missing})
      ON CONFLICT (id) DO UPDATE SET ring = excluded.ring, missing = excluded.missing
        WHERE ring <> excluded.ring OR missing <> excluded.missing`,
  });
}
