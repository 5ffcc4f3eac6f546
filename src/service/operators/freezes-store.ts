/** What operators have frozen in one delivery database. */

import { sql } from "drizzle-orm";
import { atomically, type Db } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { NewAuditEvent } from "../../tenancy/audit/record-store";
import { audit, auditIfChanged } from "../../tenancy/audit/record-store";
import { unlessDeparted } from "../../tenancy/moves/fence";
import { refuseDeparted } from "../../tenancy/moves/fence-store";

type FreezeCause = "held" | "suspended";

export interface FreezeRow {
  /** `ALL_TENANTS` for all tenants of the database. */
  tenantId: string;
  cause: FreezeCause;
  /** Unix ms. */
  since: number;
}

/** Where a freeze is changed. `isFormer`: the tenant has left the database. */
export interface FreezePlace {
  db: Db;
  isFormer?: boolean;
}

/** A move copies the freezes, so they do not change meanwhile. */
const changeFreeze = async (
  { db, isFormer = false }: FreezePlace,
  tenantId: string,
  changes: Parameters<typeof atomically>[1],
) => {
  const unmoved = isFormer ? undefined : refuseDeparted(tenantId);
  await unlessDeparted(tenantId, () => atomically(db, { unmoved, ...changes }));
};

/**
 * Freezes the sends of a tenant, or of all tenants for `ALL_TENANTS`. Changes and records nothing when they are frozen
 * already for that cause. Throws TenantIsMoving.
 */
export async function insertFreeze(
  place: FreezePlace,
  { tenantId, cause, since }: FreezeRow,
  event: NewAuditEvent | null,
): Promise<void> {
  await changeFreeze(place, tenantId, {
    frozen: sql`INSERT INTO sends_held (tenant_id, cause, since) VALUES (${tenantId}, ${cause}, ${since})
      ON CONFLICT DO NOTHING`,
    recorded: event ? auditIfChanged(event) : undefined,
  });
}

/** Records an event in the log of the service. */
export async function recordOfService({ db }: Pick<Deps, "db">, event: NewAuditEvent): Promise<void> {
  await atomically(db, { recorded: audit(event) });
}

/** Ends a freeze. Changes and records nothing when there is none. Throws TenantIsMoving. */
export async function deleteFreeze(
  place: FreezePlace,
  { tenantId, cause }: Omit<FreezeRow, "since">,
  event: NewAuditEvent | null,
): Promise<void> {
  await changeFreeze(place, tenantId, {
    released: sql`DELETE FROM sends_held WHERE tenant_id = ${tenantId} AND cause = ${cause}`,
    recorded: event ? auditIfChanged(event) : undefined,
  });
}
