/**
 * The fence of a move, in the database that a tenant leaves. It ends by itself, so a move that is killed refuses nobody
 * for long; the move seals it once everything is copied, and only a fence that has not ended can be sealed. The clock
 * is that of the database, which also decides for those who write: see `src/tenancy/moves/fence-store.ts`.
 */
import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import { DATABASE_NOW, isUp } from "../../tenancy/moves/fence-store";

/** Twice this, at most, is how long a move refuses what users write: see `insertLapse`. */
const FENCE_MS = 950;

/** A fence. `since` names it. `hasLapsed`: what was copied behind it may be out of date. */
export interface Fence {
  since: number;
  hasLapsed: boolean;
}

/** Puts up the fence, unless it stands already, or has lapsed. Can be repeated. */
export async function raiseFence(db: Db, tenantId: string, nowMs: number): Promise<Fence> {
  const { fence } = await repeatable(() =>
    atomically(db, {
      raised: sql`INSERT INTO departed_tenants (tenant_id, since, lapses_at)
        VALUES (${tenantId}, ${nowMs}, ${DATABASE_NOW} + ${FENCE_MS}) ON CONFLICT DO NOTHING`,
      fence: rows<{ since: number; isUp: number }>(sql`SELECT dt.since, ${isUp(sql.raw("dt"))} AS isUp
        FROM departed_tenants dt WHERE dt.tenant_id = ${tenantId}`),
    }),
  );
  const [{ since, isUp: stands }] = fence as [{ since: number; isUp: number }];
  return { since, hasLapsed: stands === 0 };
}

/** Makes the fence last. Returns false if it has lapsed: then something may have been written. Can be repeated. */
export async function sealFence(db: Db, tenantId: string, { since }: Fence): Promise<boolean> {
  const { sealed } = await repeatable(() =>
    atomically(db, {
      done: sql`UPDATE departed_tenants AS dt SET lapses_at = NULL
        WHERE dt.tenant_id = ${tenantId} AND dt.since = ${since} AND ${isUp(sql.raw("dt"))}`,
      sealed: rows(sql`SELECT 1 FROM departed_tenants WHERE tenant_id = ${tenantId} AND since = ${since}
        AND lapses_at IS NULL`),
    }),
  );
  return sealed.length === 1;
}

/** Whether the fence lasts: then the move must go on at once, because nothing else ends it. */
export async function isSealed(db: Db, tenantId: string): Promise<boolean> {
  const { sealed } = await atomically(db, {
    sealed: rows(sql`SELECT 1 FROM departed_tenants WHERE tenant_id = ${tenantId} AND lapses_at IS NULL`),
  });
  return sealed.length === 1;
}

/** Takes down a fence that has lapsed. Can be repeated, and be late. */
export async function removeLapsed(db: Db, tenantId: string): Promise<void> {
  await repeatable(() =>
    atomically(db, {
      removed: sql`DELETE FROM departed_tenants AS dt WHERE dt.tenant_id = ${tenantId} AND NOT ${isUp(sql.raw("dt"))}`,
    }),
  );
}

/** Takes down any fence. */
export async function removeFence(db: Db, tenantId: string): Promise<void> {
  await repeatable(() => atomically(db, { removed: sql`DELETE FROM departed_tenants WHERE tenant_id = ${tenantId}` }));
}
