/**
 * Claim, record and sweep: the three writes of a delivery's life. They work on whole batches across tenants, as the queue
 * hands them over; each row carries its own tenant. A lease (a random fencing token) ties a record to its claim.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList } from "../db/client";
import type { Deps } from "../deps";
import { countEnded, countPending } from "../stats/hours-store";
import type { Lane } from "./load";
import { INTERRUPTED, TIMED_OUT } from "./reasons";

/** Longer than the slowest send and its record. */
const LEASE_MS = 20_000;
const MAX_INTERRUPTIONS = 5;
/** How long a timeout keeps a subscription in the slow lane. */
const SLOW_LANE_MS = 10 * 60_000;
/** How long a send that is waiting keeps it there. */
const MARK_SLOW_MS = 60_000;
const SWEEP_PAGE_ROWS = 1_000;
/** A delivery whose subscriber hangs is put off by its own age, within these bounds. */
const MIN_DEFER_MS = 5_000;
const MAX_DEFER_MS = 600_000;
const DEFER_JITTER_MS = 2_000;
/** Put off for longer, it is left to the sweep: a long backlog should not go round in the queue. */
export const DEFER_BY_SWEEP_MS = 30_000;

export interface Claim {
  deliveryId: string;
  attemptId: string;
}

/** What an event gives to each of its deliveries; read once a batch, however many they are. */
interface SentEvent {
  eventType: string;
  payloadJson: string;
  correlationId: string | null;
}

/** A delivery in our hands: what to send and where. */
export interface ClaimedDelivery extends Claim, SentEvent {
  tenantId: string;
  subscriptionId: string;
  kind: "event" | "retry" | "test";
  eventId: string;
  /** 1, 2, 3: this attempt's number. */
  attemptCount: number;
  url: string;
  secretSealed: string;
  enabled: 0 | 1;
}

/** Who claims: the fast lane takes nothing of a slow subscription, the slow lane nothing of a saturated one. */
export interface Claimant {
  lane: Lane;
  lease: string;
  saturated: readonly string[];
}

export interface Claimed {
  claimed: ClaimedDelivery[];
  /** Due, but for the slow lane. */
  slow: string[];
  /** Put off, because their subscriber holds all the places it may have. */
  deferred: { id: string; dueAt: number }[];
}

/**
 * Takes every delivery of the list that is due and that nobody holds, writes its `pending` attempt row, and reads what
 * sending needs: one round trip. Deliveries of deleted subscriptions are closed instead.
 */
