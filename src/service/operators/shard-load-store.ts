/** What waits and what fails in one delivery database. Spans tenants. */
import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../../base/db/client";
import { lastFullHour } from "../../base/time";
import { hasDeparted } from "../../tenancy/moves/fence-store";
import { MAIN } from "../../webhooks/plane/outbox-store";
import { STAGE } from "../../webhooks/plane/stages";
import type { FreezeRow } from "./freezes-store";

const MAX_HOLDS = 200;
/** The most overdue deliveries that are counted. */
const MAX_OVERDUE = 10_000;
/** With as many subscriptions or more, the counts of the hourly job are shown. */
const MAX_ADDED_UP = 500;
export const MAX_FAILING_TENANTS = 20;

/** What waits in a delivery database. Times are Unix ms. */
export interface ShardLoad {
  overdue: { count: number; isExact: boolean };
  oldestDueAt: number | null;
  backlogs: number;
  oldestInBacklogAt: number | null;
  failing: number;
  /** The tenants with the most failing subscriptions. */
  failingTenants: FailingTenantRow[];
  /** The attempts since the hour before the present one; null in a database with too many subscriptions to add up. */
  attempts: { succeeded: number; failed: number } | null;
  holds: FreezeRow[];
}

interface FailingTenantRow {
  tenantId: string;
  /** How many of its subscriptions fail. */
  failing: number;
  /** When the first of them began to, Unix ms. */
  since: number;
}

/** Reads what waits in a delivery database, across its tenants. */
export async function readShardLoad(db: Db, nowMs: number): Promise<ShardLoad> {
  const { overdue, backlogs, failing, attempts, holds } = await atomically(db, {
    overdue: rows<{ count: number; oldest: number | null }>(sql`SELECT count(*) AS count, min(due_at) AS oldest FROM (
      SELECT due_at FROM outbox WHERE queue = ${MAIN} AND due_at <= ${nowMs} ORDER BY due_at, id
        LIMIT ${MAX_OVERDUE})`),
    backlogs: rows<{ count: number; oldest: number | null }>(sql`SELECT count(*) AS count,
        min((SELECT min(o.due_at) FROM outbox o WHERE o.queue = s.id)) AS oldest
      FROM subscriptions s WHERE s.has_backlog = 1`),
    failing: rows<FailingTenantRow & { total: number }>(sql`SELECT s.tenant_id AS tenantId, count(*) AS failing,
        min(e.failing_since) AS since, sum(count(*)) OVER () AS total FROM episodes e
      CROSS JOIN subscriptions s ON s.id = e.subscription_id AND s.enabled = 1 AND s.is_deleted = 0
      WHERE e.failing_since IS NOT NULL AND e.stage <> ${STAGE.recovered} AND NOT ${hasDeparted(sql.raw("s.tenant_id"))}
      GROUP BY s.tenant_id ORDER BY failing DESC, since LIMIT ${MAX_FAILING_TENANTS}`),
    attempts: rows<{ examined: number; succeeded: number; failed: number }>(sql`SELECT count(DISTINCT s.id) AS examined,
        coalesce(sum(h.succeeded), 0) AS succeeded, coalesce(sum(h.failed), 0) AS failed
      FROM (SELECT id FROM subscriptions WHERE id > '' ORDER BY id LIMIT ${MAX_ADDED_UP}) s
      LEFT JOIN hourly_stats h ON h.subscription_id = s.id AND h.hour >= ${lastFullHour(nowMs)}`),
    holds: rows<FreezeRow>(
      sql`SELECT tenant_id AS tenantId, cause, since FROM sends_held WHERE tenant_id >= '' ORDER BY tenant_id
        LIMIT ${MAX_HOLDS}`,
    ),
  });
  const [due = { count: 0, oldest: null }] = overdue;
  const [added] = attempts;
  const [apart = { count: 0, oldest: null }] = backlogs;
  return {
    overdue: { count: due.count, isExact: due.count < MAX_OVERDUE },
    oldestDueAt: due.oldest,
    backlogs: apart.count,
    oldestInBacklogAt: apart.oldest,
    failing: failing[0]?.total ?? 0,
    failingTenants: failing.map(({ total: _total, ...tenant }) => tenant),
    attempts: added && added.examined < MAX_ADDED_UP ? { succeeded: added.succeeded, failed: added.failed } : null,
    holds,
  };
}
