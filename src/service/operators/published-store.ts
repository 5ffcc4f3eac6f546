/**
 * What a tenant has published lately, and who has paused its subscriptions. Neither table has an index for it, so the
 * newest rows of the tenant's audit log are read up to a bound, and of the database those up to the last day on which
 * the tenant published.
 */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { firstIdAt, firstIdAtSql, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { DAY_MS, HOUR_MS } from "../../base/time";
import { type PublishedType, subscriptionsOf, type TenantSubscriptionRow } from "./tenant-subscriptions-store";

const EXAMINED_EVENTS = 10_000;
const EXAMINED_AUDIT_EVENTS = 1_000;
const MAX_TYPES = 200;

/** Who has paused or disabled a subscription last. */
export interface Pause {
  subscriptionId: string;
  /** An audit event, whose id has the time. */
  id: string;
  actorKind: string;
  actorName: string | null;
}

/** What is known of a tenant's subscriptions, and of what they could get. */
interface Published {
  types: PublishedType[];
  /** When the first of the events was published that were examined, Unix ms; null if there are no earlier ones. */
  examinedSinceMs: number | null;
  pauses: Pause[];
  subscriptions: TenantSubscriptionRow[];
}

/** Reads the subscriptions of a tenant, and what it has published since `sinceMs` (Unix ms). */
export async function readPublished(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  sinceMs: number,
): Promise<Published> {
  const period = sql`id >= ${firstIdAt(sinceMs)} AND id < ${lastIdOf(tenantId)}`;
  const newest = sql`SELECT id, tenant_id, type, test_of FROM events WHERE ${period}
    ORDER BY id DESC LIMIT ${EXAMINED_EVENTS}`;
  const { types, ends, pauses, subscriptions } = await atomically(shards.db(shard), {
    types: rows<PublishedType>(sql`SELECT type, count(*) AS count FROM (${newest})
      WHERE tenant_id = ${tenantId} AND test_of IS NULL GROUP BY type ORDER BY count DESC LIMIT ${MAX_TYPES}`),
    ends: rows<{ last: string | null }>(sql`SELECT (SELECT id FROM events WHERE ${period}
      ORDER BY id DESC LIMIT 1 OFFSET ${EXAMINED_EVENTS - 1}) AS last`),
    pauses: rows<Pause>(sql`SELECT target_id AS subscriptionId, max(id) AS id, actor_kind AS actorKind,
        actor_name AS actorName
      FROM (SELECT id, action, actor_kind, actor_name, target_id FROM audit_events WHERE tenant_id = ${tenantId}
        ORDER BY id DESC LIMIT ${EXAMINED_AUDIT_EVENTS})
      WHERE action IN ('webhook.paused', 'webhook.disabled') GROUP BY target_id`),
    subscriptions: subscriptionsOf(tenantId),
  });
  const last = ends[0]?.last ?? null;
  return { types, examinedSinceMs: last === null ? null : timeOfId(last), pauses, subscriptions };
}

/** What the ids of a tenant's events come before, as SQL: "" if it never published, and "g" if that is not known. */
const lastIdOf = (tenantId: string) =>
  sql`coalesce((SELECT iif(newest_day = 0, 'g', ${firstIdAtSql(sql`(newest_day + 1) * ${DAY_MS} + ${HOUR_MS}`)})
      FROM publishers WHERE tenant_id = ${tenantId}),
    (SELECT '' FROM publishers WHERE tenant_id = '' AND since < ${timeOfId(tenantId) || 0}), 'g')`;