export async function claimDeliveries(
  { db }: Deps,
  { lane, lease, saturated }: Claimant,
  claims: readonly Claim[],
  nowMs: number,
): Promise<Claimed> {
  const wanted = jsonList(claims);
  const due = sql`id IN (SELECT value ->> 'deliveryId' FROM json_each(${wanted})) AND due_at <= ${nowMs} AND lease IS NULL`;
  const passedOn =
    lane === "fast"
      ? sql`(SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = deliveries.subscription_id)`
      : sql`subscription_id IN (SELECT value FROM json_each(${jsonList(saturated)}))`;
  const mine = sql`json_each(${wanted}) j JOIN deliveries d ON d.id = j.value ->> 'deliveryId' AND d.lease = ${lease}`;
  const leaseEndMs = nowMs + LEASE_MS;
  const results = await atomically(db, [
    sql`UPDATE deliveries SET lease = NULL, due_at = NULL, sweep_at = NULL
      WHERE id IN (SELECT value ->> 'deliveryId' FROM json_each(${wanted})) AND due_at IS NOT NULL AND lease IS NULL
        AND subscription_id IN (SELECT id FROM subscriptions WHERE id = deliveries.subscription_id AND is_deleted = 1)`,
    lane === "fast"
      ? sql`SELECT id FROM deliveries WHERE ${due} AND ${passedOn}`
      : deferral(sql`${due} AND ${passedOn}`, nowMs),
    sql`UPDATE deliveries SET lease = ${lease}, due_at = ${leaseEndMs}, sweep_at = ${leaseEndMs},
        previous_attempt_id = last_attempt_id, last_attempt_id = t.attempt_id
      FROM (SELECT value ->> 'deliveryId' AS delivery_id, value ->> 'attemptId' AS attempt_id FROM json_each(${wanted})) t
      WHERE deliveries.id = t.delivery_id AND ${due} AND NOT ${passedOn}`,
    sql`INSERT INTO attempts (id, subscription_id, tenant_id, delivery_id, previous_id, event_id, event_type, status, attempt_count, attempted_at)
      SELECT d.last_attempt_id, d.subscription_id, d.tenant_id, d.id, d.previous_attempt_id, d.event_id, e.type, 'pending',
        d.attempts + 1, ${nowMs}
      FROM ${mine} JOIN events e ON e.id = d.event_id`,
    sql`UPDATE subscriptions SET last_triggered_at = ${nowMs}, pending_attempts = pending_attempts + t.n
      FROM (SELECT d.subscription_id AS id, count(*) AS n FROM ${mine} GROUP BY d.subscription_id) t
      WHERE subscriptions.id = t.id`,
    countPending(sql`SELECT d.tenant_id, ${nowMs} AS attempted_at, 1 AS pending FROM ${mine}`),
    sql`SELECT d.id AS deliveryId, j.value ->> 'attemptId' AS attemptId, d.tenant_id AS tenantId,
        d.subscription_id AS subscriptionId, d.kind AS kind, d.event_id AS eventId, d.attempts + 1 AS attemptCount, s.url AS url,
        s.secret_sealed AS secretSealed, s.enabled AS enabled
      FROM ${mine} JOIN subscriptions s ON s.id = d.subscription_id`,
    sql`SELECT id, type AS eventType, payload AS payloadJson, correlation_id AS correlationId
      FROM events WHERE id IN (SELECT d.event_id FROM ${mine})`,
  ]);
  const [rows, events] = results.slice(-2) as [
    Omit<ClaimedDelivery, keyof SentEvent>[],
    (SentEvent & { id: string })[],
  ];
  const eventOf = new Map(events.map(({ id, ...event }) => [id, event]));
  const passed = results[1] as { id: string; dueAt: number }[];
  return {
    claimed: rows.flatMap((row) => {
      const event = eventOf.get(row.eventId);
      return event ? [{ ...row, ...event }] : [];
    }),
    slow: lane === "fast" ? passed.map(({ id }) => id) : [],
    deferred: lane === "slow" ? passed : [],
  };
}

/** Puts deliveries off. Those that get a message are left to the sweep only after it has had its time. */
function deferral(which: SQL, nowMs: number): SQL {
  const wait = sql`min(max(${MIN_DEFER_MS}, ${nowMs} - created_at), ${MAX_DEFER_MS})`;
  return sql`UPDATE deliveries SET
      due_at = ${nowMs} + ${wait} + abs(random() % ${DEFER_JITTER_MS}),
      sweep_at = ${nowMs} + ${wait} + ${DEFER_BY_SWEEP_MS}
    WHERE ${which} RETURNING id, due_at AS dueAt`;
}

/** Sends the subscription's deliveries to the slow lane for a while. Known to the engine by a delivery it holds, so without the tenant. */
export async function markSlow({ db }: Deps, subscriptionId: string, nowMs: number): Promise<void> {
  await atomically(db, [
    sql`UPDATE subscriptions SET slow_until = ${nowMs + MARK_SLOW_MS} WHERE id = ${subscriptionId} AND slow_until < ${nowMs + MARK_SLOW_MS}`,
  ]);
}

/** How one attempt ended, and when the next one is due (null: no more). */
export interface AttemptResult {
  deliveryId: string;
  attemptId: string;
  subscriptionId: string;
  status: "success" | "failed";
  responseCode: number | null;
  responseBody: string | null;
  error: string | null;
  /** When the send began: later than the claim, for a batch sends six at a time. */
  startedAt: number;
  completedAt: number;
  nextDueAt: number | null;
  /** 1 when it took so long that its subscription belongs into the slow lane. */
  slow: 0 | 1;
}

