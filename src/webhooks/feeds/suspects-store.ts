/** The tokens of feeds that somebody may have whom their account's owner does not know, in D1. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import { auditOf } from "../../tenancy/audit/record-store";
import { actsOf, type Suspect } from "../subscriptions/suspects-store";

export interface SuspectFeed {
  id: string;
  tenantId: string;
  name: string;
}

/**
 * The feeds of any tenant that these users or keys have created, or given a new token, since a time (Unix ms). The log
 * of the delivery database has the former, that of the control plane the latter.
 */
export async function readFeedsBy(
  { db, shards }: Deps,
  suspects: readonly Suspect[],
  since: number,
): Promise<SuspectFeed[]> {
  const acts = actsOf(suspects, since);
  const rotated = await query<{ tenantId: string; id: string }>(db)`SELECT a.tenant_id AS tenantId, a.target_id AS id
    FROM ${acts} WHERE a.action = 'feed.token_rotated'`;
  const others = jsonList(rotated.map(({ tenantId, id }) => [tenantId, id]));
  const columns = sql.raw("f.id, f.tenant_id AS tenantId, f.name");
  const found = new Map<string, SuspectFeed>();
  for (const shard of shards.numbers) {
    const feeds = await query<SuspectFeed>(shards.db(shard))`
      SELECT ${columns} FROM ${acts} JOIN feeds f ON f.tenant_id = a.tenant_id AND f.id = a.target_id
        WHERE a.action = 'feed.created'
      UNION SELECT ${columns} FROM json_each(${others}) o
        CROSS JOIN feeds f ON f.tenant_id = o.value ->> 0 AND f.id = o.value ->> 1`;
    for (const feed of feeds) found.set(feed.id, feed);
  }
  return [...found.values()];
}

/**
 * Ends the tokens that a feed got since a time (Unix ms). Returns false if it has none of them. They stay stored: a
 * tenant without any token would have no feeds.
 */
export async function endTokensSince(
  { db }: Deps,
  { id, tenantId }: SuspectFeed,
  actor: Actor,
  since: number,
  nowMs: number,
): Promise<boolean> {
  const { ended } = await atomically(db, {
    ended: sql`UPDATE feed_tokens SET expires_at = ${nowMs} WHERE tenant_id = ${tenantId} AND feed_id = ${id}
      AND created_at >= ${since} AND (expires_at IS NULL OR expires_at > ${nowMs}) RETURNING hash`,
    recorded: auditOf(
      { tenantId, actor },
      "feed.updated",
      { kind: "feed", id },
      { changed: ["token"], reason: "not-me" },
    ),
  });
  return ended.length > 0;
}
