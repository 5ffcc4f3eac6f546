/** The minutely review of the failing subscriptions of one delivery database, across its tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { areSendsHeld } from "../../platform/db/predicates";
import { SYSTEM } from "../../platform/schemas/actor";
import type { OperationalType } from "../../platform/schemas/event-type";
import { DAY_MS, HOUR_MS } from "../../platform/time";
import { auditWebhooks } from "../../tenancy/audit/record-store";
import { isNewestHour } from "../stats/hours-store";
import { withFormerState } from "../subscriptions/former-states-store";
import { isoSql, publishOperational } from "../subscriptions/operational-store";
import { HOLD_WHEN_DISABLED, releaseFrom } from "../subscriptions/release-store";
import { MIN_FAILURES, MIN_FAILURES_TO_DISABLE, STAGE } from "./stages";

/** Users are told about failures that have lasted this long. */
const FAILING_AFTER_MS = HOUR_MS;
/** They are warned this long before a subscription is disabled. */
const WARNED_BEFORE_MS = 24 * HOUR_MS;
/** The shortest time between two mails to a tenant, except one about a disabled subscription. */
const MAIL_EVERY_MS = HOUR_MS;
/** How many of the newest attempts are searched for the last failed one. */
const NEWEST_ATTEMPTS = 500;
/** When a disabled subscription that holds deliveries gets its first and its last probe, counted from the disabling. */
const FIRST_PROBE_MS = HOUR_MS;
const LAST_PROBE_MS = 14 * DAY_MS;

/** A subscription of a tenant to which a mail is due. Times are Unix ms. */
export interface SubscriptionNotice {
  subscriptionId: string;
  tenantId: string;
  name: string;
  url: string;
  stage: number;
  /** 1 if this stage is reported by the mail that is due, 0 if an earlier mail has reported it. */
  isNew: 0 | 1;
  /** When the mail was composed. */
  mailedAt: number;
  reason: "failing" | "gone" | null;
  failingSince: number | null;
  disablesAt: number | null;
  failures: number;
  error: string | null;
}

/**
 * After how many ms of failures the service disables `s`; null for never. `defaultHours` applies if its options do not
 * say.
 */
const disabledAfterMs = (defaultHours: number | null) => sql`${HOUR_MS} * CASE
  WHEN json_type(s.options, '$.autoDisable') = 'false' THEN NULL
  ELSE coalesce(s.options ->> '$.autoDisable.afterHours', ${defaultHours}) END`;

/** Every episode with its subscription and its counts. `h.hour` is null if there are none. */
const CURRENT = sql`episodes e CROSS JOIN subscriptions s ON s.id = e.subscription_id
  LEFT JOIN hourly_stats h ON ${isNewestHour(sql`e.subscription_id`)}`;

/** Whether the subscription has succeeded since it failed, or since it was enabled again. */
const HAS_RECOVERED = sql`(h.hour IS NOT NULL AND (h.failing_since IS NULL OR h.failing_since <> e.failing_since))`;

/**
 * When the probe after `e.probe_at` comes, counted from the disabling: 1, 2, 4, 8, 16 and 24 hours, then daily; NULL
 * after the last.
 */
const NEXT_PROBE = sql`(SELECT iif(next_ms <= ${LAST_PROBE_MS}, next_ms, NULL) FROM (SELECT CASE
  WHEN e.probe_at - s.disabled_at >= ${DAY_MS} THEN e.probe_at - s.disabled_at + ${DAY_MS}
  ELSE min(2 * (e.probe_at - s.disabled_at), ${DAY_MS}) END AS next_ms))`;

/**
 * Moves every episode to its stage, disables subscriptions that have failed for too long, and composes the mails that
 * are due. Returns the subscriptions in these mails, and the operational events that it has written.
 */