/** Writes results, fenced by the lease, in one round trip. Returns the ids of the deliveries that were still ours. */
export async function recordAttempts(
  { db }: Deps,
  lease: string,
  results: readonly AttemptResult[],
  graceMs: number,
): Promise<Set<string>> {
  const input = jsonList(results);
  const endedAt = Math.max(...results.map((result) => result.completedAt));
  const mine = sql`json_each(${input}) j JOIN deliveries d ON d.id = j.value ->> 'deliveryId' AND d.lease = ${lease}`;
  const outcomes = await atomically(db, [
    sql`UPDATE subscriptions SET
        pending_attempts = pending_attempts - t.n,
        succeeded_attempts = succeeded_attempts + t.succeeded,
        failed_attempts = failed_attempts + t.n - t.succeeded,
        last_triggered_at = max(last_triggered_at, t.started_at),
        failure_count = CASE WHEN t.succeeded > 0 THEN t.failed_since ELSE failure_count + t.n END,
        slow_until = CASE WHEN t.slow > 0 THEN ${endedAt + SLOW_LANE_MS} WHEN slow_until <= ${endedAt} THEN 0 ELSE slow_until END
      FROM (SELECT id, count(*) AS n, sum(ok) AS succeeded, sum(slow) AS slow, max(started_at) AS started_at,
          sum(ok = 0 AND seq > last_ok) AS failed_since FROM (
          SELECT d.subscription_id AS id, j.key AS seq, j.value ->> 'status' = 'success' AS ok, j.value ->> 'slow' AS slow,
            j.value ->> 'startedAt' AS started_at,
            coalesce(max(CASE WHEN j.value ->> 'status' = 'success' THEN j.key END) OVER (PARTITION BY d.subscription_id), -1) AS last_ok
          FROM ${mine}) GROUP BY id) t
      WHERE subscriptions.id = t.id`,
    countEnded(sql`SELECT a.tenant_id, a.subscription_id, a.attempted_at, j.value ->> 'status' = 'success' AS succeeded,
        CASE WHEN j.value ->> 'responseCode' IS NOT NULL OR j.value ->> 'error' = ${TIMED_OUT}
          THEN j.value ->> 'completedAt' - j.value ->> 'startedAt' END AS latency_ms
      FROM ${mine} JOIN attempts a ON a.subscription_id = d.subscription_id AND a.id = j.value ->> 'attemptId'`),
    sql`UPDATE attempts SET status = t.status, response_code = t.code, response_body = t.body, error = t.error,
        attempted_at = t.started_at, completed_at = t.completed_at
      FROM (SELECT d.subscription_id AS subscription_id, j.value ->> 'attemptId' AS attempt_id, j.value ->> 'status' AS status,
          j.value ->> 'responseCode' AS code, j.value ->> 'responseBody' AS body, j.value ->> 'error' AS error,
          j.value ->> 'startedAt' AS started_at, j.value ->> 'completedAt' AS completed_at FROM ${mine}) t
      WHERE attempts.subscription_id = t.subscription_id AND attempts.id = t.attempt_id`,
    sql`UPDATE deliveries SET lease = NULL, attempts = attempts + 1, due_at = t.due_at, sweep_at = t.due_at + ${graceMs}
      FROM (SELECT value ->> 'deliveryId' AS id, value ->> 'nextDueAt' AS due_at FROM json_each(${input})) t
      WHERE deliveries.id = t.id AND deliveries.lease = ${lease} RETURNING deliveries.id AS id`,
  ]);
  return new Set((outcomes.at(-1) as { id: string }[]).map((row) => row.id));
}

/** Gives deliveries back untried, due at `dueAt`: their attempt rows vanish and no attempt is used up. A fault of ours, or no room. */
export async function releaseDeliveries(
  { db }: Deps,
  lease: string,
  claims: readonly Claim[],
  dueAt: number,
  graceMs: number,
): Promise<void> {
  const input = jsonList(claims);
  const mine = sql`json_each(${input}) j JOIN deliveries d ON d.id = j.value ->> 'deliveryId' AND d.lease = ${lease}`;
  await atomically(db, [
    sql`UPDATE subscriptions SET pending_attempts = pending_attempts - t.n
      FROM (SELECT d.subscription_id AS id, count(*) AS n FROM ${mine} GROUP BY d.subscription_id) t WHERE subscriptions.id = t.id`,
    countPending(sql`SELECT a.tenant_id, a.attempted_at, -1 AS pending
      FROM ${mine} JOIN attempts a ON a.subscription_id = d.subscription_id AND a.id = j.value ->> 'attemptId'`),
    sql`DELETE FROM attempts WHERE (subscription_id, id) IN (SELECT d.subscription_id, j.value ->> 'attemptId' FROM ${mine})`,
    sql`UPDATE deliveries SET lease = NULL, due_at = ${dueAt}, sweep_at = ${dueAt + graceMs}, last_attempt_id = previous_attempt_id
      WHERE id IN (SELECT value ->> 'deliveryId' FROM json_each(${input})) AND lease = ${lease}`,
  ]);
}

