/** The tenants whose grace period has ended, in D1. Spans tenants. */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { revokeTenants } from "../../identity/tokens/revocations-store";

/** Revokes the tokens of each such tenant once. Reads no row while there are none. */
export async function beginEnforcement({ db }: Pick<Deps, "db">, nowMs: number): Promise<void> {
  const begins = sql`sign_on_from IS NOT NULL AND sign_on_begun_at IS NULL AND sign_on_from <= ${nowMs}`;
  await atomically(db, {
    // First, because it asks whose tokens have not ended.
    revoked: revokeTenants(begins, nowMs),
    begun: sql`UPDATE tenants SET sign_on_begun_at = ${nowMs} WHERE ${begins}`,
  });
}
