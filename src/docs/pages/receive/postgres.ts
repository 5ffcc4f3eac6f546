import type { Failure, Mark, MarkState, Store } from "postern/receive";

/** A connection of node-postgres, taken from its pool. */
export interface Client {
  query(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS postern_handled (receiver text, id text, at timestamptz DEFAULT now(), state text,
    PRIMARY KEY (receiver, id))`,
  `CREATE TABLE IF NOT EXISTS postern_sequences (receiver text, order_key text, last bigint,
    PRIMARY KEY (receiver, order_key))`,
  `CREATE TABLE IF NOT EXISTS postern_failures (receiver text, id text, at timestamptz DEFAULT now(), count int,
    waits int, error text, event jsonb, PRIMARY KEY (receiver, id))`,
];

/** Keeps the marks in Postgres. `connect` runs `work` with a connection that nobody else uses meanwhile. */
export function pgStore(connect: <T>(work: (client: Client) => Promise<T>) => Promise<T>): Store<Client> {
  const query = (sql: string, values?: unknown[]) => connect((client) => client.query(sql, values));
  return {
    async migrate() {
      for (const table of TABLES) await query(table);
    },
    async look({ receiver, id, orderKey = "" }) {
      const { rows } = await query(
        `SELECT EXISTS (SELECT FROM postern_handled WHERE receiver = $1 AND id = $2) AS handled,
          (SELECT last FROM postern_sequences WHERE receiver = $1 AND order_key = $3) AS last,
          (SELECT count FROM postern_failures WHERE receiver = $1 AND id = $2) AS failures,
          (SELECT waits FROM postern_failures WHERE receiver = $1 AND id = $2) AS waits`,
        [receiver, id, orderKey],
      );
      const { handled, last, failures, waits } = rows[0] ?? {};
      return {
        handled: handled === true,
        last: last == null ? undefined : Number(last),
        failures: Number(failures ?? 0),
        waits: Number(waits ?? 0),
      };
    },
    commit: (mark, work, state = "handled") => connect((client) => commit(client, mark, work, state)),
    async fail({ receiver, id }: Mark, failure: Failure) {
      const { count, waits, error, event } =
        "waited" in failure ? { count: 0, waits: 1, error: null, event: null } : { count: 1, waits: 0, ...failure };
      const { rows } = await query(
        `INSERT INTO postern_failures AS f (receiver, id, count, waits, error, event) VALUES ($1, $2, $3, $4, $5, $6)
          ON CONFLICT (receiver, id) DO UPDATE SET at = now(), count = f.count + excluded.count,
            waits = f.waits + excluded.waits, error = coalesce(excluded.error, f.error),
            event = coalesce(excluded.event, f.event)
          RETURNING count AS failures, waits`,
        [receiver, id, count, waits, error ?? null, event ? JSON.stringify(event) : null],
      );
      return { failures: Number(rows[0]?.failures), waits: Number(rows[0]?.waits) };
    },
    async forget({ receiver, id }) {
      await query("DELETE FROM postern_failures WHERE receiver = $1 AND id = $2", [receiver, id]);
      await query("DELETE FROM postern_handled WHERE receiver = $1 AND id = $2", [receiver, id]);
    },
    async prune(days) {
      await query("DELETE FROM postern_failures WHERE at < now() - make_interval(days => $1)", [days]);
      const sql = "DELETE FROM postern_handled WHERE at < now() - make_interval(days => $1) RETURNING id";
      return (await query(sql, [days])).rows.length;
    },
  };
}

async function commit(
  client: Client,
  { receiver, id, orderKey, sequence }: Mark,
  work: (tx: Client) => Promise<void>,
  state: MarkState,
): Promise<"committed" | "duplicate"> {
  await client.query("BEGIN");
  try {
    // A copy that is being handled makes this wait until its transaction has ended.
    const { rows } = await client.query(
      "INSERT INTO postern_handled (receiver, id, state) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id",
      [receiver, id, state],
    );
    if (rows.length > 0) {
      await work(client);
      if (orderKey !== undefined && sequence !== undefined) {
        await client.query(
          `INSERT INTO postern_sequences AS s VALUES ($1, $2, $3)
            ON CONFLICT (receiver, order_key) DO UPDATE SET last = greatest(s.last, excluded.last)`,
          [receiver, orderKey, sequence],
        );
      }
    }
    await client.query("COMMIT");
    return rows.length > 0 ? "committed" : "duplicate";
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
