/** What the rows, the arrivals and the kills say together. */
import type { Arrival, Arrivals } from "./crash-receiver.ts";
import type { AttemptRow, DeliveryRow, Rows } from "./crash-rows.ts";

const MAX_ATTEMPTS = 3;
/** What the sweep writes into an attempt that a dead consumer has left (src/delivery/store.ts). */
const SWEPT = "interrupted";

export interface Evidence {
  accepted: Map<number, string>;
  arrivals: Arrivals;
  /** At the end, the service stopped. */
  rows: Rows;
  /** Ids of the attempts that were `pending` in D1 at some kill. */
  pendingAtKill: Set<string>;
  /** Descriptions of rows that were `pending` for too long at a sample. */
  stale: Set<string>;
}

export interface Verdict {
  counts: Record<string, number>;
  /** Each list must be empty. */
  faults: Record<string, string[]>;
}

const nameOf = ({ id, webhookId, eventId }: DeliveryRow) => `delivery ${id} event ${eventId} webhook ${webhookId}`;
const nameOfAttempt = (row: AttemptRow) =>
  `attempt ${row.id} delivery ${row.deliveryId} webhook ${row.webhookId} ${row.status} ${row.error ?? ""}`.trimEnd();

export function judge({ accepted, arrivals, rows, pendingAtKill, stale }: Evidence): Verdict {
  const acceptedIds = new Set(accepted.values());
  const deliveryOf = new Map(rows.deliveries.map((delivery) => [delivery.eventId, delivery]));
  const attemptsOf = Map.groupBy(rows.attempts, ({ deliveryId }) => deliveryId);
  const interrupted = rows.attempts.filter(({ error }) => error === SWEPT);
  const again = [...arrivals].filter(([, list]) => list.filter((arrival) => arrival.accepted).length > 1);
  const twice = [...arrivals].flatMap(([n, list]) =>
    unexplained(list, attemptsOf, pendingAtKill).map(({ deliveryId }) => `event number ${n} delivery ${deliveryId}`),
  );

  const lost = [...accepted].flatMap(([n, eventId]) => {
    const delivery = deliveryOf.get(eventId);
    if (!delivery) return [`event ${eventId} has no delivery`];
    return arrivals.get(n)?.some((arrival) => arrival.accepted) ? [] : [nameOf(delivery)];
  });
  const hasEnded = ({ id, open }: DeliveryRow) => {
    const last = attemptsOf.get(id)?.at(-1);
    return !open && (last?.status === "success" || (last?.status === "failed" && last.attemptCount >= MAX_ATTEMPTS));
  };
  return {
    counts: {
      accepted: accepted.size,
      delivered: arrivals.size,
      "arrived again after our 200": again.length,
      "attempts interrupted by a kill": interrupted.length,
      "attempts pending at the kills": pendingAtKill.size,
    },
    faults: {
      lost,
      stuck: rows.deliveries.filter((delivery) => !hasEnded(delivery)).map(nameOf),
      "left pending": rows.attempts.filter(({ status }) => status === "pending").map(nameOfAttempt),
      "pending for too long": [...stale],
      "sent twice without a kill": twice,
      "interrupted without a kill": interrupted.filter(({ id }) => !pendingAtKill.has(id)).map(nameOfAttempt),
      "delivery too many": rows.deliveries
        .filter((delivery) => !acceptedIds.has(delivery.eventId) || deliveryOf.get(delivery.eventId) !== delivery)
        .map(nameOf),
    },
  };
}

/** An event's arrivals that are a second one of their attempt, or that another follows although no kill cut their attempt off. */
function unexplained(list: Arrival[], attemptsOf: Map<string, AttemptRow[]>, pendingAtKill: Set<string>): Arrival[] {
  const seen = new Set<AttemptRow>();
  return list.filter((arrival, index) => {
    const attempt = attemptsOf.get(arrival.deliveryId)?.findLast(({ attemptedAt }) => attemptedAt <= arrival.at);
    if (!attempt || seen.has(attempt)) return true;
    seen.add(attempt);
    const isCutOff = attempt.error === SWEPT && pendingAtKill.has(attempt.id);
    return arrival.accepted && index < list.length - 1 && !isCutOff;
  });
}