export async function reviewEpisodes(
  db: Db,
  defaultHours: number | null,
  nowMs: number,
): Promise<{ notices: SubscriptionNotice[]; operational: { id: string }[] }> {
  const afterMs = disabledAfterMs(defaultHours);
  const moved = (stage: number, condition: SQL) => sql`UPDATE episodes SET stage = ${stage}
    WHERE subscription_id IN (SELECT e.subscription_id FROM ${CURRENT} WHERE ${condition})`;
  const isFailing = sql`e.stage = ${STAGE.noticed} AND s.enabled = 1
    AND e.failing_since <= ${nowMs - FAILING_AFTER_MS}`;
  // Nothing can succeed while an operator holds the sends.
  const isSent = sql`NOT ${areSendsHeld(sql.raw("s.tenant_id"))}`;
  const isAtRisk = sql`e.stage = ${STAGE.failing} AND s.enabled = 1 AND ${isSent}
    AND e.failing_since <= ${nowMs + WARNED_BEFORE_MS} - ${afterMs}`;
  const isOver = sql`e.stage IN (${STAGE.failing}, ${STAGE.atRisk}) AND s.enabled = 1 AND s.is_deleted = 0
    AND e.failing_since <= ${nowMs} - ${afterMs} AND h.sent_failures >= ${MIN_FAILURES_TO_DISABLE} AND ${isSent}`;
  const isBack = sql`e.stage BETWEEN ${STAGE.failing} AND ${STAGE.disabled} AND s.enabled = 1 AND ${HAS_RECOVERED}`;
  const isProbed = sql`e.stage = ${STAGE.disabled} AND s.enabled = 0 AND s.released_to > 0 AND ${HAS_RECOVERED}`;
  const isProbeDue = sql`e.stage = ${STAGE.disabled} AND s.enabled = 0 AND s.released_to IS NOT NULL
    AND e.probe_at <= ${nowMs} AND ${isSent}`;
  const told = (type: OperationalType, condition: SQL, data?: SQL) =>
    publishOperational(type, sql`${CURRENT} WHERE ${condition}`, nowMs, data ? { data } : {});
  const recorded = (action: "webhook.disabled" | "webhook.resumed", condition: SQL, meta?: SQL) =>
    auditWebhooks(action, SYSTEM, sql`${CURRENT} WHERE ${condition}`, nowMs, meta);
  const failures = sql`'failingSince', ${isoSql(sql`e.failing_since`)}, 'failures', coalesce(h.sent_failures, 0)`;
  const { notices, ...written } = await repeatable(() =>
    atomically(db, {
      ended: sql`DELETE FROM episodes WHERE subscription_id NOT IN (SELECT e.subscription_id FROM ${CURRENT}
        WHERE s.is_deleted = 0
        AND NOT (e.stage = ${STAGE.noticed} AND ${HAS_RECOVERED})
        AND NOT (e.stage = ${STAGE.recovered} AND e.mailed_stage = e.stage AND e.is_mail_waiting = 0
          AND e.mailed_at <= ${nowMs - MAIL_EVERY_MS} AND coalesce(h.sent_failures, 0) < ${MIN_FAILURES}))`,
      begunAnew: sql`UPDATE episodes SET stage = ${STAGE.noticed}, mailed_stage = 0, failing_since = t.failing_since
        FROM (SELECT e.subscription_id AS id, h.failing_since FROM ${CURRENT} WHERE h.sent_failures >= ${MIN_FAILURES}
          AND s.enabled = 1
          AND (e.failing_since IS NULL OR (e.stage = ${STAGE.recovered} AND e.mailed_stage = e.stage
            AND e.is_mail_waiting = 0))) t
        WHERE episodes.subscription_id = t.id`,
      // A probe has succeeded: the subscription is enabled, and the deliveries that it holds are sent.
      toldEnabled: told("postern.webhook.enabled", isProbed),
      recordedEnabled: recorded("webhook.resumed", isProbed),
      enabled: sql`UPDATE subscriptions SET enabled = 1, disabled_reason = NULL, disabled_at = NULL, gone_since = NULL,
        version = version + 1,
          updated_at = ${nowMs}, former_states = ${withFormerState(nowMs)}, ${releaseFrom(sql`subscriptions.id`, nowMs)}
        WHERE id IN (SELECT s.id FROM ${CURRENT} WHERE ${isProbed})`,
      // Each event is written before the stage changes, because its condition asks for the old stage.
      toldRecovered: told("postern.webhook.recovered", isBack),
      recovered: moved(STAGE.recovered, isBack),
      toldFailing: told("postern.webhook.failing", isFailing, failures),
      failing: moved(STAGE.failing, isFailing),
      toldAtRisk: told(
        "postern.webhook.failing",
        isAtRisk,
        sql`${failures}, 'disablesAt', ${isoSql(sql`(e.failing_since + ${afterMs})`)}`,
      ),
      atRisk: moved(STAGE.atRisk, isAtRisk),
      toldDisabled: told("postern.webhook.disabled", isOver, sql`'reason', 'failing', ${failures}`),
      recordedDisabled: recorded("webhook.disabled", isOver, sql`'reason', 'failing'`),
      disabled: sql`UPDATE subscriptions SET enabled = 0, disabled_reason = 'failing', disabled_at = ${nowMs}, version =
        version + 1,
          updated_at = ${nowMs}, former_states = ${withFormerState(nowMs)}, ${HOLD_WHEN_DISABLED}
        WHERE id IN (SELECT s.id FROM ${CURRENT} WHERE ${isOver})`,
      unindexed: sql`DELETE FROM subscription_events WHERE (tenant_id, event_type, subscription_id) IN (
        SELECT s.tenant_id, v.value, s.id FROM episodes e CROSS JOIN subscriptions s ON s.id = e.subscription_id
          CROSS JOIN json_each(s.events) v WHERE s.disabled_at = ${nowMs} AND s.disabled_reason = 'failing'
            AND s.released_to IS NULL)`,
      noted: moved(
        STAGE.disabled,
        sql`e.stage < ${STAGE.disabled} AND s.enabled = 0 AND s.disabled_reason = 'failing'
          AND s.disabled_at = ${nowMs}`,
      ),
      firstProbe: sql`UPDATE episodes SET probe_at = ${nowMs + FIRST_PROBE_MS} WHERE subscription_id IN (SELECT s.id
        FROM ${CURRENT}
        WHERE s.disabled_at = ${nowMs} AND s.disabled_reason = 'failing' AND s.released_to IS NOT NULL)`,
      // The oldest held delivery may be sent, and the sweep sends it.
      probed: sql`UPDATE subscriptions SET released_to = coalesce((SELECT min(due_at) FROM outbox
        WHERE queue = subscriptions.id), 0)
        WHERE id IN (SELECT s.id FROM ${CURRENT} WHERE ${isProbeDue})`,
      nextProbe: sql`UPDATE episodes SET probe_at = t.next_at
        FROM (SELECT s.id, s.disabled_at + ${NEXT_PROBE} AS next_at FROM ${CURRENT}
          WHERE ${isProbeDue}) t
        WHERE episodes.subscription_id = t.id`,
      // Reports that are already due go into one mail with those that have just become due.
      composed: sql`UPDATE episodes SET mailed_stage = stage, mailed_at = ${nowMs}, is_mail_waiting = 1
        WHERE stage > mailed_stage AND tenant_id IN (SELECT e.tenant_id FROM episodes e WHERE e.stage > e.mailed_stage
          AND (e.stage = ${STAGE.disabled}
            OR e.tenant_id NOT IN (SELECT tenant_id FROM episodes WHERE mailed_at > ${nowMs - MAIL_EVERY_MS})))`,
      notices:
        rows<SubscriptionNotice>(sql`SELECT s.id AS subscriptionId, s.tenant_id AS tenantId, s.name, s.url, e.stage,
          e.is_mail_waiting AS isNew,
          e.mailed_at AS mailedAt, s.disabled_reason AS reason, e.failing_since AS failingSince,
          e.failing_since + ${afterMs} AS disablesAt, coalesce(h.sent_failures, 0) AS failures,
          (SELECT error FROM (SELECT a.status, a.error FROM attempts a WHERE a.subscription_id = s.id ORDER BY a.id DESC
            LIMIT ${NEWEST_ATTEMPTS})
            WHERE status = 'failed' LIMIT 1) AS error
        FROM ${CURRENT} WHERE e.tenant_id IN (SELECT tenant_id FROM episodes WHERE is_mail_waiting = 1)
          AND (e.is_mail_waiting = 1 OR (e.failing_since IS NOT NULL AND (e.stage = ${STAGE.disabled}
            OR (e.stage IN (${STAGE.failing}, ${STAGE.atRisk}) AND s.enabled = 1))))
        ORDER BY e.stage = ${STAGE.recovered}, e.failing_since`),
    }),
  );
  const { toldEnabled, toldRecovered, toldFailing, toldAtRisk, toldDisabled } = written;
  return { notices, operational: [toldEnabled, toldRecovered, toldFailing, toldAtRisk, toldDisabled].flat() };
}

/**
 * Notes that the mails of these episodes are in the queue. An episode that a later mail reports still waits for that
 * mail.
 */
export async function noteQueued(
  db: Db,
  mailed: readonly Pick<SubscriptionNotice, "subscriptionId" | "mailedAt">[],
): Promise<void> {
  const list = jsonList(mailed);
  await repeatable(() =>
    atomically(db, {
      queued: sql`UPDATE episodes SET is_mail_waiting = 0 WHERE (subscription_id, mailed_at) IN (
        SELECT value ->> 'subscriptionId', value ->> 'mailedAt' FROM json_each(${list}))`,
    }),
  );
}
