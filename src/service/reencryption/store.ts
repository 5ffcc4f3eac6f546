/** Reading and replacing encrypted columns in D1. Spans tenants, because a key belongs to the whole service. */
import { type SQL, sql } from "drizzle-orm";
import { type Db, jsonList, query, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** An encrypted column, and the columns of its table's key. */
export interface EncryptedColumn {
  table: string;
  column: string;
  /** The member with the ciphertext, of a column that is JSON. */
  member?: string;
  key: readonly string[];
}

export interface EncryptedRow {
  key: string[];
  encrypted: string;
}

/** The ciphertext in a row, as SQL. */
const ciphertextIn = ({ column, member }: EncryptedColumn): SQL =>
  member === undefined ? sql`${sql.identifier(column)}` : sql`${sql.identifier(column)} ->> ${`$.${member}`}`;

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
export async function readRowsUnderOtherKeys(
  db: Db,
  encrypted: EncryptedColumn,
  { keyId, after, limit }: { keyId: string; after: readonly string[]; limit: number },
): Promise<EncryptedRow[]> {
  const { table, key } = encrypted;
  const ciphertext = ciphertextIn(encrypted);
  const found = await query<{ key: string; encrypted: string }>(db)`SELECT json_array(${columnsOf(key)}) AS key,
    ${ciphertext} AS encrypted FROM ${sql.identifier(table)}
    WHERE (${columnsOf(key)}) > (${membersOf(sql`${jsonList(after)}`, key.length)})
      AND ${ciphertext} NOT LIKE ${`${keyId}.%`} AND ${ciphertext} <> '' ORDER BY ${columnsOf(key)} LIMIT ${limit}`;
  return found.map((row) => ({ key: JSON.parse(row.key) as string[], encrypted: row.encrypted }));
}

/** Replaces each ciphertext unless the row has changed since it was read. */
export async function replaceCiphertexts(
  db: Db,
  encrypted: EncryptedColumn,
  changes: readonly (EncryptedRow & { replacement: string })[],
): Promise<void> {
  const { table, key, member } = encrypted;
  const column = sql.identifier(encrypted.column);
  const replacement =
    member === undefined ? sql`t.replacement` : sql`json_set(${column}, ${`$.${member}`}, t.replacement)`;
  await query(db)`UPDATE ${sql.identifier(table)} SET ${column} = ${replacement}
    FROM (SELECT value ->> 'key' AS key, value ->> 'encrypted' AS encrypted, value ->> 'replacement' AS replacement
      FROM json_each(${jsonList(changes)})) t
    WHERE (${columnsOf(key)}) = (${membersOf(sql`t.key`, key.length)}) AND ${ciphertextIn(encrypted)} = t.encrypted`;
}

/** What the last pass over the encrypted columns of a database found. */
interface KeyCheck {
  /** The ids of the keys in SECRET_KEYS, newest first, comma-separated; "" before the first pass. */
  ring: string;
  /** A JSON array: the ids of the keys that secrets needed but SECRET_KEYS did not have. */
  missing: string;
  /** When that pass ended, Unix ms; 0 before the first pass. */
  checkedAt: number;
}

/** The row of a database in `key_checks`. */
const rowOf = (shard: number): number => shard + 1;

export async function readKeyCheck({ db }: Deps, shard: number): Promise<KeyCheck> {
  const check = await queryFirst<KeyCheck>(db)`SELECT ring, missing, checked_at AS checkedAt FROM key_checks
    WHERE id = ${rowOf(shard)}`;
  return check ?? { ring: "", missing: "[]", checkedAt: 0 };
}

/** Returns the ids of the keys that secrets of these databases need but SECRET_KEYS did not have. */
export async function readMissingKeys({ db, shards }: Pick<Deps, "db" | "shards">): Promise<string[]> {
  const keys = await query<{ id: string }>(db)`SELECT DISTINCT j.value AS id FROM key_checks k
    CROSS JOIN json_each(k.missing) j
    WHERE k.id IN (SELECT value FROM json_each(${jsonList(shards.numbers.map(rowOf))})) ORDER BY j.value`;
  return keys.map(({ id }) => id);
}

/** Notes what a pass found. */
export async function noteKeyCheck({ db }: Deps, shard: number, { ring, missing, checkedAt }: KeyCheck): Promise<void> {
  await query(db)`INSERT INTO key_checks (id, ring, missing, checked_at)
    VALUES (${rowOf(shard)}, ${ring}, ${missing}, ${checkedAt})
    ON CONFLICT (id) DO UPDATE SET ring = excluded.ring, missing = excluded.missing,
      checked_at = excluded.checked_at`;
}