/** Lets the next sweep look at unfinished deliveries that nobody holds; across tenants, as dead letters come. */
export async function sweepSoon({ db }: Deps, deliveryIds: readonly string[], nowMs: number): Promise<void> {
  await atomically(db, [
    sql`UPDATE deliveries SET sweep_at = ${nowMs}
      WHERE id IN (SELECT value FROM json_each(${jsonList(deliveryIds)})) AND lease IS NULL AND due_at <= ${nowMs}`,
  ]);
}

/** By what names a delivery stands in the log. */
interface LogNames {
  tenantId: string;
  eventId: string;
  correlationId: string | null;
  webhookId: string;
}

export interface SweptDelivery extends LogNames {
  id: string;
  slow: 0 | 1;
  /** Null: given up, after too many dead consumers. */
  dueAt: number | null;
}

/** An attempt that a dead consumer left behind. */
export interface InterruptedAttempt extends LogNames {
  deliveryId: string;
  attempt: number;
}

const logNames = (table: "attempts" | "deliveries") =>
  sql.raw(`tenant_id AS tenantId, event_id AS eventId, subscription_id AS webhookId,
    (SELECT correlation_id FROM events WHERE events.id = ${table}.event_id) AS correlationId`);

/**
 * One page of deliveries that nobody looks after any more: lost messages, failed sends, dead consumers. Attempts that a dead
 * consumer left `pending` become `failed` and do not count; a delivery that keeps killing its consumer is given up.
 * Returns the page: what is to be queued again, and what was given up.
 */
export async function sweepDeliveries(
  { db }: Deps,
  nowMs: number,
  graceMs: number,
): Promise<{ swept: SweptDelivery[]; interrupted: InterruptedAttempt[] }> {
  const page = sql`SELECT id FROM deliveries WHERE sweep_at <= ${nowMs} ORDER BY sweep_at LIMIT ${SWEEP_PAGE_ROWS}`;
  const dead = (columns: SQL) => sql`SELECT ${columns} FROM deliveries d
    JOIN attempts a ON a.subscription_id = d.subscription_id AND a.id = d.last_attempt_id AND a.status = 'pending'
    WHERE d.id IN (${page}) AND d.lease IS NOT NULL`;
  const results = await atomically(db, [
    sql`UPDATE subscriptions SET pending_attempts = pending_attempts - t.n, failed_attempts = failed_attempts + t.n, failure_count = failure_count + t.n
      FROM (SELECT id, count(*) AS n FROM (${dead(sql`a.subscription_id AS id`)}) GROUP BY id) t WHERE subscriptions.id = t.id`,
    countEnded(dead(sql`a.tenant_id, a.subscription_id, a.attempted_at, 0 AS succeeded, NULL AS latency_ms`)),
    sql`UPDATE attempts SET status = 'failed', error = ${INTERRUPTED}, completed_at = ${nowMs}
      WHERE (subscription_id, id) IN (${dead(sql`a.subscription_id, a.id`)})
      RETURNING delivery_id AS deliveryId, attempt_count AS attempt, ${logNames("attempts")}`,
    sql`UPDATE deliveries SET
        interruptions = interruptions + (lease IS NOT NULL),
        due_at = CASE WHEN interruptions + (lease IS NOT NULL) > ${MAX_INTERRUPTIONS} THEN NULL WHEN lease IS NOT NULL THEN ${nowMs} ELSE due_at END,
        sweep_at = CASE WHEN interruptions + (lease IS NOT NULL) > ${MAX_INTERRUPTIONS} THEN NULL ELSE ${nowMs + graceMs} END,
        lease = NULL
      WHERE id IN (${page})
      RETURNING id, due_at AS dueAt, (SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = subscription_id) AS slow,
        ${logNames("deliveries")}`,
  ]);
  const [, , interrupted, swept] = results;
  return { interrupted: interrupted as InterruptedAttempt[], swept: swept as SweptDelivery[] };
}
