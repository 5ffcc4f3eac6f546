/** Releasing claimed deliveries, and postponing deliveries. Spans tenants, like a batch of the queue. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import { newIdAt } from "../../base/db/ids";
import type { OutboxKey } from "../../base/messages";
import { IS_DUE_AT_SLOT, insertPlaceholders, outboxByKeys, PLACEHOLDER, PLANNED_ID } from "../plane/outbox-store";
import type { ClaimedDelivery } from "./claim-store";
import { type Limits, textOf } from "./throttling/limits";
import { LIMITS_TEXT } from "./throttling/waits-store";

/** Until when a delivery waits, and for what. */
export interface Wait {
  /** Unix ms. */
  untilMs: number;
  /** Null if it waits for its host, or for the service to recover. */
  waitsFor: "start" | "permit" | null;
  /** The wait holds only while its subscription has these limits; null: it holds in any case. */
  limits: Limits | null;
}

type Key = Pick<OutboxKey, "queue" | "dueAt" | "id">;

export type Released = Key &
  Pick<ClaimedDelivery, "subscriptionId" | "attemptId"> & {
    /** Without it, the delivery stays due. */
    wait?: Wait | undefined;
  };

/**
 * Releases claimed deliveries that were not sent: their attempts are deleted, so none is used up. A delivery that waits
 * plans a new attempt, and a placeholder with the old planned id points to that attempt.
 */
export async function releaseDeliveries(db: Db, claim: string, deliveries: readonly Released[]): Promise<void> {
  const list = jsonList(
    deliveries.map(({ queue, dueAt, id, subscriptionId, attemptId, wait }) => ({
      q: queue,
      d: dueAt,
      i: id,
      s: subscriptionId,
      a: attemptId,
      ...(wait && valuesOf(wait)),
    })),
  );
  const hasWaits = deliveries.some(({ wait }) => wait !== undefined);
  await repeatable(() =>
    atomically(db, {
      attempts: sql`DELETE FROM attempts WHERE claim = ${claim} AND status = 'pending'
        AND (subscription_id, id) IN (SELECT value ->> 's', value ->> 'a' FROM json_each(${list}))`,
      placeholders: sql`DELETE FROM attempts WHERE status = ${PLACEHOLDER} AND (subscription_id, id, next_id) IN (
        SELECT o.subscription_id, ${PLANNED_ID}, j.value ->> 'a' FROM ${outboxByKeys(list)})`,
      ...(hasWaits ? waitStatements(list) : {}),
    }),
  );
}

/**
 * Makes deliveries wait that nobody has claimed. Leaves out tests, which go first, and what has waited before. Returns
 * the ids of those that now wait.
 */
export async function postponeNew(db: Db, deliveries: readonly (Key & { wait: Wait })[]): Promise<ReadonlySet<string>> {
  const list = jsonList(
    deliveries.map(({ queue, dueAt, id, wait }) => ({ q: queue, d: dueAt, i: id, ...valuesOf(wait) })),
  );
  const isNew = sql`o.kind <> 'test' AND NOT ${IS_DUE_AT_SLOT}`;
  const { outbox } = await repeatable(() => atomically(db, waitStatements(list, isNew)));
  return new Set(outbox.map(({ id }) => id));
}

/** The members of a wait in the lists of `waitStatements`, with a new planned id. */
const valuesOf = ({ untilMs, waitsFor, limits }: Wait) => ({
  to: untilMs,
  n: newIdAt(untilMs),
  slot: waitsFor && untilMs,
  l: limits && textOf(limits),
});

/** Only the deliveries `o` that meet `condition` wait. */
const waitStatements = (list: string, condition = sql`1`) => ({
  // Before `outbox`, which changes the planned ids. If a wait does not hold, the delivery stays due. So does one that
  // somebody has claimed, because its planned id is taken.
  pointers: insertPlaceholders(
    sql`j.value ->> 'n'`,
    sql`FROM ${outboxByKeys(list)} CROSS JOIN subscriptions s ON s.id = o.subscription_id
      WHERE ${condition} AND j.value ->> 'n' IS NOT NULL
        AND (j.value ->> 'l' IS NULL OR j.value ->> 'l' = ${LIMITS_TEXT})`,
  ),
  outbox: rows<{
    id: string;
  }>(sql`UPDATE outbox SET due_at = t.next_due_at, slot_at = coalesce(t.slot_at, outbox.slot_at),
      attempt_id = t.next_id
    FROM (SELECT o.queue AS queue, o.due_at AS due_at, o.id AS id, j.value ->> 'to' AS next_due_at,
        j.value ->> 'slot' AS slot_at, m.next_id AS next_id
      FROM ${outboxByKeys(list)} CROSS JOIN attempts m ON m.subscription_id = o.subscription_id
        AND m.id = ${PLANNED_ID} AND m.status = ${PLACEHOLDER} AND m.next_id = j.value ->> 'n') t
    WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id
    RETURNING id`),
});
