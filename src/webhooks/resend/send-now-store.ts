/** A delivery that waits for its next attempt, in the delivery database of its tenant. */

import { sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../base/db/client";
import { newIdAt, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { OutboxKey } from "../../base/messages";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { attemptChain } from "../log/store";
import { isLive } from "../plane/live-store";
import { IS_DUE_AT_SLOT, isInMain, KEY_COLUMNS, MAIN, PLACEHOLDER } from "../plane/outbox-store";

/** Why and until when one delivery waits. */
export interface WaitingDelivery {
  deliveryId: string;
  /** When the outbox row is due, in Unix ms. */
  dueAt: number;
  /** When it should start, if it waits because of a limit, in Unix ms; null if it only waits for its due time. */
  slotAt: number | null;
  /** How many attempts have ended. */
  attempts: number;
  /** The attempt, or the placeholder of a postponed attempt, that names the next attempt. */
  lastId: string;
  nextAttemptId: string;
}

/** Picks the outbox row `o` of a waiting delivery. */
const rowOf = (
  id: string,
  { dueAt, deliveryId, nextAttemptId }: Pick<WaitingDelivery, "dueAt" | "deliveryId" | "nextAttemptId">,
) =>
  sql`o.queue IN (${MAIN}, ${id}) AND o.due_at = ${dueAt} AND o.id = ${deliveryId} AND o.subscription_id = ${id}
    AND o.attempt_id = ${nextAttemptId}`;

/**
 * Returns the wait of a delivery after a failed attempt; undefined when it has ended, is in progress, or is not the
 * tenant's.
 */
export async function findWaiting(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  deliveryId: string,
): Promise<WaitingDelivery | undefined> {
  const db = deps.shards.db(tenant.shard);
  const link = await queryFirst<Pick<WaitingDelivery, "lastId" | "nextAttemptId">>(
    db,
  )`${attemptChain(id, sql`${deliveryId}`)}
    SELECT a.id AS lastId, a.next_id AS nextAttemptId FROM chain CROSS JOIN attempts a
      ON a.subscription_id = ${id} AND a.id = chain.id CROSS JOIN subscriptions s
    WHERE ${isLive(tenant, id)} AND a.status IN ('failed', ${PLACEHOLDER}) AND a.next_id IS NOT NULL
      ORDER BY a.attempt_count DESC, a.id DESC LIMIT 1`;
  if (!link) return undefined;
  // The planned id carries the time at which the attempt is due.
  const key = { ...link, deliveryId, dueAt: timeOfId(link.nextAttemptId) };
  const found = await queryFirst<Pick<WaitingDelivery, "slotAt" | "attempts">>(db)`SELECT
      iif(${IS_DUE_AT_SLOT}, o.slot_at, NULL) AS slotAt, o.attempts
    FROM outbox o WHERE ${rowOf(id, key)} AND o.attempts > 0
      AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = ${id} AND a.id = ${link.nextAttemptId})`;
  return found && { ...key, ...found };
}

/**
 * Ends the wait of a delivery. Returns what to queue: nothing if the attempt has begun in the meantime or the delivery
 * is in a backlog.
 */
export async function endWait(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  waiting: WaitingDelivery,
  nowMs: number,
): Promise<OutboxKey[]> {
  const attemptId = newIdAt(nowMs);
  const { moved } = await atomically(deps.shards.db(tenant.shard), {
    moved: rows<OutboxKey>(sql`UPDATE outbox AS o SET due_at = ${nowMs}, attempt_id = ${attemptId}
      WHERE ${rowOf(id, waiting)} AND EXISTS (SELECT 1 FROM subscriptions s WHERE ${isLive(tenant, id)})
      AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = ${id} AND a.id = ${waiting.nextAttemptId})
      RETURNING ${KEY_COLUMNS}`),
    linked: sql`UPDATE attempts SET next_id = ${attemptId} WHERE subscription_id = ${id} AND id = ${waiting.lastId}
      AND EXISTS (SELECT 1 FROM outbox o WHERE ${rowOf(id, { ...waiting, dueAt: nowMs, nextAttemptId: attemptId })})`,
  });
  return moved.filter(isInMain);
}
