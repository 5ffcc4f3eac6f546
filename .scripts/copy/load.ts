/** Loads a copy into a new D1 database, and compares what arrived. */
import { type CopyOfDatabase, quoted } from "./copy-of-database.ts";
import { type Page, pagesOf } from "./pages.ts";

/** Runs one statement. Returns its rows. */
export type Query = (sql: string, params?: readonly string[]) => Promise<Record<string, unknown>[]>;

const OTHER_TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`;

/**
 * Loads everything: tables, indexes, rows, and then triggers, which would change rows that arrive. Tells `progress`
 * each table with its rows when it is complete. Throws if the database is not empty, or if what it has afterwards
 * differs from the copy.
 */
export async function loadCopy(
  copy: CopyOfDatabase,
  query: Query,
  progress: (table: string, rows: number) => void,
): Promise<void> {
  const [found] = await query(OTHER_TABLES);
  if (found) throw new Error(`The database has tables already, such as ${found.name}. Load into a new one.`);
  for (const sql of [...copy.schema("table"), ...copy.schema("index")]) await query(sql);
  for (const [table, rows] of copy.counts()) {
    for (const page of pagesOf(copy, table)) await loadPage(query, table, page);
    const [counted] = await query(`SELECT count(*) AS rows FROM ${quoted(table)}`);
    if (counted?.rows !== rows) throw new Error(`${table} has ${counted?.rows} rows; the copy has ${rows}.`);
    progress(table, rows);
  }
  for (const sql of copy.schema("trigger")) await query(sql);
}

async function loadPage(query: Query, table: string, { sql, params, rows, bytes }: Page): Promise<void> {
  const arrived = await query(sql, params);
  const arrivedBytes = arrived.reduce((sum, row) => sum + Number(row.bytes), 0);
  if (arrived.length === rows && arrivedBytes === bytes) return;
  throw new Error(
    `${table}: of ${rows} rows with ${bytes} bytes arrived ${arrived.length} with ${arrivedBytes} bytes.`,
  );
}
