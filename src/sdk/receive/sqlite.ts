/** A store on any SQLite database, told how to run statements on it. */
import { statements } from "./sql";
import type { Statement, Value } from "./statement";
import type { Known, Mark, Store } from "./store";

/** Collects what the handler writes. It is committed with the mark when the handler has ended. */
export interface CollectingTx {
  /** Adds a statement. Its result cannot be read: the transaction begins after the handler. */
  run(sql: string, ...params: Value[]): void;
}

/** As `CollectingTx`, for databases whose transactions run in one go. */
export interface SyncTx<Db> extends CollectingTx {
  /** Adds a function that runs inside the transaction, after the statements. */
  sync(work: (db: Db) => void): void;
}

/** How a database runs what a store needs. */
export interface Driver<Db> {
  /** Runs one statement and returns its rows. */
  all(statement: Statement): Promise<Record<string, unknown>[]>;
  /** Runs the statements, then the functions, in one transaction. Returns the rows of the last statement. */
  atomically(list: readonly Statement[], work: readonly ((db: Db) => void)[]): Promise<Record<string, unknown>[]>;
}

/** The store on `driver`, in tables whose names begin with `prefix`, "postern_" unless given. */
export function sqlStore<Db>(driver: Driver<Db>, prefix?: string): Store<SyncTx<Db>> {
  const sql = statements(prefix);
  const look = async (mark: Mark): Promise<Known> => {
    const [row] = await driver.all(sql.look(mark));
    return {
      handled: row?.handled === 1,
      last: numberOf(row?.last),
      failures: numberOf(row?.failures) ?? 0,
      waits: numberOf(row?.waits) ?? 0,
    };
  };
  return {
    async migrate() {
      for (const statement of sql.migrate) await driver.all(statement);
    },
    look,
    async commit(mark, work, state = "handled") {
      const { tx, close } = collector<Db>();
      await work(tx);
      const { list, functions } = close();
      try {
        await driver.atomically([sql.mark(mark, state), ...list, ...sql.settle(mark, state)], functions);
        return "committed";
      } catch (error) {
        if ((await look(mark)).handled) return "duplicate";
        throw error;
      }
    },
    async fail(mark, failure) {
      const [row] = await driver.all(sql.fail(mark, failure));
      return { failures: numberOf(row?.failures) ?? 0, waits: numberOf(row?.waits) ?? 0 };
    },
    async forget(mark) {
      await driver.atomically(sql.forget(mark), []);
    },
    async prune(days) {
      if (!(days > 0)) throw new TypeError("days must be more than 0.");
      return (await driver.atomically(sql.prune(days), [])).length;
    },
  };
}

/** A transaction that collects. A statement that comes after the handler has ended would be lost, so it throws. */
function collector<Db>() {
  const list: Statement[] = [];
  const functions: ((db: Db) => void)[] = [];
  let open = true;
  const checkOpen = () => {
    if (!open) throw new TypeError("The handler has ended: await what it starts before it returns.");
  };
  const tx: SyncTx<Db> = {
    run(sql, ...params) {
      checkOpen();
      list.push({ sql, params });
    },
    sync(work) {
      checkOpen();
      functions.push(work);
    },
  };
  const close = () => {
    open = false;
    return { list, functions };
  };
  return { tx, close };
}

const numberOf = (value: unknown): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);
