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

/** Finds the delivery databases among the bindings of `env`. */
export function createShards(env: object, trips: TripCount): Shards {
  const bindings = env as Record<string, D1Database | undefined>;
  const nameOf = (shard: number) => (shard === 0 ? "DB" : `SHARD_${shard}`);
  const numbers = Object.keys(bindings)
    .flatMap((name) =>
      name === "DB"
        ? [0]
        : (name
            .match(/^SHARD_(\d{1,3})$/)
            ?.slice(1)
            .map(Number) ?? []),
    )
    .sort((a, b) => a - b);
  const clients = new Map<number, Db>();
  return {
    numbers,
    db(shard) {
      const known = clients.get(shard);
      if (known) return known;
      const binding = bindings[nameOf(shard)];
      if (!binding) {
        throw unavailable({ cause: new Error(`${nameOf(shard)} is not bound`) });
      }
      const client = createDb(binding, trips, (region) => noteRegion(shard, region));
      clients.set(shard, client);
      return client;
    },
  };
}
