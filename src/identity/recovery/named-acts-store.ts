/** What suspects have done that no link undoes, found by the audit logs of all databases. */
import { jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { AuditAction } from "../../base/schemas/audit-actions";
import { actsOf, type Suspect } from "../../webhooks/subscriptions/suspects-store";
import { NAMED_ACTIONS } from "./remedies";

/** An event of the audit log. */
export interface NamedAct {
  id: string;
  tenantId: string;
  action: AuditAction;
  targetId: string | null;
  /** JSON. */
  meta: string | null;
}

/** A mail names fewer. */
const MAX_READ = 500;

/**
 * The acts of these users or keys since a time (Unix ms) that a mail names, newest first. An event of a tenant that was
 * moved can be in two databases.
 */
export async function readNamedActs(
  { shards }: Deps,
  suspects: readonly Suspect[],
  since: number,
): Promise<NamedAct[]> {
  const found = new Map<string, NamedAct>();
  for (const shard of shards.numbers) {
    const acts = await query<NamedAct>(shards.db(shard))`SELECT a.id, a.tenant_id AS tenantId, a.action,
      a.target_id AS targetId, a.meta FROM ${actsOf(suspects, since)}
      WHERE a.action IN (SELECT value FROM json_each(${jsonList(NAMED_ACTIONS)}))
        AND a.meta ->> '$.reason' IS NOT 'not-me'
      ORDER BY a.id DESC LIMIT ${MAX_READ}`;
    for (const act of acts) found.set(act.id, act);
  }
  return [...found.values()];
}

/** The names of tenants by their ids, without those that are deleted. */
export async function readTenantNames({ db }: Deps, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await query<{ id: string; name: string }>(db)`SELECT id, name FROM tenants
    WHERE id IN (SELECT value FROM json_each(${jsonList(ids)}))`;
  return new Map(found.map(({ id, name }) => [id, name]));
}
