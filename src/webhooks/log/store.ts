/** Reading one attempt of the delivery log, with all attempts of its delivery. */

import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { fromStored, storedText } from "../../base/db/stored-text";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import type { DeliveryOptions } from "../options/delivery-options";
import { parseOptions } from "../options/delivery-options";
import { isLive } from "../plane/live-store";
import { MAX_TRAIL_ROWS, PLACEHOLDER } from "../plane/outbox-store";
import { PAYLOAD_OF_E } from "../plane/payload-store";
import { replayIdOf } from "../plane/replay-id-store";
import type { StoredKey } from "../signing/keys";
import { ALL_KEYS, parseKeys } from "../signing/store";

/** One row of the delivery log. Times are Unix ms. */
export interface AttemptRow {
  id: string;
  subscriptionId: string;
  deliveryId: string;
  eventType: string;
  /** Null when retention has removed the event. */
  payload: string | null;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  responseBody: string | null;
  /** Lines of `keptHeaders`. */
  responseHeaders: string | null;
  error: string | null;
  attemptCount: number;
  attemptedAt: number;
  completedAt: number | null;
}

/** The columns of the attempt `a` for a list. */
export const SUMMARY_COLUMNS =
  sql.raw(`a.id AS id, a.status AS status, a.response_code AS responseCode, a.error AS error,
  a.attempt_count AS attemptCount, a.attempted_at AS attemptedAt, a.completed_at AS completedAt`);
/** The columns of the attempt `a` and its event `e`. */
export const COLUMNS = sql`${SUMMARY_COLUMNS}, a.subscription_id AS subscriptionId, coalesce(a.delivery_id, a.id)
  AS deliveryId,
  a.event_type AS eventType, ${PAYLOAD_OF_E} AS payload,
  ${storedText(sql`a.response_body`, sql`a.long_body`)} AS responseBody,
  a.response_headers AS responseHeaders`;

/** Returns a row of `COLUMNS` with its texts as they were stored. */
export async function withTexts<Row extends Pick<AttemptRow, "payload" | "responseBody">>(row: Row): Promise<Row> {
  const { payload, responseBody } = row;
  return {
    ...row,
    payload: payload === null ? null : await fromStored(payload),
    responseBody: responseBody === null ? null : await fromStored(responseBody),
  };
}
/** One attempt with everything that its headers were made of. */
export interface AttemptDetailRow extends AttemptRow {
  kind: "event" | "retry" | "test" | "replay";
  /** The replay that made its delivery; null for any other delivery. */
  replayId: string | null;
  eventId: string;
  correlationId: string | null;
  orderKey: string | null;
  sequence: number | null;
  /** Of its subscription now. */
  url: string;
  /** How many of our own sources its event has come through; null: none. */
  hops: number | null;
  secretSealed: string;
  /** When the present secret began to sign. */
  secretSince: number;
  /** When the kinds of signatures or the format of the body last changed; null: never. */
  formatSince: number | null;
  options: DeliveryOptions | null;
  /** When its event was published; null when retention has removed it. */
  eventCreatedAt: number | null;
  keys: StoredKey[];
}

export type ChainRow = Pick<
  AttemptRow,
  "id" | "attemptCount" | "status" | "responseCode" | "error" | "attemptedAt" | "completedAt"
>;

/**
 * The ids of a delivery's attempts as a CTE `chain(id)`. The first attempt has the id of the delivery, and each names
 * the next.
 */
export const attemptChain = (subscriptionId: string, deliveryId: SQL) => sql`WITH RECURSIVE chain(id) AS (
  SELECT ${deliveryId}
  UNION ALL SELECT a.next_id FROM chain CROSS JOIN attempts a ON a.subscription_id = ${subscriptionId}
    AND a.id = chain.id
    WHERE a.next_id IS NOT NULL LIMIT ${MAX_TRAIL_ROWS})`;

/** Returns one attempt, and all attempts of its delivery, oldest first. */
export async function readAttempt(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  attemptId: string,
): Promise<{ attempt: AttemptDetailRow; chain: ChainRow[] } | "no subscription" | "no attempt"> {
  const opened = sql`attempts a WHERE a.subscription_id = ${subscriptionId} AND a.id = ${attemptId}
    AND a.status <> ${PLACEHOLDER}`;
  const { found, attempts, chain } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)}`),
    attempts: rows<
      Omit<AttemptDetailRow, "keys" | "options"> & { keys: string; options: string | null }
    >(sql`SELECT ${COLUMNS}, a.event_id AS eventId, e.correlation_id AS correlationId,
        e.order_key AS orderKey, e.order_sequence AS sequence,
        s.url, e.hops, s.secret_sealed AS secretSealed,
        coalesce(s.secret_since, s.created_at) AS secretSince, s.format_since AS formatSince,
        s.options, e.created_at AS eventCreatedAt, ${ALL_KEYS} AS keys, a.kind AS kind,
        ${replayIdOf(sql.raw("a.kind"), sql.raw("a.subscription_id"), sql.raw("coalesce(a.delivery_id, a.id)"))}
          AS replayId
      FROM (SELECT * FROM ${opened}) a LEFT JOIN events e ON e.id = a.event_id CROSS
        JOIN subscriptions s ON s.id = a.subscription_id
      WHERE ${isLive(tenant, subscriptionId)}`),
    chain:
      rows<ChainRow>(sql`${attemptChain(subscriptionId, sql`(SELECT coalesce(a.delivery_id, a.id) FROM ${opened})`)}
      SELECT ${SUMMARY_COLUMNS} FROM chain CROSS JOIN attempts a ON a.subscription_id = ${subscriptionId}
        AND a.id = chain.id
      WHERE a.status <> ${PLACEHOLDER}`),
  });
  if (found.length === 0) return "no subscription";
  const [attempt] = await Promise.all(attempts.map(withTexts));
  return attempt
    ? { attempt: { ...attempt, keys: parseKeys(attempt.keys), options: parseOptions(attempt.options) }, chain }
    : "no attempt";
}
