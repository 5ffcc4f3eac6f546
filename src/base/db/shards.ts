/** The delivery databases. `DB` is number 0, and the binding `SHARD_n` is number n. */
import { unavailable } from "../errors";
import { createDb, type Db, type TripCount } from "./client";
import { noteRegion } from "./regions";

export interface Shards {
  /** The numbers of the databases that are bound, in order. */
  numbers: readonly number[];
  /**
   * Returns a client for a database. Throws SERVICE_UNAVAILABLE if it is not bound, so that only its own tenants are
   * affected.
   */
  db(shard: number): Db;
}

const nameOf = (shard: number) => (shard === 0 ? "DB" : `SHARD_${shard}`);

/** Finds the delivery databases among the bindings of `env`, by their numbers in order. */
export function findDatabases(env: object): ReadonlyMap<number, D1Database> {
  const found = Object.entries(env as Record<string, D1Database>).flatMap(([name, database]) => {
    const number = name === "DB" ? "0" : name.match(/^SHARD_([1-9]\d{0,2})$/)?.[1];
    return number === undefined ? [] : [[Number(number), database] as const];
  });
  return new Map(found.sort(([a], [b]) => a - b));
}

/** Makes the clients of the delivery databases, which count their trips in `trips`. */
export function createShards(databases: ReadonlyMap<number, D1Database>, trips: TripCount): Shards {
  const clients = new Map<number, Db>();
  return {
    numbers: [...databases.keys()],
    db(shard) {
      const known = clients.get(shard);
      if (known) return known;
      const database = databases.get(shard);
      if (!database) throw unavailable({ cause: new Error(`${nameOf(shard)} is not bound`) });
      const client = createDb(database, trips, (region) => noteRegion(shard, region));
      clients.set(shard, client);
      return client;
    },
  };
}
