/**
 * Removing rows in pages, across tenants, from any database. A page is one bounded transaction that can be repeated: a
 * publish waits only milliseconds for it, and a purge that was killed can continue.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db } from "../../base/db/client";
import { type Keyed, type Search, searchPage } from "../../base/db/table-search";
import type { Deps } from "../../base/deps";
import type { Purge } from "./purge-store";
import type { Step } from "./steps";

/** The most rows that a page changes. */
export const PAGE_ROWS = 100;
/** The most rows that a page reads when no index leads to the rows to remove. */
export const EXAMINED_ROWS = 1_000;

/**
 * The databases that a step goes through: the control plane, the delivery database of the tenant, the one from which it
 * was moved, or all databases.
 */
export type Where = "control" | "shard" | "former" | "everywhere";

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

/** The mails about subscriptions that are sent once. Their ids end with that of the tenant and that of the person. */
export const mailsOnce = (part: "substr(id, -73, 36)" | "substr(id, -36)"): Step =>
  deleting(
    { table: "alert_mails", key: ["id"] },
    "control",
    ({ subjectId }) => sql`id FROM alert_mails WHERE ${sql.raw(part)} = ${subjectId}`,
  );

/** Searches a whole table in the order of its key, for rows that no index leads to. */
export const searching = (
  name: string,
  where: Exclude<Where, "everywhere">,
  search: (purge: Purge) => Search,
): Step => ({
  name: `${name}, ${where}`,
  page: async (deps, purge, cursor) => {
    const [db] = databasesOf(deps, purge, where);
    if (!db) return "done";
    const { next } = await searchPage(db, search(purge), cursor, { examined: EXAMINED_ROWS, changed: PAGE_ROWS });
    return next === null ? "done" : { cursor: next };
  },
});

/** The databases of a step. Shard 0 is the control plane too. */
export function databasesOf({ db, shards }: Deps, { shard, formerShard }: Purge, where: Where): Db[] {
  if (where === "control") return [db];
  if (where === "shard") return [shards.db(shard ?? 0)];
  if (where === "former") return formerShard === null ? [] : [shards.db(formerShard)];
  return [db, ...shards.numbers.filter((number) => number !== 0).map((number) => shards.db(number))];
}
