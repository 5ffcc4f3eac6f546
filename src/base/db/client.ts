/**
 * The D1 client: drizzle, with every round trip counted, because a round trip to D1 can cross an ocean and dominates a
 * request's time.
 */
import { fillPlaceholders, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { log } from "../log/log";

export interface TripCount {
  trips: number;
  /** Those of batches too; undefined before the first. */
  statements?: number;
  /** How long D1 has worked on the statements of batches, in ms. */
  sqlMs: number;
  /** How many rows batches have written, with those of indexes. */
  rowsWritten: number;
}

/**
 * Creates a drizzle client for `database` that adds each round trip to `count`, and tells `onServed` the region of the
 * database.
 */
export function createDb(database: D1Database, count: TripCount, onServed?: (region: string) => void) {
  return drizzle(counted(database, count, onServed));
}

export type Db = ReturnType<typeof createDb>;

/** D1 refuses more queries of an invocation. It does not say whether statements of a batch are some; here they are. */
const MAX_STATEMENTS = 1_000;

function countTrip(count: TripCount, statements: number): void {
  const before = count.statements ?? 0;
  count.trips += 1;
  count.statements = before + statements;
  if (before <= MAX_STATEMENTS && count.statements > MAX_STATEMENTS) {
    log("warn", "more than 1,000 statements in an invocation", { d1Trips: count.trips });
  }
}

type Counted = D1PreparedStatement & { inner?: D1PreparedStatement };

function counted(database: D1Database, count: TripCount, onServed?: (region: string) => void): D1Database {
  const wrap = (inner: D1PreparedStatement): Counted => {
    const trip = <T>(call: Promise<T>): Promise<T> => {
      countTrip(count, 1);
      return call;
    };
    return {
      inner,
      bind: (...values: unknown[]) => wrap(inner.bind(...values)),
      all: () => trip(inner.all()),
      run: () => trip(inner.run()),
      first: (column?: string) => trip(column === undefined ? inner.first() : inner.first(column)),
      raw: (options?: { columnNames?: false }) => trip(inner.raw(options)),
    } as Counted;
  };
  return {
    prepare: (query: string) => wrap(database.prepare(query)),
    batch: async (statements: Counted[]) => {
      countTrip(count, statements.length);
      const results = await database.batch(statements.map((statement) => statement.inner ?? statement));
      for (const { meta } of results) {
        count.sqlMs += meta.duration;
        count.rowsWritten += meta.rows_written;
      }
      const region = results.at(-1)?.meta.served_by_region;
      if (region) onServed?.(region);
      return results;
    },
  } as D1Database;
}

/**
 * Returns a list as one bound parameter, to be read with `json_each`. D1 takes at most 100 parameters per statement.
 */
export const jsonList = (values: readonly unknown[]): string => JSON.stringify(values);

const dialect = new SQLiteAsyncDialect();

/** A statement whose result rows have the shape `Row`. */
export interface Rows<Row> {
  query: SQLWrapper;
  /** Only carries the type; never set. */
  row?: Row;
}

/**
 * Gives a statement the type of its result rows, for `atomically`. The properties of `Row` are the column names in the
 * SQL.
 */
export const rows = <Row>(query: SQLWrapper): Rows<Row> => ({ query });

/**
 * Counts the rows that the statement before it in the batch has changed. Returning their ids would take longer than
 * deleting them.
 */
export const CHANGES = rows<{ count: number }>(sql`SELECT changes() AS count`);

/** Reads the result of `CHANGES`. */
export const countOf = ([row]: readonly { count: number }[]): number => row?.count ?? 0;

/** A statement of `fixed` with its values. */
export interface Bound<Row> {
  text: string;
  params: unknown[];
  /** Only carries the type; never set. */
  row?: Row;
}

/**
 * Builds the text of a statement with `sql.placeholder`s once, for a statement that runs on every request: building its
 * text takes longer than reading a row. Returns a function that gives the statement its values. The properties of `Row`
 * are the column names in the SQL.
 */
export function fixed<Row = never>(query: SQL): (values: Record<string, unknown>) => Bound<Row> {
  let built: { sql: string; params: unknown[] } | undefined;
  return (values) => {
    built ??= dialect.sqlToQuery(query);
    return { text: built.sql, params: fillPlaceholders(built.params, values) };
  };
}

/** A `fixed` query with its own round trip. */
export function prepared<Row>(query: SQL): (db: Db, values: Record<string, unknown>) => Promise<Row[]> {
  const bind = fixed<Row>(query);
  return async (db, values) => (await prepare(db, bind(values)).all<Row>()).results;
}

const prepare = (db: Db, { text, params }: Bound<unknown>) => db.$client.prepare(text).bind(...params);

export type Statement = SQLWrapper | Rows<unknown> | Bound<unknown>;
export type Statements = Record<string, Statement | Statement[] | undefined>;
type RowOf<S> = S extends Rows<infer Row> | Bound<infer Row> ? Row : unknown;
/** The result rows of named statements. */
export type RowsOf<S extends Statements> = { [K in keyof S]: ResultOf<S[K]> };
type ResultOf<S> = NonNullable<S> extends (infer One)[] ? RowOf<One>[] : RowOf<NonNullable<S>>[];

function bound(statement: Statement): Bound<unknown> {
  if ("text" in statement) return statement;
  const { sql: text, params } = dialect.sqlToQuery(("query" in statement ? statement.query : statement).getSQL());
  return { text, params };
}

/**
 * Runs named statements in one transaction and one round trip, in the given order. Returns the result rows of each
 * under its name. A statement that is undefined is skipped and returns no rows; a list of statements returns the rows
 * of all of them. Drizzle's `db.batch` takes no raw statements with parameters, and mixes up columns that have the same
 * name.
 */
export async function atomically<S extends Statements>(db: Db, statements: S): Promise<RowsOf<S>> {
  const named = Object.entries(statements).map(([name, given]) => ({ name, list: given ? [given].flat() : [] }));
  const all = named.flatMap(({ list }) => list.map((statement) => prepare(db, bound(statement))));
  // D1 refuses a batch without statements.
  const results = (all.length === 0 ? [] : await db.$client.batch(all)).values();
  const byName = named.map(({ name, list }) => [name, list.flatMap(() => results.next().value?.results ?? [])]);
  return Object.fromEntries(byName) as RowsOf<S>;
}

/**
 * Runs one statement in a round trip of its own: `query<Row>(db)` stands before its text. Returns the result rows. The
 * properties of `Row` are the column names in the SQL.
 */
export function query<Row = unknown>(db: Db): (text: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]> {
  return async (text, ...values) => (await atomically(db, { only: rows<Row>(sql(text, ...values)) })).only;
}

/** As `query`, for a statement with at most one result row; undefined if there is none. */
export function queryFirst<Row>(
  db: Db,
): (text: TemplateStringsArray, ...values: unknown[]) => Promise<Row | undefined> {
  return async (text, ...values) => (await query<Row>(db)(text, ...values))[0];
}

/** Whether a write failed because of a constraint on `column`, such as "users.email". */
export function violates(error: unknown, constraint: "UNIQUE" | "NOT NULL", column: string): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(`${constraint} constraint failed`) && cause.message.includes(column)) return true;
  }
  return false;
}
