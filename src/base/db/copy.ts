/** Writing rows that were read from the same table of another database. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList } from "./client";

/** A row with all of its columns, as D1 returns it. Tables with blobs cannot be copied so. */
export type StoredRow = Record<string, string | number | null>;

/** D1 takes 2 MB a value, and a character has up to 3 bytes in UTF-8. */
const MAX_LIST_CHARACTERS = 600_000;

/**
 * Returns the statements that insert rows into a table: all of their columns, if `condition` on the row `j.value`
 * holds. `conflict` (SQL) is what to do with a row that exists; by default nothing.
 */
export function insertRows(
  table: string,
  rows: readonly StoredRow[],
  condition: SQL = sql`true`,
  conflict: SQL = sql`ON CONFLICT DO NOTHING`,
): SQL[] {
  const columns = Object.keys(rows[0] ?? {});
  const names = sql.raw(columns.map((column) => `"${column}"`).join(", "));
  const values = sql.raw(columns.map((column) => `j.value ->> '${column}'`).join(", "));
  return inLists(rows).map(
    (list) => sql`INSERT INTO ${sql.raw(table)} (${names}) SELECT ${values} FROM json_each(${list}) j
      WHERE ${condition} ${conflict}`,
  );
}

/** Returns the rows as JSON lists, each short enough for one value. */
function inLists(rows: readonly StoredRow[]): string[] {
  const lists: StoredRow[][] = [];
  let room = 0;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    if (lists.length === 0 || length > room) {
      lists.push([]);
      room = MAX_LIST_CHARACTERS;
    }
    lists.at(-1)?.push(row);
    room -= length;
  }
  return lists.map(jsonList);
}
