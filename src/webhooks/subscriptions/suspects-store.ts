/** What somebody has done since a time, above all subscriptions, found by the audit log of each delivery database. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList, query } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";

/** A user or a key; in one tenant, or in all of them if that is null. */
export type Suspect = readonly [actorId: string, tenantId: string | null];

export interface SuspectSubscription {
  id: string;
  tenantId: string;
  name: string;
  isEnabled: 0 | 1;
}

/** What these users or keys have done since a time (Unix ms): events `a` of the audit log of a database. */
export const actsOf = (suspects: readonly Suspect[], since: number): SQL =>
  sql`json_each(${jsonList(suspects)}) j CROSS JOIN audit_events a
    ON coalesce(a.actor_id, a.target_id) = j.value ->> 0 AND a.id >= ${firstIdAt(since)}
      AND a.actor_id = j.value ->> 0 AND (j.value ->> 1 IS NULL OR a.tenant_id = j.value ->> 1)`;

/**
 * The subscriptions of any tenant in one database that these users or keys have created, enabled, given another secret,
 * or changed in more than the name, since a time (Unix ms).
 */
export async function readSubscriptionsBy(
  { shards }: Deps,
  shard: number,
  suspects: readonly Suspect[],
  since: number,
): Promise<SuspectSubscription[]> {
  return query<SuspectSubscription>(shards.db(shard))`SELECT DISTINCT s.id, s.tenant_id AS tenantId, s.name,
      s.enabled AS isEnabled
    FROM ${actsOf(suspects, since)} JOIN subscriptions s ON s.id = a.target_id AND s.tenant_id = a.tenant_id
    WHERE s.is_deleted = 0 AND s.listener_of IS NULL
      AND (a.action IN ('webhook.created', 'webhook.resumed', 'webhook.secret_rotated', 'webhook.secret_ended')
        OR (a.action = 'webhook.updated'
          AND EXISTS (SELECT 1 FROM json_each(a.meta, '$.changed') f WHERE f.value NOT IN ('name', 'externalId'))))`;
}
