/**
 * The database of the service under test, by HTTP through a Worker of its own. Miniflare's own stub blocks this process
 * for each `prepare` and `bind`. When it waits while the service writes many log lines, nobody reads them, the service
 * blocks in turn, and both stop for good.
 */
import type { V4WorkerOptions } from "miniflare";

type Value = string | number | null;
type Row = Record<string, unknown>;

const SCRIPT = `export default {
  async fetch(request, env) {
    try {
      const database = env[new URL(request.url).pathname.slice(1)];
      const statements = (await request.json()).map(({ sql, values }) => database.prepare(sql).bind(...values));
      return Response.json(await database.batch(statements));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
}`;

/** The Worker that answers at `port`. `databases` are the `d1Databases` of the service. */
export const databaseWorker = (
  port: number,
  databases: NonNullable<V4WorkerOptions["d1Databases"]>,
): V4WorkerOptions => ({
  name: "database",
  modules: true,
  script: SCRIPT,
  compatibilityDate: "2026-11-01",
  d1Databases: databases,
  unsafeDirectSockets: [{ host: "127.0.0.1", port }],
});

interface Result<T> {
  results: T[];
  meta: { size_after: number; changes: number; rows_read: number; rows_written: number };
}

/** A statement with its values. It runs when it is asked for its rows. */
interface Statement {
  sql: string;
  values: readonly Value[];
  bind(...values: Value[]): Statement;
  all<T = Row>(): Promise<Result<T>>;
  run(): Promise<Result<Row>>;
  /** Returns the first row, or its `column`; null for none. */
  first<T = Row>(column?: string): Promise<T | null>;
}

/** The part of D1's interface that the benchmarks use. Throws what D1 throws, as text. */
export interface Database {
  prepare(sql: string): Statement;
  batch<T = Row>(statements: readonly Statement[]): Promise<Result<T>[]>;
}

/** The database with this binding behind the Worker at `origin`. */
export function databaseAt(origin: string, binding = "DB"): Database {
  const url = `${origin}/${binding}`;
  const batch = async <T>(statements: readonly Statement[]) => {
    const body = JSON.stringify(statements.map(({ sql, values }) => ({ sql, values })));
    const answer = await fetch(url, { method: "POST", body });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Result<T>[];
  };
  const statement = (sql: string, values: readonly Value[]): Statement => {
    const all = async <T = Row>() => {
      const [result] = await batch<T>([made]);
      if (!result) throw new Error("the database answered without a result");
      return result;
    };
    const made: Statement = {
      sql,
      values,
      bind: (...bound) => statement(sql, bound),
      all,
      run: () => all(),
      async first<T>(column?: string) {
        const row = (await all()).results[0];
        return row === undefined ? null : ((column === undefined ? row : row[column]) as T);
      },
    };
    return made;
  };
  return { prepare: (sql) => statement(sql, []), batch };
}
