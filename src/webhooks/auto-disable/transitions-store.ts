/**
 * The transitions of failing subscriptions, as statements for one batch. They run in the order of `reviewPage`, and
 * each asks for the state that it leaves, so a subscription can make several in one review.
 *
 *     noticed ──► failing ──► at risk ──► disabled ──► (a probe succeeds, or a user enables it)
 *        │           └───────────┴───────────┴──► recovered ──► forgotten, or noticed when it fails again
 *        └──► forgotten: it has succeeded before anybody was told
 */
import { type SQL, sql } from "drizzle-orm";
import { type Rows, rows } from "../../base/db/client";
import { SYSTEM } from "../../base/schemas/actor";
import type { OperationalType } from "../../base/schemas/event-type";
import { DAY_MS, HOUR_MS } from "../../base/time";
import { auditWebhooks } from "../../tenancy/audit/record-store";
import { isFrozen } from "../plane/frozen-store";
import { isNewestHour } from "../plane/hours-store";
import { unindexDisabled } from "../plane/index-store";
import { beginProbe, disableWhere, enableAfterProbe, HOLDS_IF_DISABLED } from "../plane/lane-store";
import { isoSql, publishOperational } from "../plane/operational-store";
import { HOLDS_WHEN_OFF, IS_PROBED } from "../plane/predicates-store";
import { MAIL_EVERY_MS, MIN_FAILURES, MIN_FAILURES_TO_DISABLE, STAGE } from "../plane/stages";

/** Users are told about failures that have lasted this long. */
const FAILING_AFTER_MS = HOUR_MS;
/** They are warned this long before a subscription is disabled. */
const WARNED_BEFORE_MS = 24 * HOUR_MS;
/** When a disabled subscription that holds deliveries gets its first and its last probe, counted from the disabling. */
const FIRST_PROBE_MS = HOUR_MS;
const LAST_PROBE_MS = 14 * DAY_MS;

/**
 * After how many ms of failures the service disables `s`; null for never. `defaultHours` applies if its options do not
 * say.
 */
export const disabledAfterMs = (defaultHours: number | null) => sql`${HOUR_MS} * CASE
  WHEN json_type(s.options, '$.autoDisable') = 'false' THEN NULL
  ELSE coalesce(s.options ->> '$.autoDisable.afterHours', ${defaultHours}) END`;

/** The rows `e` of failing subscriptions that a review covers: after one subscription id, up to another. */
export interface ReviewPage {
  after: string;
  last: string;
}

const inPage = ({ after, last }: ReviewPage, column: SQL): SQL => sql`${column} > ${after} AND ${column} <= ${last}`;

