/** The statements of the stores on SQLite: D1, Durable Objects, `node:sqlite`. */
import type { Statement, Value } from "./statement";
import type { Failure, Mark, MarkState } from "./store";

const DAY_MS = 86_400_000;
const MAX_ERROR_CHARACTERS = 2_000;
const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,40}$/;

const sqlOf = (sql: string, ...params: Value[]): Statement => ({ sql, params });

/** The statements on tables whose names begin with `prefix`. Throws TypeError for a prefix that is not a name. */
export function statements(prefix = "postern_") {
  if (!PREFIX.test(prefix)) throw new TypeError("prefix must be letters, digits and underscores.");
  const tables = { handled: `${prefix}handled`, sequences: `${prefix}sequences`, failures: `${prefix}failures` };
  const { handled, sequences, failures } = tables;
  return {
    migrate: [
      sqlOf(`CREATE TABLE IF NOT EXISTS ${handled} (receiver TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
        state TEXT NOT NULL, PRIMARY KEY (receiver, id)) WITHOUT ROWID`),
      sqlOf(`CREATE TABLE IF NOT EXISTS ${sequences} (receiver TEXT NOT NULL, order_key TEXT NOT NULL,
        last INTEGER NOT NULL, PRIMARY KEY (receiver, order_key)) WITHOUT ROWID`),
      sqlOf(`CREATE TABLE IF NOT EXISTS ${failures} (receiver TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
        count INTEGER NOT NULL, waits INTEGER NOT NULL, error TEXT, event TEXT, PRIMARY KEY (receiver, id))`),
    ],
    look: ({ receiver, id, orderKey }: Mark) =>
      sqlOf(
        `SELECT EXISTS (SELECT 1 FROM ${handled} WHERE receiver = ?1 AND id = ?2) AS handled,
          (SELECT last FROM ${sequences} WHERE receiver = ?1 AND order_key = ?3) AS last,
          (SELECT count FROM ${failures} WHERE receiver = ?1 AND id = ?2) AS failures,
          (SELECT waits FROM ${failures} WHERE receiver = ?1 AND id = ?2) AS waits`,
        receiver,
        id,
        orderKey ?? null,
      ),
    /** First in its transaction: it fails if the mark is there. */
    mark: ({ receiver, id }: Mark, state: MarkState) =>
      sqlOf(`INSERT INTO ${handled} (receiver, id, at, state) VALUES (?, ?, ?, ?)`, receiver, id, Date.now(), state),
    settle: (mark: Mark, state: MarkState) => settling(tables, mark, state),
    fail: (mark: Mark, failure: Failure) => failing(tables, mark, failure),
    forget: ({ receiver, id }: Mark) => [
      sqlOf(`DELETE FROM ${failures} WHERE receiver = ? AND id = ?`, receiver, id),
      sqlOf(`DELETE FROM ${handled} WHERE receiver = ? AND id = ?`, receiver, id),
    ],
    prune: (days: number) => [
      sqlOf(`DELETE FROM ${failures} WHERE at < ?`, Date.now() - days * DAY_MS),
      sqlOf(`DELETE FROM ${handled} WHERE at < ? RETURNING id`, Date.now() - days * DAY_MS),
    ],
  };
}

type Tables = Record<"handled" | "sequences" | "failures", string>;

/** What goes with the mark: its sequence, and the end of its failures, which a poisoned one keeps. */
function settling(
  { sequences, failures }: Tables,
  { receiver, id, orderKey, sequence }: Mark,
  state: MarkState,
): Statement[] {
  const raised = sqlOf(
    `INSERT INTO ${sequences} (receiver, order_key, last) VALUES (?, ?, ?)
      ON CONFLICT (receiver, order_key) DO UPDATE SET last = max(last, excluded.last)`,
    receiver,
    orderKey ?? null,
    sequence ?? null,
  );
  const ended = sqlOf(`DELETE FROM ${failures} WHERE receiver = ? AND id = ?`, receiver, id);
  return [
    ...(orderKey !== undefined && sequence !== undefined ? [raised] : []),
    ...(state === "poison" ? [] : [ended]),
  ];
}

function failing({ failures }: Tables, { receiver, id }: Mark, failure: Failure): Statement {
  const waited = "waited" in failure;
  const { error, event = null } = waited ? {} : failure;
  return sqlOf(
    `INSERT INTO ${failures} (receiver, id, at, count, waits, error, event) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (receiver, id) DO UPDATE SET at = excluded.at, count = count + excluded.count,
          waits = waits + excluded.waits, error = coalesce(excluded.error, error),
          event = coalesce(excluded.event, event)
        RETURNING count AS failures, waits`,
    receiver,
    id,
    Date.now(),
    waited ? 0 : 1,
    waited ? 1 : 0,
    error?.slice(0, MAX_ERROR_CHARACTERS) ?? null,
    event === null ? null : JSON.stringify(event),
  );
}
