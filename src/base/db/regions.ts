/**
 * Where the delivery databases are, so that the objects that work with one are made near it. An object stays where it
 * was made.
 */
import { sql } from "drizzle-orm";
import { atomically, type Db } from "./client";

/** Where D1 and Durable Objects can be. */
const REGIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"] as const;

/** The regions of databases by their numbers, as far as this isolate has learned them from answers of D1. */
const regions = new Map<number, (typeof REGIONS)[number]>();

/** Notes the region that D1 reports: "WEUR" or the like. A local database reports none. */
export function noteRegion(shard: number, served: string): void {
  const region = REGIONS.find((one) => one === served.toLowerCase());
  if (region) regions.set(shard, region);
}

/** What makes an object near a database when it is first called. Empty while the region of the database is unknown. */
export function near(shard: number): DurableObjectNamespaceGetDurableObjectOptions {
  const locationHint = regions.get(shard);
  return locationHint === undefined ? {} : { locationHint };
}

/** The delivery databases. */
interface Databases {
  db(shard: number): Db;
}

/** Returns the same, but asks a database whose region is unknown. One that does not answer stays unknown. */
export async function askNear(
  shards: Databases,
  shard: number,
): Promise<DurableObjectNamespaceGetDurableObjectOptions> {
  if (!regions.has(shard)) await ask(shards, shard).catch(() => undefined);
  return near(shard);
}

const ask = async (shards: Databases, shard: number) => atomically(shards.db(shard), { asked: sql`SELECT 1` });
