/** Checks that D1 answers. */
import { sql } from "drizzle-orm";
import type { Deps } from "../deps";

/** Throws when D1 does not answer. */
export async function pingDatabase({ db }: Deps): Promise<void> {
  await db.run(sql`SELECT 1`);
}
