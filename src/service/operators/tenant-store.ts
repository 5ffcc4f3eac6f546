/** A tenant as operators see it: counts and states, from both planes. */

import { sql } from "drizzle-orm";
import { hasSignOn } from "../../base/config/sign-on-settings";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { ofTenantAndMembers } from "../../identity/members/ended-keys-store";
import { auditEach } from "../../tenancy/audit/record-store";
import { MAIN } from "../../webhooks/plane/outbox-store";
import { IS_FAILING } from "../../webhooks/stats/store";
import { ofTenant } from "../acting/audit-store";
import type { FreezeRow } from "./freezes-store";
import { type SignOnRows, signOnRows } from "./sign-on-store";

const MAX_OWNERS = 10;
/**
 * The most deliveries in backlogs that are counted, and the most rows of the main outbox queue, of all tenants, that
 * are examined.
 */
const MAX_OPEN = 10_000;
const EXAMINED_OPEN = 50_000;

/** What the control plane has about a tenant. Times are Unix ms. */
export interface OperatedTenantRow extends TenantRef {
  name: string;
  externalId: string | null;
  createdAt: number;
  suspendedAt: number | null;
  suspendedReason: string | null;
  members: number;
  apiKeys: number;
}

interface FoundTenant {
  tenant: OperatedTenantRow;
  owners: { id: string; email: string }[];
  /** Null without single sign-on. */
  signOn: SignOnRows | null;
}

/** Reads a tenant and records that the operator has read it; undefined when there is none. */
export async function findTenantOf(
  { db, config }: Deps,
  operator: SessionPrincipal,
  tenantId: string,
  nowMs: number,
): Promise<FoundTenant | undefined> {
  const isOn = hasSignOn(config);
  const { connections, domains, tokens, jobs } = signOnRows(tenantId);
  const read = await atomically(db, {
    found: rows<OperatedTenantRow>(sql`SELECT t.id AS tenantId, t.name,
        t.external_id AS externalId, t.shard, t.former_shard AS formerShard,
        t.created_at AS createdAt, t.suspended_at AS suspendedAt,
        t.suspended_reason AS suspendedReason, t.member_count AS members,
        (SELECT count(*) FROM api_keys k WHERE ${ofTenantAndMembers(sql`t.id`)} AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})) AS apiKeys
      FROM tenants t WHERE t.id = ${tenantId}`),
    owners: rows<{
      id: string;
      email: string;
    }>(sql`SELECT u.id, u.email FROM memberships m CROSS JOIN users u ON u.id = m.user_id
      WHERE m.tenant_id = ${tenantId} AND m.role = 'owner' ORDER BY m.created_at, u.id LIMIT ${MAX_OWNERS}`),
    recorded: ofTenant(operator, tenantId, "operator.tenant_read").map((event) =>
      auditEach(event, sql`tenants t WHERE t.id = ${tenantId}`, nowMs),
    ),
    connections: isOn ? connections : undefined,
    domains: isOn ? domains : undefined,
    tokens: isOn ? tokens : undefined,
    jobs: isOn ? jobs : undefined,
  });
  const [tenant] = read.found;
  const signOn = { connections: read.connections, domains: read.domains, tokens: read.tokens, jobs: read.jobs };
  return tenant && { tenant, owners: read.owners, signOn: isOn ? signOn : null };
}

export interface TenantLoad {
  subscriptions: { total: number; active: number; failing: number; paused: number; disabled: number };
  /** Counted up to a bound. */
  open: { count: number; isExact: boolean; oldestDueAt: number | null };
  attempts: { succeeded: number; failed: number };
  holds: FreezeRow[];
}

/** Reads what the delivery plane has about a tenant; attempts since `sinceMs` (Unix ms), the start of an hour. */
export async function readLoad({ shards }: Deps, { tenantId, shard }: TenantRef, sinceMs: number): Promise<TenantLoad> {
  const ofTenant = sql`s.tenant_id = ${tenantId} AND s.is_deleted = 0`;
  const isFailing = sql`s.enabled = 1 AND ${IS_FAILING}`;
  const { subscriptions, main, backlogs, attempts, holds } = await atomically(shards.db(shard), {
    subscriptions: rows<TenantLoad["subscriptions"]>(sql`SELECT count(*) AS total,
        coalesce(sum(s.enabled = 1 AND NOT (${isFailing})), 0) AS active, coalesce(sum(${isFailing}), 0) AS failing,
        coalesce(sum(s.enabled = 0 AND s.disabled_reason IS NULL), 0) AS paused,
        coalesce(sum(s.disabled_reason IS NOT NULL), 0) AS disabled
      FROM subscriptions s WHERE ${ofTenant}`),
    main: rows<{
      count: number;
      oldest: number | null;
      examined: number;
    }>(sql`SELECT count(*) FILTER (WHERE tenant_id = ${tenantId}) AS count,
        min(due_at) FILTER (WHERE tenant_id = ${tenantId}) AS oldest, count(*) AS examined
      FROM (SELECT tenant_id, due_at FROM outbox WHERE queue = ${MAIN} ORDER BY due_at, id LIMIT ${EXAMINED_OPEN})`),
    backlogs: rows<{ count: number; oldest: number | null }>(sql`SELECT count(*) AS count, min(due_at) AS oldest FROM (
        SELECT o.due_at FROM subscriptions s CROSS JOIN outbox o ON o.queue = s.id
        WHERE ${ofTenant} AND s.has_backlog = 1 ORDER BY s.id, o.due_at LIMIT ${MAX_OPEN})`),
    attempts: rows<
      TenantLoad["attempts"]
    >(sql`SELECT coalesce(sum(h.succeeded), 0) AS succeeded, coalesce(sum(h.failed), 0) AS failed
      FROM subscriptions s CROSS JOIN hourly_stats h ON h.subscription_id = s.id AND h.hour >= ${sinceMs}
        WHERE s.tenant_id = ${tenantId}`),
    holds: rows<FreezeRow>(
      sql`SELECT tenant_id AS tenantId, cause, since FROM sends_held WHERE tenant_id IN ('', ${tenantId})`,
    ),
  });
  const [inMain = { count: 0, oldest: null, examined: 0 }] = main;
  const [inBacklogs = { count: 0, oldest: null }] = backlogs;
  const oldest = [inMain.oldest, inBacklogs.oldest].filter((timeMs) => timeMs !== null);
  return {
    subscriptions: subscriptions[0] ?? { total: 0, active: 0, failing: 0, paused: 0, disabled: 0 },
    open: {
      count: inMain.count + inBacklogs.count,
      isExact: inMain.examined < EXAMINED_OPEN && inBacklogs.count < MAX_OPEN,
      oldestDueAt: oldest.length === 0 ? null : Math.min(...oldest),
    },
    attempts: attempts[0] ?? { succeeded: 0, failed: 0 },
    holds,
  };
}
