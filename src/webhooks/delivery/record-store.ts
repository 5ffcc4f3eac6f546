/**
 * Recording results in D1, many attempts in one round trip. Only the holder of a claim can record, or the sweep for a
 * holder that has died. A call can be repeated. Spans tenants, like a batch of the queue; each result was claimed with
 * its own tenant.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, fixed, jsonList } from "../../base/db/client";
import { longTextOf, toStored } from "../../base/db/stored-text";
import type { OutboxKey } from "../../base/messages";
import { ALL_OPERATIONAL } from "../../base/schemas/event-type";
import { hourOf } from "../../base/time";
import { goneStatements, notGoneStatement } from "../auto-disable/gone-store";
import { markFailing } from "../auto-disable/marks-store";
import { addToHours } from "../plane/hours-store";
import { coolDown, endProbe, slowDown } from "../plane/lane-store";
import { histogramOf } from "../plane/latency";
import { publishOperational } from "../plane/operational-store";
import type { DeliveryKind } from "../plane/outbox-store";
import { TIMED_OUT, wasSent } from "../plane/reasons";
import { areNotAllOurs, plainStatements } from "./record-plain-store";
import type { SendOutcome } from "./send";
import type { Verdict } from "./verdict";

/** How an attempt ended, what follows, and the key of its delivery in the outbox as it was claimed. */
export interface AttemptResult
  extends OutboxKey,
    Verdict,
    Pick<SendOutcome, "status" | "responseCode" | "responseBody" | "responseHeaders"> {
  attemptId: string;
  kind: DeliveryKind;
  /** When the send began and ended, Unix ms. */
  startedAt: number;
  completedAt: number;
  /** Null after the last attempt. */
  nextAttemptId: string | null;
  /** It uses up no attempt, and its delivery is held again if it waits in a backlog. Interrupted ones count as this. */
  isFailedProbe: boolean;
  /** Its consumer has died, so nobody knows how it ended. */
  isInterrupted?: boolean;
  /** Whether a 410 disables its subscription. */
  mayBeGone: boolean;
}

/**
 * Records results of the holder of `claim`; null for those of any holder, who is dead. Returns the ids of the attempts
 * that are recorded, by this call or by an earlier one with the same results. A missing id means that the sweep has
 * ended the attempt in the meantime. Also returns the operational events that this call has written.
 */
export async function recordAttempts(
  db: Db,
  claim: string | null,
  results: readonly AttemptResult[],
): Promise<{ recorded: Set<string>; operational: { id: string }[] }> {
  const endedAt = Math.max(...results.map(({ completedAt }) => completedAt));
  const [ends, hour] = [await endList(results), hourOf(endedAt)];
  if (claim !== null && results.every(isPlain)) {
    const given = { count: results.length, ends, hours: hourList(results), keys: keyList(results), claim, hour };
    try {
      await atomically(db, plainStatements(given));
      return { recorded: new Set(results.map(({ attemptId }) => attemptId)), operational: [] };
    } catch (error) {
      if (!areNotAllOurs(error)) throw error;
    }
  }
  const values = { results: resultList(results), ends, claim, hour };
  const ours = oursOf(values.results, claim);
  statements ??= makeStatements();
  const {
    recorded,
    exhausted,
    disabled = [],
  } = await atomically(db, {
    stats: statements.stats(values),
    ...subscriptionStatements(results, ours, endedAt),
    ...deliveryStatements(results, ours, endedAt),
    ended: statements.ended(values),
    recorded: statements.recorded(values),
  });
  return { recorded: new Set(recorded.map(({ id }) => id)), operational: [...exhausted, ...disabled] };
}

/** Whether the attempt has succeeded, and changes nothing of its subscription but the counts. */
const isPlain = ({ status, kind, isSlow, cooldownUntil, mayBeGone }: AttemptResult): boolean =>
  status === "success" && kind !== "retry" && !isSlow && cooldownUntil === null && !mayBeGone;

const keyList = (results: readonly AttemptResult[]): string =>
  jsonList(results.map(({ queue, dueAt, id }) => ({ q: queue, d: dueAt, i: id })));

/** What `addSuccesses` adds. */
const hourList = (results: readonly AttemptResult[]): string =>
  jsonList(
    Array.from(
      Map.groupBy(results, ({ subscriptionId }) => subscriptionId),
      ([subscriptionId, ended]) => [subscriptionId, ended.length, ...histogramOf(ended.map(latencyMsOf))],
    ),
  );

