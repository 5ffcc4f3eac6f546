/**
 * Removing rows in pages, across tenants, from any database. A page is one bounded transaction that can be repeated: a
 * publish waits only milliseconds for it, and a purge that was killed can continue.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import type { Purge } from "./purge-store";
import type { Step } from "./steps";

/** The most rows that a page changes. */
export const PAGE_ROWS = 200;
/** The most rows that a page reads when no index leads to the rows to remove. */
const EXAMINED_ROWS = 2_000;

/** A table and its key. */
export interface Keyed {
  table: string;
  key: readonly string[];
}

/** The databases that a step goes through: the control plane, the delivery database of the tenant, or all databases. */
type Where = "control" | "shard" | "everywhere";

const list = (names: readonly string[]) => sql.raw(names.join(", "));

/** Deletes rows that are found by an index or by the key. `found` selects their keys (SQL: what follows SELECT). */
export const deleting = ({ table, key }: Keyed, where: Where, found: (purge: Purge) => SQL): Step => ({
  name: `${table}, ${where}`,
  page: async (deps, purge) => {
    for (const db of databasesOf(deps, purge, where)) {
      const { count } = await atomically(db, {
        deleted: sql`DELETE FROM ${sql.raw(table)} WHERE (${list(key)}) IN (SELECT ${found(purge)} LIMIT ${PAGE_ROWS})`,
        count: CHANGES,
      });
      if (countOf(count) === PAGE_ROWS) return { cursor: "" };
    }
    return "done";
  },
});

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

/** Searches a whole table in the order of its key, for rows that no index leads to. */
export const searching = (name: string, where: "control" | "shard", search: (purge: Purge) => Search): Step => ({
  name,
  page: async (deps, purge, cursor) => {
    const [db = deps.db] = databasesOf(deps, purge, where);
    const next = await searchPage(db, search(purge), cursor);
    return next === null ? "done" : { cursor: next };
  },
});

/** Returns the cursor of the next page; null at the end of the table. */
async function searchPage(db: Db, search: Search, cursor: string): Promise<string | null> {
  const { table, key, first = key.map(() => ""), columns, condition, set, dependents } = search;
  const from = cursor === "" ? first : (JSON.parse(cursor) as (string | number)[]);
  const after = sql.join(
    from.map((value) => sql`${value}`),
    sql`, `,
  );
  const examined = (names: readonly string[]) =>
    sql`SELECT ${list(names)} FROM ${sql.raw(table)} WHERE (${list(key)}) > (${after}) ORDER BY ${list(key)}`;
  const keys = sql`(SELECT ${list(key)} FROM (${examined([...key, ...columns])} LIMIT ${EXAMINED_ROWS})
    WHERE ${condition} LIMIT ${PAGE_ROWS})`;
  const change = set ? sql`UPDATE ${sql.raw(table)} SET ${set}` : sql`DELETE FROM ${sql.raw(table)}`;
  const { last, count } = await atomically(db, {
    // First: the other statements remove rows.
    last: rows<Record<string, string | number>>(sql`${examined(key)} LIMIT 1 OFFSET ${EXAMINED_ROWS - 1}`),
    dependents: dependents?.(keys),
    changed: sql`${change} WHERE (${list(key)}) IN ${keys}`,
    count: CHANGES,
  });
  if (countOf(count) === PAGE_ROWS) return cursor;
  const [end] = last;
  return end ? JSON.stringify(key.map((name) => end[name])) : null;
}

/** The databases of a step. Shard 0 is the control plane too. */
export function databasesOf({ db, shards }: Deps, { shard }: Purge, where: Where): Db[] {
  if (where === "control") return [db];
  if (where === "shard") return [shards.db(shard ?? 0)];
  return [db, ...shards.numbers.filter((number) => number !== 0).map((number) => shards.db(number))];
}
