/** What has become of the deliveries of a replay so far, from the attempts since it began. */
import { queryFirst } from "../../../base/db/client";
import { firstIdAt } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { PLACEHOLDER } from "../../plane/outbox-store";
import { ID_BEFORE_MS } from "../../plane/timing";

/** The most attempts that are read. */
const EXAMINED_ATTEMPTS = 1_000;

/** Deliveries of the replay's period that had an attempt since it began. Any other that it has queued still waits. */
export interface ReplayOutcome {
  delivered: number;
  /** Failed for good: no attempt follows. */
  failed: number;
  /** Whether there were more attempts than are read. */
  isPartial: boolean;
}

/** Counts by delivery, from the attempts that began after the replay, in one database. Times are Unix ms. */
export async function readReplayOutcome(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  subscriptionId: string,
  { since, until, startedAt }: { since: number; until: number; startedAt: number },
): Promise<ReplayOutcome> {
  const found = await queryFirst<{ delivered: number; failed: number; examined: number }>(deps.shards.db(shard))`
    WITH examined AS MATERIALIZED (SELECT a.id, a.delivery_id, a.event_id, a.status, a.next_id FROM attempts a
      WHERE a.subscription_id = (SELECT id FROM subscriptions WHERE id = ${subscriptionId} AND tenant_id = ${tenantId})
        AND a.id >= ${firstIdAt(startedAt)} ORDER BY a.id LIMIT ${EXAMINED_ATTEMPTS}),
    ended AS (SELECT max(status = 'success') AS delivered, max(status = 'failed' AND next_id IS NULL) AS failed
      FROM examined WHERE status <> ${PLACEHOLDER} AND event_id >= ${firstIdAt(since - ID_BEFORE_MS)}
        AND event_id < ${firstIdAt(until)} GROUP BY coalesce(delivery_id, id))
    SELECT count(*) FILTER (WHERE delivered) AS delivered, count(*) FILTER (WHERE failed AND NOT delivered) AS failed,
      (SELECT count(*) FROM examined) AS examined FROM ended`;
  const { delivered = 0, failed = 0, examined = 0 } = found ?? {};
  return { delivered, failed, isPartial: examined === EXAMINED_ATTEMPTS };
}
