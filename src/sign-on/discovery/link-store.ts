/** The use of a mailed link in D1. It belongs to no tenant: its id names the mail. */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import { isUnused, useState } from "../../base/db/used-states-store";
import type { Deps } from "../../base/deps";

/** Uses it. Returns false if it was used before. */
export async function takeOnce({ db }: Deps, useId: string): Promise<boolean> {
  const { unused } = await atomically(db, {
    unused: sql`SELECT 1 WHERE ${isUnused(useId)}`,
    used: useState(useId),
  });
  return unused.length === 1;
}
