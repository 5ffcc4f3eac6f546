/** The holds of operators in one delivery database. */

import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import type { NewAuditEvent } from "../../tenancy/audit/record-store";
import { audit, auditIfChanged } from "../../tenancy/audit/record-store";
import { STAGE } from "../../webhooks/auto-disable/stages";
import { MAIN } from "../../webhooks/delivery/outbox-store";

type HoldCause = "held" | "suspended";

export interface HoldRow {
  /** `ALL_TENANTS` for all tenants of the database. */
  tenantId: string;
  cause: HoldCause;
  /** Unix ms. */
  since: number;
}

/**
 * Freezes the sends of a tenant, or of all tenants for `ALL_TENANTS`. Changes and records nothing when they are frozen
 * already for that cause.
 */
export async function insertHold(
  db: Db,
  { tenantId, cause, since }: HoldRow,
  event: NewAuditEvent | null,
): Promise<void> {
  await atomically(db, {
    held: sql`INSERT INTO sends_held (tenant_id, cause, since) VALUES (${tenantId}, ${cause}, ${since})
      ON CONFLICT DO NOTHING`,
    recorded: event ? auditIfChanged(event) : undefined,
  });
}

/** Records an event in the log of the service. */
export async function recordOfService({ db }: Pick<Deps, "db">, event: NewAuditEvent): Promise<void> {
  await atomically(db, { recorded: audit(event) });
}

/** Ends a hold. Changes and records nothing when there is none. */
export async function deleteHold(
  db: Db,
  { tenantId, cause }: Omit<HoldRow, "since">,
  event: NewAuditEvent | null,
): Promise<void> {
  await atomically(db, {
    released: sql`DELETE FROM sends_held WHERE tenant_id = ${tenantId} AND cause = ${cause}`,
    recorded: event ? auditIfChanged(event) : undefined,
  });
}

const MAX_HOLDS = 200;
/** The most overdue deliveries that are counted. */
const MAX_OVERDUE = 10_000;

/** What waits in a delivery database. Times are Unix ms. */
export interface ShardLoad {
  overdue: { count: number; isExact: boolean };
  oldestDueAt: number | null;
  backlogs: number;
  oldestInBacklogAt: number | null;
  failing: number;
  holds: HoldRow[];
}

/** Reads what waits in a delivery database, across its tenants. */
export async function readShardLoad(db: Db, nowMs: number): Promise<ShardLoad> {
  const { overdue, backlogs, failing, holds } = await atomically(db, {
    overdue: rows<{ count: number; oldest: number | null }>(sql`SELECT count(*) AS count, min(due_at) AS oldest FROM (
      SELECT due_at FROM outbox WHERE queue = ${MAIN} AND due_at <= ${nowMs} ORDER BY due_at, id
        LIMIT ${MAX_OVERDUE})`),
    backlogs: rows<{ count: number; oldest: number | null }>(sql`SELECT count(*) AS count,
        min((SELECT min(o.due_at) FROM outbox o WHERE o.queue = s.id)) AS oldest
      FROM subscriptions s WHERE s.has_backlog = 1`),
    failing: rows<{ count: number }>(sql`SELECT count(*) AS count FROM episodes e
      CROSS JOIN subscriptions s ON s.id = e.subscription_id AND s.enabled = 1 AND s.is_deleted = 0
      WHERE e.failing_since IS NOT NULL AND e.stage <> ${STAGE.recovered}`),
    holds: rows<HoldRow>(
      sql`SELECT tenant_id AS tenantId, cause, since FROM sends_held WHERE tenant_id >= '' ORDER BY tenant_id
        LIMIT ${MAX_HOLDS}`,
    ),
  });
  const [due = { count: 0, oldest: null }] = overdue;
  const [apart = { count: 0, oldest: null }] = backlogs;
  return {
    overdue: { count: due.count, isExact: due.count < MAX_OVERDUE },
    oldestDueAt: due.oldest,
    backlogs: apart.count,
    oldestInBacklogAt: apart.oldest,
    failing: failing[0]?.count ?? 0,
    holds,
  };
}
