/** The stores for D1, Durable Objects and `node:sqlite`. Their types name only what is used, so nothing is imported. */

import { type CollectingTx, type SyncTx, sqlStore } from "./sqlite";
import type { Statement, Value } from "./statement";
import type { Store } from "./store";

/** Options of the stores. */
export interface StoreOptions {
  /** What the names of the tables begin with; "postern_" unless given. */
  prefix?: string | undefined;
}

type Row = Record<string, unknown>;

/** Throws TypeError for a binding that is missing or something else: every delivery would fail, much later. */
function requireMethods(store: string, database: unknown, names: readonly string[]): void {
  const missing = names.find((name) => typeof (database as Record<string, unknown> | null)?.[name] !== "function");
  if (missing) throw new TypeError(`${store} needs a database with the method ${missing}.`);
}

/** A D1 database. */
export interface D1Like<Prepared = unknown> {
  prepare(sql: string): { bind(...values: unknown[]): Prepared };
  batch(statements: Prepared[]): Promise<{ results?: unknown[] }[]>;
}

/** Keeps the marks in a D1 database. The handler's statements and the mark are one `batch`. */
export function d1Store<Prepared>(db: D1Like<Prepared>, { prefix }: StoreOptions = {}): Store<CollectingTx> {
  requireMethods("d1Store", db, ["prepare", "batch"]);
  const run = async (list: readonly Statement[]): Promise<Row[]> => {
    const results = await db.batch(list.map(({ sql, params }) => db.prepare(sql).bind(...params)));
    return (results.at(-1)?.results ?? []) as Row[];
  };
  return sqlStore<never>({ all: (statement) => run([statement]), atomically: (list) => run(list) }, prefix);
}

/** The `sql` of a Durable Object's storage. */
export interface DurableObjectSql {
  exec(sql: string, ...params: Value[]): { toArray(): Row[] };
}

/** The storage of a Durable Object on SQLite, `ctx.storage`. */
export interface DurableObjectStorageLike<Sql extends DurableObjectSql = DurableObjectSql> {
  sql: Sql;
  transactionSync<T>(closure: () => T): T;
}

/** Keeps the marks in a Durable Object. `tx.sync` is given `ctx.storage.sql`. */
export function durableObjectStore<Sql extends DurableObjectSql>(
  storage: DurableObjectStorageLike<Sql>,
  { prefix }: StoreOptions = {},
): Store<SyncTx<Sql>> {
  requireMethods("durableObjectStore", storage, ["transactionSync"]);
  requireMethods("durableObjectStore", storage.sql, ["exec"]);
  const run = ({ sql, params }: Statement) => storage.sql.exec(sql, ...params).toArray();
  return sqlStore<Sql>(
    {
      all: async (statement) => run(statement),
      atomically: async (list, work) =>
        storage.transactionSync(() => {
          const rows = list.map(run).at(-1) ?? [];
          for (const step of work) step(storage.sql);
          return rows;
        }),
    },
    prefix,
  );
}

/** A `DatabaseSync` of `node:sqlite`. */
export interface SqliteLike {
  exec(sql: string): void;
  prepare(sql: string): { all(...params: Value[]): unknown[] };
}

/** Keeps the marks in a `DatabaseSync` of `node:sqlite`. `tx.sync` is given the database. */
export function sqliteStore<Db extends SqliteLike>(db: Db, { prefix }: StoreOptions = {}): Store<SyncTx<Db>> {
  requireMethods("sqliteStore", db, ["exec", "prepare"]);
  const run = ({ sql, params }: Statement) => db.prepare(sql).all(...params) as Row[];
  return sqlStore<Db>(
    {
      all: async (statement) => run(statement),
      async atomically(list, work) {
        db.exec("BEGIN IMMEDIATE");
        try {
          const rows = list.map(run).at(-1) ?? [];
          for (const step of work) step(db);
          db.exec("COMMIT");
          return rows;
        } catch (error) {
          db.exec("ROLLBACK");
          throw error;
        }
      },
    },
    prefix,
  );
}
