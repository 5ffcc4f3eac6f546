/** Compares rows, arrivals and kills: what was lost, what is stuck, what was sent twice, and how long recovery took. */
import type { Arrival, Arrivals } from "./crash-receiver.ts";
import type { AttemptRow, OwedRow, Rows } from "./crash-rows.ts";
import type { Outage } from "./dev-service.ts";

const MAX_ATTEMPTS = 3;
/** The reason that the sweep writes into an attempt whose consumer died (src/webhooks/plane/reasons.ts). */
const INTERRUPTED = "interrupted";

/** What was found in the database right after one kill. */
export interface AtKill {
  outage: Outage;
  owed: OwedRow[];
  /** Ids of attempts: only these may be sent again. */
  pending: string[];
}

export interface Evidence {
  accepted: Map<number, string>;
  arrivals: Arrivals;
  /** At the end, with the service stopped. */
  rows: Rows;
  kills: AtKill[];
  /** Descriptions of attempts that a sample found `pending` for too long. */
  stale: Set<string>;
  /** How long the subscriber took to answer. */
  answerMs: number;
}

/** What one kill caused to arrive again after an arrival that was, or would have been, answered 200. */
interface Duplicates {
  count: number;
  /** How many of these had no answer yet at the kill. */
  unanswered: number;
  /** For those that had been answered: how long before the kill. */
  agesMs: number[];
}

export interface Verdict {
  counts: Record<string, number>;
  /** Each list must be empty. */
  faults: Record<string, string[]>;
  duplicatesPerKill: Duplicates[];
  /** From the last restart until everything that was owed then had arrived at least once more. */
  recoverySeconds: number;
}

const nameOf = ({ id, deliveryId, subscriptionId, status, error }: AttemptRow) =>
  `attempt ${id} delivery ${deliveryId} subscription ${subscriptionId} ${status} ${error ?? ""}`.trimEnd();
const nameOfOwed = ({ id, eventId, subscriptionId }: OwedRow) =>
  `delivery ${id} event ${eventId} subscription ${subscriptionId}`;

export function judge({ accepted, arrivals, rows, kills, stale, answerMs }: Evidence): Verdict {
  const acceptedIds = new Set(accepted.values());
  const pendingAtKill = new Set(kills.flatMap(({ pending }) => pending));
  const attemptsOf = Map.groupBy(rows.attempts, ({ deliveryId }) => deliveryId);
  const lastAttempts = [...attemptsOf.values()].flatMap((attempts) => attempts.at(-1) ?? []);
  const interrupted = rows.attempts.filter(({ error }) => error === INTERRUPTED);
  const deliveriesOf = Map.groupBy(lastAttempts, ({ eventId }) => eventId);
  const lost = [...accepted].filter(([n]) => !arrivals.get(n)?.some((arrival) => arrival.accepted));
  const hasEnded = ({ status, attemptCount }: AttemptRow) =>
    status === "success" || (status === "failed" && attemptCount >= MAX_ATTEMPTS);
  return {
    counts: {
      accepted: accepted.size,
      delivered: arrivals.size,
      "attempts interrupted by a kill": interrupted.length,
      "attempts pending at the kills": pendingAtKill.size,
      "deliveries owed at the last kill": kills.at(-1)?.owed.length ?? 0,
    },
    faults: {
      lost: lost.map(([n, eventId]) => `event number ${n} ${eventId}`),
      stuck: [...rows.owed.map(nameOfOwed), ...lastAttempts.filter((attempt) => !hasEnded(attempt)).map(nameOf)],
      "pending for too long": [...stale],
      "sent twice without a kill": [...arrivals].flatMap(([n, list]) =>
        unexplained(list, attemptsOf, pendingAtKill).map(
          ({ deliveryId }) => `event number ${n} delivery ${deliveryId}`,
        ),
      ),
      "interrupted without a kill": interrupted.filter(({ id }) => !pendingAtKill.has(id)).map(nameOf),
      "delivery too many": [...deliveriesOf].flatMap(([eventId, deliveries]) =>
        acceptedIds.has(eventId) ? deliveries.slice(1).map(nameOf) : deliveries.map(nameOf),
      ),
    },
    duplicatesPerKill: countDuplicates(arrivals, kills, answerMs),
    recoverySeconds: recoverySeconds(arrivals, kills.at(-1)),
  };
}

/**
 * Arrivals that are the second of their attempt, or that are followed by another although no kill interrupted their
 * attempt.
 */
function unexplained(list: Arrival[], attemptsOf: Map<string, AttemptRow[]>, pendingAtKill: Set<string>): Arrival[] {
  const seen = new Set<AttemptRow>();
  return list.filter((arrival, index) => {
    const attempt = attemptsOf.get(arrival.deliveryId)?.findLast(({ attemptedAt }) => attemptedAt <= arrival.at);
    if (!attempt || seen.has(attempt)) return true;
    seen.add(attempt);
    const isInterrupted = attempt.error === INTERRUPTED && pendingAtKill.has(attempt.id);
    return arrival.accepted && index < list.length - 1 && !isInterrupted;
  });
}

/**
 * Counts arrivals that followed an accepted one, at the kill that lost its result: the first one that was not over when
 * it came, because the receiver still reads what was sent before.
 */
function countDuplicates(arrivals: Arrivals, kills: readonly AtKill[], answerMs: number): Duplicates[] {
  const duplicates = kills.map((): Duplicates => ({ count: 0, unanswered: 0, agesMs: [] }));
  for (const list of arrivals.values()) {
    for (const { at, accepted } of list.slice(0, -1)) {
      const index = accepted ? kills.findIndex(({ outage }) => outage.to >= at) : -1;
      const [kill, found] = [kills[index], duplicates[index]];
      if (!kill || !found) continue;
      found.count += 1;
      const ageMs = kill.outage.from - at - answerMs;
      if (ageMs < 0) found.unanswered += 1;
      else found.agesMs.push(ageMs);
    }
  }
  return duplicates;
}

/**
 * Counts the first arrival of each delivery. A later one follows an answer of 503, after the wait that the contract
 * asks for.
 */
function recoverySeconds(arrivals: Arrivals, last: AtKill | undefined): number {
  if (!last) return 0;
  const { owed, outage } = last;
  const firstAt = new Map<string, number>();
  for (const { deliveryId, at } of [...arrivals.values()].flat()) {
    if (at > outage.to && !firstAt.has(deliveryId)) firstAt.set(deliveryId, at);
  }
  return Math.max(0, ...owed.map(({ id }) => (firstAt.get(id) ?? 0) - outage.to)) / 1000;
}
