/**
 * What a tenant has published lately, and who has paused its subscriptions. Neither table has an index for it, so the
 * newest rows of the database, or of the tenant's audit log, are read up to a bound.
 */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { firstIdAt, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";

const EXAMINED_EVENTS = 10_000;
const EXAMINED_AUDIT_EVENTS = 1_000;
const MAX_TYPES = 200;

/** How many events of a type a tenant has published. */
export interface PublishedType {
  type: string;
  count: number;
}

/** Who has paused or disabled a subscription last. */
export interface Pause {
  subscriptionId: string;
  /** An audit event, whose id has the time. */
  id: string;
  actorKind: string;
  actorName: string | null;
}

/** Reads what the tenant has published since `sinceMs` (Unix ms), or since `examinedSinceMs` if that is not null. */
export async function readPublished(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  sinceMs: number,
): Promise<{ types: PublishedType[]; examinedSinceMs: number | null; pauses: Pause[] }> {
  const newest = sql`SELECT id, tenant_id, type, test_of FROM events WHERE id >= ${firstIdAt(sinceMs)}
    ORDER BY id DESC LIMIT ${EXAMINED_EVENTS}`;
  const { types, ends, pauses } = await atomically(shards.db(shard), {
    types: rows<PublishedType>(sql`SELECT type, count(*) AS count FROM (${newest})
      WHERE tenant_id = ${tenantId} AND test_of IS NULL GROUP BY type ORDER BY count DESC LIMIT ${MAX_TYPES}`),
    ends: rows<{ last: string | null }>(sql`SELECT (SELECT id FROM events WHERE id >= ${firstIdAt(sinceMs)}
      ORDER BY id DESC LIMIT 1 OFFSET ${EXAMINED_EVENTS - 1}) AS last`),
    pauses: rows<Pause>(sql`SELECT target_id AS subscriptionId, max(id) AS id, actor_kind AS actorKind,
        actor_name AS actorName
      FROM (SELECT id, action, actor_kind, actor_name, target_id FROM audit_events WHERE tenant_id = ${tenantId}
        ORDER BY id DESC LIMIT ${EXAMINED_AUDIT_EVENTS})
      WHERE action IN ('webhook.paused', 'webhook.disabled') GROUP BY target_id`),
  });
  const last = ends[0]?.last ?? null;
  return { types, examinedSinceMs: last === null ? null : timeOfId(last), pauses };
}
