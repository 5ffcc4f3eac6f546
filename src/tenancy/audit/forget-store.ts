/** What is left of a person in the audit log when their account is deleted: the id, and what was done. */
import { type SQL, sql } from "drizzle-orm";
import { type Db, jsonList, query } from "../../base/db/client";
import { publishedId } from "./published-id";
import { SERVICE_LOG } from "./record-store";

/** Whether an event has the words of an operator about a person, in whose activity the operator is not named. */
const hasReason = (action: SQL, actorId: SQL, meta: SQL): SQL =>
  sql`(${action} GLOB 'operator.*' AND ${actorId} IS NULL AND ${meta} ->> '$.reason' IS NOT NULL)`;

/**
 * Removes the names, addresses and devices of a deleted user and their API keys from up to `limit` events of a
 * database, and from the operational events that published these; and what operators wrote about the user. The log of
 * the service keeps all of it until its events are too old: an operator must not be able to remove the traces of what
 * they did. Can be repeated. Returns how many events it changed.
 */
export async function forgetActors(
  db: Db,
  deliveryDbs: readonly Db[],
  actorIds: readonly string[],
  limit: number,
): Promise<number> {
  const found = await query<{ tenantId: string; id: string }>(db)`SELECT e.tenant_id AS tenantId, e.id
    FROM json_each(${jsonList(actorIds)}) j CROSS JOIN audit_events e ON coalesce(e.actor_id, e.target_id) = j.value
    WHERE e.tenant_id <> ${SERVICE_LOG} AND (e.actor_name IS NOT NULL OR e.ip IS NOT NULL
      OR e.user_agent IS NOT NULL OR ${hasReason(sql`e.action`, sql`e.actor_id`, sql`e.meta`)}) LIMIT ${limit}`;
  if (found.length === 0) return 0;
  const published = jsonList(found.map(({ id }) => publishedId(id)));
  // Before the audit events: the published ones are found through them.
  for (const delivery of deliveryDbs) {
    await query(delivery)`UPDATE events SET payload = json_set(iif(${hasReason(
      sql`payload ->> '$.action'`,
      sql`payload ->> '$.actor.id'`,
      sql`payload -> '$.meta'`,
    )}, json_remove(payload, '$.meta.reason'), payload), '$.actor.name', NULL, '$.ip', NULL, '$.userAgent', NULL)
      WHERE id IN (SELECT value FROM json_each(${published})) AND type = 'postern.audit'`;
  }
  await query(db)`UPDATE audit_events SET actor_name = NULL, ip = NULL, user_agent = NULL,
    meta = iif(${hasReason(sql`action`, sql`actor_id`, sql`meta`)}, json_remove(meta, '$.reason'), meta)
    WHERE (tenant_id, id) IN (
    SELECT value ->> 'tenantId', value ->> 'id' FROM json_each(${jsonList(found)}))`;
  return found.length;
}
