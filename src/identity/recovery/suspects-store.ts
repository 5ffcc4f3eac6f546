/**
 * Who may have acted for a thief since a time, in D1: the account, its API keys, whoever joined by its invitations, and
 * the keys of tenants and of the product, and the portal links, that they have made. A key acts in its own name, also
 * for its thief.
 */
import { query } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import type { Suspect } from "../../webhooks/subscriptions/suspects-store";
import { guests } from "./tenant-changes-store";

/** The suspects in all tenants; `sinceMs` is Unix ms. */
export async function readSuspects({ db }: Deps, userId: string, sinceMs: number): Promise<Suspect[]> {
  const found = await query<{ actorId: string; tenantId: string | null }>(db)`WITH people(id, tenant_id) AS (
      SELECT ${userId}, NULL UNION SELECT user_id, tenant_id FROM (${guests(userId, sinceMs)})),
    actors(id, tenant_id) AS (SELECT id, tenant_id FROM people
      UNION SELECT k.id, p.tenant_id FROM people p CROSS JOIN api_keys k
        ON k.user_id = p.id AND (p.tenant_id IS NULL OR k.tenant_id = p.tenant_id)
      UNION SELECT a.target_id, iif(a.tenant_id = ${PLATFORM_TENANT}, NULL, a.tenant_id)
        FROM people p CROSS JOIN audit_events a
          ON coalesce(a.actor_id, a.target_id) = p.id AND a.id >= ${firstIdAt(sinceMs)}
        WHERE a.actor_id = p.id AND (p.tenant_id IS NULL OR a.tenant_id = p.tenant_id)
          AND a.action IN ('api_key.created', 'platform_key.created'))
    SELECT id AS actorId, tenant_id AS tenantId FROM actors
      UNION SELECT a.target_id, a.tenant_id FROM actors CROSS JOIN audit_events a
        ON coalesce(a.actor_id, a.target_id) = actors.id AND a.id >= ${firstIdAt(sinceMs)}
      WHERE a.actor_id = actors.id AND (actors.tenant_id IS NULL OR a.tenant_id = actors.tenant_id)
        AND a.action = 'portal.link_created'`;
  return found.map(({ actorId, tenantId }) => [actorId, tenantId] as const);
}
