/** Going through a whole table page by page, in the order of its key, for rows that no index leads to. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, jsonList, query } from "./client";
import type { MaintenancePage } from "./paged-maintenance";

/** A table and its key. */
export interface Keyed {
  table: string;
  key: readonly string[];
}

/** What to do with the rows of a table that a condition finds. */
export interface Search extends Keyed {
  /** A key that sorts before all others; empty texts if it is missing. */
  first?: readonly (string | number)[];
  /** A key that sorts after all those to search; missing for no end. */
  end?: readonly (string | number)[];
  /** The columns that the condition reads besides the key. */
  columns: readonly string[];
  condition: SQL;
  /** What the rows are set to; they are deleted if it is missing. The condition must not hold afterwards. */
  set?: SQL;
}

const list = (names: readonly string[]) => sql.raw(names.join(", "));

/** Rows that a page has found, and where it ends. */
interface FoundPage {
  /** Their keys, as JSON arrays. */
  keys: readonly unknown[];
  /** The cursor of the next page; null at the end. */
  next: string | null;
}

/**
 * Searches the page after `cursor` ("" is the beginning): `examined` rows, of which it changes at most `changed`. While
 * it finds more than that, the next page begins at the same place. Reads each row once, and what it changes again.
 */
export async function searchPage(
  db: Db,
  search: Search,
  cursor: string,
  { examined, changed }: { examined: number; changed: number },
): Promise<MaintenancePage> {
  const { table, key, condition, set } = search;
  const { keys, next } = await findPage(db, search, cursor, examined);
  if (keys.length === 0) return { count: 0, next };
  const given = jsonList(keys.slice(0, changed));
  const members = sql.raw(key.map((_, index) => `value ->> ${index}`).join(", "));
  // A row may have changed since it was found.
  const found = sql`(SELECT ${members} FROM json_each(${given}))`;
  const still = sql`(SELECT ${list(key)} FROM ${sql.raw(table)} WHERE (${list(key)}) IN ${found} AND ${condition})`;
  const change = set ? sql`UPDATE ${sql.raw(table)} SET ${set}` : sql`DELETE FROM ${sql.raw(table)}`;
  const { count } = await atomically(db, {
    changed: sql`${change} WHERE (${list(key)}) IN ${still}`,
    count: CHANGES,
  });
  return { count: countOf(count), next: keys.length > changed ? cursor : next };
}

const valuesOf = (key: readonly (string | number)[]): SQL =>
  sql.join(
    key.map((value) => sql`${value}`),
    sql`, `,
  );

async function findPage(db: Db, search: Search, cursor: string, examined: number): Promise<FoundPage> {
  const { table, key, first = key.map(() => ""), end, columns, condition } = search;
  const from = cursor === "" ? first : (JSON.parse(cursor) as (string | number)[]);
  const isBefore = end ? sql` AND (${list(key)}) < (${valuesOf(end)})` : sql``;
  const page = sql`SELECT ${list([...key, ...columns])} FROM ${sql.raw(table)}
    WHERE (${list(key)}) > (${valuesOf(from)})${isBefore} ORDER BY ${list(key)} LIMIT ${examined}`;
  const [row] = await query<{ keys: string; rows: number; last: string | null }>(db)`SELECT count(*) AS rows,
    json_group_array(json_array(${list(key)})) FILTER (WHERE ${condition}) AS keys,
    json_group_array(json_array(${list(key)})) ->> '$[#-1]' AS last FROM (${page})`;
  return { keys: JSON.parse(row?.keys ?? "[]") as unknown[], next: row?.rows === examined ? row.last : null };
}
