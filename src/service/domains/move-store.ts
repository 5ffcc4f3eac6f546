/** Giving a domain to another tenant, in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";

interface MovedDomain {
  domain: string;
  /** Who has it afterwards. */
  tenantId: string;
  /** What the former tenant reads of it. */
  lastError: string;
}

/** The events of each step, which are recorded if it changes something. */
interface MoveEvents {
  lost: readonly NewAuditEvent[];
  proved: readonly NewAuditEvent[];
}

/**
 * Takes a proved domain from the tenant that has it, `formerId`, and gives it to another one, which the service vouches
 * for. Returns false, and does nothing, if the former one does not have it any more.
 */
export async function moveProvedDomain(
  { db }: Deps,
  formerId: string,
  { domain, tenantId, lastError }: MovedDomain,
  { lost, proved }: MoveEvents,
  nowMs: number,
): Promise<boolean> {
  const { taken } = await atomically(db, {
    taken: rows<{ domain: string }>(sql`UPDATE domains SET state = 'lost', last_error = ${lastError}, denied_days = 0,
        denied_at = NULL
      WHERE tenant_id = ${formerId} AND domain = ${domain} AND state = 'proved' RETURNING domain`),
    lost: lost.map(auditIfChanged),
    given: sql`INSERT INTO domains (tenant_id, domain, state, proved_by, proved_at, denied_days, created_at)
      SELECT t.id, ${domain}, 'proved', 'platform', ${nowMs}, 0, ${nowMs} FROM tenants t
      WHERE t.id = ${tenantId} AND changes() > 0
      ON CONFLICT (tenant_id, domain) DO UPDATE SET state = 'proved', proved_by = 'platform', proved_value = NULL,
        proved_at = excluded.proved_at, last_error = NULL, denied_days = 0, denied_at = NULL`,
    proved: proved.map(auditIfChanged),
  });
  return taken.length === 1;
}

/** Who has a domain now; undefined if it is nobody's. Looks across tenants. */
export async function findHolder({ db }: Deps, domain: string): Promise<string | undefined> {
  const { found } = await atomically(db, {
    found: rows<{ tenantId: string }>(
      sql`SELECT d.tenant_id AS tenantId FROM domains d WHERE d.domain = ${domain} AND d.state = 'proved'`,
    ),
  });
  return found[0]?.tenantId;
}