/** Null if nothing was sent or the connection failed. */
const latencyMsOf = ({ responseCode, error, completedAt, startedAt }: AttemptResult): number | null =>
  responseCode !== null || error === TIMED_OUT ? completedAt - startedAt : null;

/** What no statement reads. Only `endList` has the texts of answers, which can be long. */
const UNREAD: ReadonlySet<string> = new Set(
  "bytes kind mayBeGone responseBody responseHeaders startedAt tenantId".split(" "),
);

/**
 * A JSON list without what is null or false. SQLite serializes and parses an object again for each value that it reads,
 * so a short object is quicker.
 */
const compactList = (results: readonly object[]): string =>
  JSON.stringify(results, (name, value: unknown) =>
    value === null || value === false || UNREAD.has(name) ? undefined : value,
  );

/** `failedAt` is null unless a sent attempt failed. */
const resultList = (results: readonly AttemptResult[]): string =>
  compactList(
    results.map((result) => ({
      ...result,
      latencyMs: latencyMsOf(result),
      failedAt: isSentFailure(result) ? result.startedAt : null,
    })),
  );

/** How the attempts end. */
async function endList(results: readonly AttemptResult[]): Promise<string> {
  const bodies = await Promise.all(results.map(({ responseBody: body }) => (body === null ? null : toStored(body))));
  return compactList(
    results.map(({ subscriptionId, attemptId, status, responseCode, error, ...result }, position) => ({
      s: subscriptionId,
      a: attemptId,
      status,
      code: responseCode,
      error,
      headers: result.responseHeaders,
      ...bodies[position],
      started: result.startedAt,
      completed: result.completedAt,
      next: result.nextAttemptId,
    })),
  );
}

/**
 * The attempts that the claim still holds, joined with their results. The UPDATE of `attempts` ends the claim, so it
 * runs after the statements that use this.
 */
const oursOf = (
  results: SQL | string,
  claim: SQL | string | null,
): SQL => sql`json_each(${results}) j CROSS JOIN attempts a
  ON a.subscription_id = j.value ->> 'subscriptionId' AND a.id = j.value ->> 'attemptId' AND a.status = 'pending'
    AND a.claim IS coalesce(${claim}, a.claim)`;

const RESULTS = sql`${sql.placeholder("results")}`;
const CLAIM = sql`${sql.placeholder("claim")}`;

let statements: ReturnType<typeof makeStatements> | undefined;

