/**
 * A delivery database in the storage of the Durable Object that runs the schedules. D1 is SQLite in a Durable Object
 * too, but calls to it would take most of the time of a schedule.
 */
import { env } from "cloudflare:workers";

type Statement = D1PreparedStatement & { run: () => Promise<D1Result> };

/** Creates the tables in `storage`, and returns a D1 database over them. */
export function databaseIn(storage: DurableObjectStorage): D1Database {
  for (const { queries } of env.TEST_MIGRATIONS) for (const query of queries) storage.sql.exec(query);
  const prepare = (query: string, values: unknown[] = []) => {
    const cursor = () => storage.sql.exec(query, ...values.map(boundValue));
    const all = () => ({ success: true, meta: { duration: 0, rows_written: 0 }, results: cursor().toArray() });
    return {
      all,
      bind: (...given: unknown[]) => prepare(query, given),
      run: all,
      first: (column?: string) => {
        const row = cursor().toArray()[0] ?? null;
        return column === undefined ? row : (row?.[column] ?? null);
      },
      raw: () => [...cursor().raw()],
    } as unknown as Statement;
  };
  return {
    prepare: (query: string) => prepare(query),
    batch: async (statements: Statement[]) =>
      storage.transactionSync(() => statements.map((statement) => statement.run())),
  } as unknown as D1Database;
}

/** D1 accepts booleans; the SQLite storage does not. */
const boundValue = (value: unknown) => (typeof value === "boolean" ? Number(value) : value) as SqlStorageValue;
