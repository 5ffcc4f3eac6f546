/**
 * Disables subscriptions whose subscriber answers 410 twice, at least a minute apart and without a success in between.
 */
import { type SQL, sql } from "drizzle-orm";
import { SYSTEM } from "../../base/schemas/actor";
import { auditWebhooks } from "../../tenancy/audit/record-store";
import { hasDeparted } from "../../tenancy/moves/fence-store";
import { unindexDisabled } from "../plane/index-store";
import { disableWhere, HOLDS_IF_DISABLED } from "../plane/lane-store";
import { publishOperational } from "../plane/operational-store";
import { markDisabled } from "./marks-store";

const GONE_FOR_MS = 60_000;

/**
 * Returns the statements for results with a 410, recorded at `nowMs`. `ours` joins the results `j` with their claimed
 * attempts `a`, so the statements must run before the claim ends.
 */
export const goneStatements = (ours: SQL, nowMs: number) => {
  const gone = sql`SELECT a.subscription_id AS subscription_id, min(j.value ->> 'completedAt') AS first_at,
    max(j.value ->> 'completedAt') AS last_at FROM ${ours} WHERE j.value ->> 'isGone' = 1 GROUP BY a.subscription_id`;
  const justDisabled = sql`(${gone}) t CROSS JOIN subscriptions s ON s.id = t.subscription_id
    WHERE s.disabled_reason = 'gone' AND s.disabled_at = t.last_at`;
  return {
    goneNoted: sql`UPDATE subscriptions SET gone_since = t.first_at FROM (${gone}) t
      WHERE subscriptions.id = t.subscription_id AND gone_since IS NULL`,
    goneDisabled: disableWhere(
      { reason: "gone", atMs: sql.raw("t.last_at"), holds: HOLDS_IF_DISABLED },
      sql`s.id = t.subscription_id AND NOT ${hasDeparted(sql.raw("s.tenant_id"))}
        AND s.gone_since <= t.last_at - ${GONE_FOR_MS}`,
      sql`FROM (${gone}) t`,
    ),
    // Before the write that marks it: if it is marked as disabled, this event has already been published.
    disabled: publishOperational("postern.webhook.disabled", justDisabled, nowMs, { data: sql`'reason', 'gone'` }),
    goneAudited: auditWebhooks("webhook.disabled", SYSTEM, justDisabled, nowMs, sql`'reason', 'gone'`),
    goneUnindexed: unindexDisabled(sql`SELECT subscription_id FROM (${gone})`),
    goneMarked: markDisabled(sql`SELECT subscription_id FROM (${gone})`),
  };
};

/** Returns the statement that forgets an earlier 410 after a success. */
export const notGoneStatement = (ours: SQL): SQL =>
  sql`UPDATE subscriptions SET gone_since = NULL WHERE gone_since IS NOT NULL
    AND id IN (SELECT a.subscription_id FROM ${ours} WHERE j.value ->> 'status' = 'success')`;
