/**
 * Claiming deliveries in D1. An outbox row names the id of its next attempt, and inserting a `pending` attempt with
 * that id is the claim: only one consumer can insert it, and the outbox row is not written. In a late claim, the
 * attempt gets a new id, so that ids stay in the order of time. A placeholder row with the status `moved` then takes
 * the planned id and points to the attempt. Spans tenants, like a batch of the queue; each row names its own tenant.
 */
import { atomically, type Db, jsonList } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import { firstIdAt, newIdAt } from "../../base/db/ids";
import { fromStored } from "../../base/db/stored-text";
import type { OutboxKey } from "../../base/messages";
import { keyOf, type QueueSpeed } from "../plane/enqueue";
import { LATE_AFTER_MS } from "../plane/timing";
import { type ClaimedFields, claimStatements, type EventFields } from "./claim-statements-store";
import { parseTarget, type Target } from "./target-store";

/** A delivery that the caller has claimed: what to send, and where. */
export interface ClaimedDelivery extends ClaimedFields, EventFields, Target {}

/** How to claim. */
interface Manner {
  /** The queue that the keys are from. */
  speed: QueueSpeed;
  /** The caller's token: a call may be repeated with the same token. */
  claim: string;
  /** Claims in fewer statements what is not late, and leaves the rest. */
  isOrdinary?: boolean;
}

interface ClaimAnswer {
  claimed: ClaimedDelivery[];
  /** In a call for the fast queue: those of slow subscriptions. */
  slow: OutboxKey[];
  /** Those whose subscription asked for a pause, or whose tenant's sends an operator holds. */
  held: OutboxKey[];
  /** The ids of what an ordinary claim leaves to a thorough one. */
  left: ReadonlySet<string>;
}

/**
 * Claims those of `keys` that are due and unclaimed, and reads what sending needs, in one round trip. Ends deliveries
 * whose subscription was deleted or whose event retention has removed, unless the claim is an ordinary one.
 */
export async function claimDeliveries(
  db: Db,
  { speed, claim, isOrdinary = false }: Manner,
  keys: readonly OutboxKey[],
  nowMs: number,
): Promise<ClaimAnswer> {
  const list = keys.map(({ queue, dueAt, id }) => ({ q: queue, d: dueAt, i: id }));
  const values = {
    claim,
    nowMs,
    lateBefore: firstIdAt(nowMs - LATE_AFTER_MS),
    lateFrom: firstIdAt(nowMs + LATE_AFTER_MS),
    keys: jsonList(isOrdinary ? list : list.map((key) => ({ ...key, f: newIdAt(nowMs) }))),
  };
  const statements = claimStatements(speed, isOrdinary);
  const { claimed, events } = await repeatable(() =>
    atomically(db, {
      ended: statements.ended?.(values),
      placeholders: statements.placeholders?.(values),
      claims: statements.claims(values),
      claimed: statements.claimed(values),
      events: statements.events(values),
    }),
  );
  const eventById = new Map(
    await Promise.all(
      events.map(async ({ id, ...event }) => [id, { ...event, payload: await fromStored(event.payload) }] as const),
    ),
  );
  const unclaimed = (by: "hold" | "slowness" | null) =>
    claimed.filter(({ attemptId, stoppedBy }) => attemptId === null && stoppedBy === by);
  return {
    slow: unclaimed("slowness").map(keyOf),
    held: unclaimed("hold").map(keyOf),
    left: new Set(isOrdinary ? unclaimed(null).map(({ id }) => id) : []),
    claimed: claimed.flatMap(({ attemptId, stoppedBy, ...row }) => {
      const event = eventById.get(row.eventId);
      return event && attemptId !== null ? [{ ...parseTarget(row), ...event, attemptId }] : [];
    }),
  };
}