/** Failing subscriptions `e`, each with its subscription `s` and its counts `h`. `h.hour` is null if there are none. */
export const withCounts = (failing: SQL): SQL => sql`${failing} e CROSS JOIN subscriptions s ON s.id = e.subscription_id
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

/** Nothing can succeed while an operator holds the sends. */
const IS_SENT = sql`NOT ${isFrozen(sql.raw("s.tenant_id"))}`;

const FAILURES = sql`'failingSince', ${isoSql(sql`e.failing_since`)}, 'failures', coalesce(h.sent_failures, 0)`;

/** What a transition writes, in this order. Only the operational events return rows: their ids. */
type Written = Rows<{ id: string }>[];

/** The transitions of one page at one time. */
export class Transitions {
  readonly #current: SQL;
  readonly #page: ReviewPage;
  readonly #afterMs: SQL;
  readonly #nowMs: number;

  constructor(page: ReviewPage, defaultHours: number | null, nowMs: number) {
    this.#page = page;
    this.#current = withCounts(sql`(SELECT * FROM episodes WHERE ${inPage(page, sql.raw("subscription_id"))})`);
    this.#afterMs = disabledAfterMs(defaultHours);
    this.#nowMs = nowMs;
  }

  /** Noticed or recovered → forgotten: it succeeds, and its users know what they must know. */
  forget(): Written {
    const isKept = sql`s.is_deleted = 0 AND NOT (e.stage = ${STAGE.noticed} AND ${HAS_RECOVERED})
      AND NOT (e.stage = ${STAGE.recovered} AND e.mailed_stage = e.stage AND e.is_mail_waiting = 0
        AND e.mailed_at <= ${this.#nowMs - MAIL_EVERY_MS} AND coalesce(h.sent_failures, 0) < ${MIN_FAILURES})`;
    return [
      rows(sql`DELETE FROM episodes WHERE ${inPage(this.#page, sql.raw("subscription_id"))}
        AND subscription_id NOT IN (${this.#ids(isKept)})`),
    ];
  }

  /** Recovered, or enabled by a user → noticed: it fails again. */
  failAgain(): Written {
    const isAgain = sql`h.sent_failures >= ${MIN_FAILURES} AND s.enabled = 1 AND (e.failing_since IS NULL
      OR (e.stage = ${STAGE.recovered} AND e.mailed_stage = e.stage AND e.is_mail_waiting = 0))`;
    return [
      rows(sql`UPDATE episodes SET stage = ${STAGE.noticed}, mailed_stage = 0, failing_since = t.failing_since
        FROM (SELECT e.subscription_id AS id, h.failing_since FROM ${this.#current} WHERE ${isAgain}) t
        WHERE episodes.subscription_id = t.id`),
    ];
  }

  /** Disabled → enabled: a probe has succeeded, and the deliveries that it holds are sent. */
  enable(): Written {
    const isBack = sql`e.stage = ${STAGE.disabled} AND ${IS_PROBED} AND ${HAS_RECOVERED}`;
    return [
      this.#tell("postern.webhook.enabled", isBack),
      this.#record("webhook.resumed", isBack),
      rows(enableAfterProbe(this.#ids(isBack), this.#nowMs)),
    ];
  }

  /** Failing, at risk or disabled → recovered: it is enabled and has succeeded. */
  recover(): Written {
    const isBack = sql`e.stage BETWEEN ${STAGE.failing} AND ${STAGE.disabled} AND s.enabled = 1 AND ${HAS_RECOVERED}`;
    return [this.#tell("postern.webhook.recovered", isBack), this.#move(STAGE.recovered, isBack)];
  }

  /** Noticed → failing: it has failed for an hour. */
  fail(): Written {
    const isFailing = sql`e.stage = ${STAGE.noticed} AND s.enabled = 1
      AND e.failing_since <= ${this.#nowMs - FAILING_AFTER_MS}`;
    return [this.#tell("postern.webhook.failing", isFailing, FAILURES), this.#move(STAGE.failing, isFailing)];
  }

  /** Failing → at risk: it will be disabled within a day. */
  warn(): Written {
    const isAtRisk = sql`e.stage = ${STAGE.failing} AND s.enabled = 1 AND ${IS_SENT}
      AND e.failing_since <= ${this.#nowMs + WARNED_BEFORE_MS} - ${this.#afterMs}`;
    const disablesAt = sql`${FAILURES}, 'disablesAt', ${isoSql(sql`(e.failing_since + ${this.#afterMs})`)}`;
    return [this.#tell("postern.webhook.failing", isAtRisk, disablesAt), this.#move(STAGE.atRisk, isAtRisk)];
  }

  /** Failing or at risk → disabled: it has failed for too long. One that holds its deliveries gets a first probe. */
  disable(): Written {
    const nowMs = this.#nowMs;
    const isOver = sql`e.stage IN (${STAGE.failing}, ${STAGE.atRisk}) AND s.enabled = 1 AND s.is_deleted = 0
      AND e.failing_since <= ${nowMs} - ${this.#afterMs} AND h.sent_failures >= ${MIN_FAILURES_TO_DISABLE}
      AND ${IS_SENT}`;
    const isDisabled = sql`s.enabled = 0 AND s.disabled_reason = 'failing' AND s.disabled_at = ${nowMs}`;
    const reason = sql`'reason', 'failing'`;
    return [
      this.#tell("postern.webhook.disabled", isOver, sql`${reason}, ${FAILURES}`),
      this.#record("webhook.disabled", isOver, reason),
      rows(
        disableWhere({ reason: "failing", atMs: nowMs, holds: HOLDS_IF_DISABLED }, sql`s.id IN (${this.#ids(isOver)})`),
      ),
      rows(unindexDisabled(this.#ids(isDisabled))),
      this.#move(STAGE.disabled, sql`e.stage < ${STAGE.disabled} AND ${isDisabled}`),
      rows(sql`UPDATE episodes SET probe_at = ${nowMs + FIRST_PROBE_MS}
        WHERE subscription_id IN (${this.#ids(sql`${isDisabled} AND ${HOLDS_WHEN_OFF}`)})`),
    ];
  }

  /** Disabled, and held → probing: its next probe is due. */
  probe(): Written {
    const isDue = sql`e.stage = ${STAGE.disabled} AND ${HOLDS_WHEN_OFF} AND e.probe_at <= ${this.#nowMs}
      AND ${IS_SENT}`;
    return [
      rows(beginProbe(this.#ids(isDue))),
      rows(sql`UPDATE episodes SET probe_at = t.next_at
        FROM (SELECT s.id, s.disabled_at + ${NEXT_PROBE} AS next_at FROM ${this.#current} WHERE ${isDue}) t
        WHERE episodes.subscription_id = t.id`),
    ];
  }

  #ids(condition: SQL): SQL {
    return sql`SELECT e.subscription_id FROM ${this.#current} WHERE ${condition}`;
  }

  #move(stage: number, condition: SQL): Rows<{ id: string }> {
    return rows(sql`UPDATE episodes SET stage = ${stage} WHERE subscription_id IN (${this.#ids(condition)})`);
  }

  /** Before the stage changes, because `condition` asks for the old stage. */
  #tell(type: OperationalType, condition: SQL, data?: SQL): Rows<{ id: string }> {
    return publishOperational(type, sql`${this.#current} WHERE ${condition}`, this.#nowMs, data ? { data } : {});
  }

  #record(action: "webhook.disabled" | "webhook.resumed", condition: SQL, meta?: SQL): Rows<{ id: string }> {
    return rows(auditWebhooks(action, SYSTEM, sql`${this.#current} WHERE ${condition}`, this.#nowMs, meta));
  }
}
