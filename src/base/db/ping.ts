/** Checks that D1 answers. */
import { sql } from "drizzle-orm";
import type { Db } from "./client";

/** Throws when D1 does not answer. */
export async function pingDatabase({ db }: { db: Db }): Promise<void> {
  await db.run(sql`SELECT 1`);
}