/** What every record needs. Built once, because building their texts takes longer than recording a few results. */
function makeStatements() {
  const ours = oursOf(RESULTS, CLAIM);
  return {
    stats: fixed(
      addToHours(
        sql`SELECT a.subscription_id, j.key AS position, j.value ->> 'status' = 'success' AS succeeded,
          j.value ->> 'latencyMs' AS latency_ms, j.value ->> 'failedAt' AS failed_at FROM ${ours}`,
        sql`${sql.placeholder("hour")}`,
      ),
    ),
    ended: fixed(sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (
      SELECT j.value ->> 'queue', j.value ->> 'dueAt', j.value ->> 'id' FROM ${ours}
        WHERE j.value ->> 'nextDueAt' IS NULL)`),
    // A call that is repeated writes the same once more, so that it answers the same.
    recorded: fixed<{ id: string }>(sql`UPDATE attempts SET status = t.status, claim = NULL, response_code = t.code,
        response_body = t.body, long_body = t.long_body, response_headers = t.headers, error = t.error,
        attempted_at = t.started_at, completed_at = t.completed_at, next_id = t.next_id
      FROM (SELECT a.subscription_id AS subscription_id, a.id AS id, j.value ->> 'status' AS status,
          j.value ->> 'code' AS code, j.value ->> 'short' AS body, ${longTextOf(sql`j.value`)} AS long_body,
          j.value ->> 'headers' AS headers, j.value ->> 'error' AS error, j.value ->> 'started' AS started_at,
          j.value ->> 'completed' AS completed_at, j.value ->> 'next' AS next_id
        FROM json_each(${sql.placeholder("ends")}) j CROSS JOIN attempts a
          ON a.subscription_id = j.value ->> 's' AND a.id = j.value ->> 'a' AND iif(a.status = 'pending',
            a.claim IS coalesce(${CLAIM}, a.claim),
            a.status = j.value ->> 'status' AND a.completed_at = j.value ->> 'completed'
              AND a.next_id IS j.value ->> 'next')) t
      WHERE attempts.subscription_id = t.subscription_id AND attempts.id = t.id
      RETURNING id`),
  };
}

const isSentFailure = ({ status, error }: Pick<AttemptResult, "status" | "error">) =>
  status === "failed" && wasSent(error);

/** What results mean for their subscriptions, in this order. Without a cause, a statement is left out. */
function subscriptionStatements(results: readonly AttemptResult[], ours: SQL, endedAt: number) {
  const isBack = results.some(({ status, mayBeGone }) => status === "success" && mayBeGone);
  return {
    // After the counts, from which it sees how many attempts have failed.
    failing: results.some(isSentFailure)
      ? markFailing(sql`SELECT a.subscription_id FROM ${ours} WHERE j.value ->> 'failedAt' IS NOT NULL`)
      : undefined,
    slow: results.some(({ isSlow }) => isSlow)
      ? slowDown(sql`SELECT a.subscription_id FROM ${ours} WHERE j.value ->> 'isSlow' = 1`, endedAt)
      : undefined,
    // After `slow`, to overwrite it.
    cooling: results.some(({ cooldownUntil }) => cooldownUntil !== null)
      ? coolDown(sql`SELECT a.subscription_id AS subscription_id, max(j.value ->> 'cooldownUntil') AS until FROM ${ours}
          WHERE j.value ->> 'cooldownUntil' IS NOT NULL GROUP BY a.subscription_id`)
      : undefined,
    notGone: isBack ? notGoneStatement(ours) : undefined,
    ...(results.some(({ isGone }) => isGone) ? goneStatements(ours, endedAt) : {}),
    heldAgain: results.some(({ isFailedProbe }) => isFailedProbe)
      ? endProbe(sql`SELECT a.subscription_id FROM ${ours} WHERE j.value ->> 'isFailedProbe' = 1`)
      : undefined,
  };
}

/** What failed attempts and manual retries mean for their deliveries. */
function deliveryStatements(results: readonly AttemptResult[], ours: SQL, endedAt: number) {
  const hasEnded = results.some(({ status, nextDueAt }) => status === "failed" && nextDueAt === null);
  return {
    exhausted: hasEnded ? publishExhausted(ours, endedAt) : undefined,
    retries: results.some(({ kind }) => kind === "retry")
      ? sql`UPDATE manual_retries SET state = t.status FROM (
            SELECT a.subscription_id AS subscription_id, a.event_id AS event_id,
              j.value ->> 'id' AS delivery_id, j.value ->> 'status' AS status
            FROM ${ours} WHERE j.value ->> 'nextDueAt' IS NULL) t
          WHERE manual_retries.subscription_id = t.subscription_id AND manual_retries.event_id = t.event_id
            AND manual_retries.delivery_id = t.delivery_id`
      : undefined,
    postponed: results.some(({ nextDueAt }) => nextDueAt !== null)
      ? sql`UPDATE outbox SET due_at = t.next_due_at, attempts = attempts + 1 - t.is_failed_probe,
            interruptions = interruptions + t.is_interrupted, attempt_id = t.next_attempt_id
          FROM (SELECT j.value ->> 'queue' AS queue, j.value ->> 'dueAt' AS due_at, j.value ->> 'id' AS id,
              j.value ->> 'nextDueAt' AS next_due_at, j.value ->> 'nextAttemptId' AS next_attempt_id,
              coalesce(j.value ->> 'isFailedProbe', 0) AS is_failed_probe,
              coalesce(j.value ->> 'isInterrupted', 0) AS is_interrupted
            FROM ${ours} WHERE j.value ->> 'nextDueAt' IS NOT NULL) t
          WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`
      : undefined,
  };
}

/** Publishes that deliveries have failed for good, except those of tests and of operational events. */
const publishExhausted = (ours: SQL, nowMs: number) =>
  publishOperational(
    "postern.delivery.exhausted",
    sql`${ours} CROSS JOIN subscriptions s ON s.id = a.subscription_id
      WHERE j.value ->> 'status' = 'failed' AND j.value ->> 'nextDueAt' IS NULL AND a.kind <> 'test'
        AND a.event_type NOT GLOB ${ALL_OPERATIONAL}`,
    nowMs,
    {
      data: sql`'deliveryId', coalesce(a.delivery_id, a.id), 'eventId', a.event_id, 'eventType', a.event_type,
        'attempts', a.attempt_count,
        'lastError', j.value ->> 'error', 'responseCode', j.value ->> 'responseCode'`,
      correlationId: sql`(SELECT correlation_id FROM events WHERE id = a.event_id)`,
    },
  );
