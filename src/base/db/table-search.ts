/** Going through a whole table page by page, in the order of its key, for rows that no index leads to. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, rows } from "./client";
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
  /** The columns that the condition reads besides the key. */
  columns: readonly string[];
  condition: SQL;
  /** What the rows are set to; they are deleted if it is missing. The condition must not hold afterwards. */
  set?: SQL;
  /** Deletes what depends on the rows with these keys. Runs before the rows are changed. */
  dependents?: (keys: SQL) => SQL;
}

const list = (names: readonly string[]) => sql.raw(names.join(", "));

/**
 * Searches the page after `cursor` ("" is the beginning): `examined` rows, of which it changes at most `changed`. While
 * it changes that many, the next page begins at the same place.
 */
export async function searchPage(
  db: Db,
  search: Search,
  cursor: string,
  { examined: examinedRows, changed: changedRows }: { examined: number; changed: number },
): Promise<MaintenancePage> {
  const { table, key, first = key.map(() => ""), columns, condition, set, dependents } = search;
  const from = cursor === "" ? first : (JSON.parse(cursor) as (string | number)[]);
  const after = sql.join(
    from.map((value) => sql`${value}`),
    sql`, `,
  );
  const examined = (names: readonly string[]) =>
    sql`SELECT ${list(names)} FROM ${sql.raw(table)} WHERE (${list(key)}) > (${after}) ORDER BY ${list(key)}`;
  const keys = sql`(SELECT ${list(key)} FROM (${examined([...key, ...columns])} LIMIT ${examinedRows})
    WHERE ${condition} LIMIT ${changedRows})`;
  const change = set ? sql`UPDATE ${sql.raw(table)} SET ${set}` : sql`DELETE FROM ${sql.raw(table)}`;
  const { last, count } = await atomically(db, {
    // First: the other statements remove rows.
    last: rows<Record<string, string | number>>(sql`${examined(key)} LIMIT 1 OFFSET ${examinedRows - 1}`),
    dependents: dependents?.(keys),
    changed: sql`${change} WHERE (${list(key)}) IN ${keys}`,
    count: CHANGES,
  });
  const changed = countOf(count);
  const [end] = last;
  if (changed === changedRows && changedRows < examinedRows) return { count: changed, next: cursor };
  return { count: changed, next: end ? JSON.stringify(key.map((name) => end[name])) : null };
}
