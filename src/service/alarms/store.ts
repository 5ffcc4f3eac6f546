/** The alarms in the control plane, and the data that they are based on. Spans tenants. */

import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { IS_OF_PRODUCT } from "../../base/schemas/roles";
import { isFrozen } from "../../webhooks/plane/frozen-store";
import { MAIN } from "../../webhooks/plane/outbox-store";

/** A run that has not sent its alarms within this time has died. */
const TOLD_WITHIN_MS = 300_000;

export interface Alarm {
  finding: string;
  /** When the cron found it, Unix ms. */
  notedAt: number;
  /** Unix ms. */
  since: number;
  /** Unix ms; null while it lasts. */
  endedAt: number | null;
  isTold: 0 | 1;
}

const COLUMNS = sql.raw("finding, noted_at AS notedAt, since, ended_at AS endedAt, is_told AS isTold");

/** More are not looked for. */
const MAX_ROLES = 100;
const OF_PRODUCT = sql.raw(IS_OF_PRODUCT);

/** The roles of the product that members have: reads one entry of the index for each. */
const ROLES_IN_USE = sql`WITH RECURSIVE used(role) AS (SELECT min(role) FROM memberships WHERE ${OF_PRODUCT}
    UNION ALL SELECT (SELECT min(role) FROM memberships WHERE ${OF_PRODUCT} AND role > used.role) FROM used
    WHERE used.role IS NOT NULL LIMIT ${MAX_ROLES}) SELECT role FROM used WHERE role IS NOT NULL`;

/** Reads the alarms, how long mails and the former service have failed, and which roles of the product are in use. */
export async function readAlarms({ db }: Deps) {
  const { alarms, mail, legacy, roles } = await atomically(db, {
    alarms: rows<Alarm>(sql`SELECT ${COLUMNS} FROM alarms WHERE finding > ''`),
    mail: rows<{ since: number; tries: number }>(sql`SELECT since, tries FROM mail_failures WHERE id = 1`),
    legacy: rows<{ since: number; tries: number }>(sql`SELECT since, tries FROM legacy_login_failures WHERE id = 1`),
    roles: rows<{ role: string }>(ROLES_IN_USE),
  });
  return { alarms, mail: mail[0] ?? null, legacyLogin: legacy[0] ?? null, roles: roles.map(({ role }) => role) };
}

/** When the oldest due deliveries of a database were due, in Unix ms; null if none is. */
export interface OldestDue {
  main: number | null;
  /** In the lanes of subscriptions that have lately answered in time, and in those of slow ones. */
  quickLanes: number | null;
  slowLanes: number | null;
}

/** The most lanes that one call looks at. */
const MAX_LANES = 1_000;

/**
 * Reads what has waited longest in the main outbox queue, and in the lanes whose deliveries nothing stops. Not in those
 * of listeners, which wait for a program on somebody's own machine.
 */
export async function readOldestDue(db: Db, nowMs: number): Promise<OldestDue> {
  const { main, lanes } = await atomically(db, {
    main: rows<{ dueAt: number | null }>(sql`SELECT min(due_at) AS dueAt FROM outbox WHERE queue = ${MAIN}`),
    lanes: rows<{
      isSlow: 0 | 1;
      dueAt: number | null;
    }>(sql`SELECT slow_until > ${nowMs} AS isSlow, min(due_at) AS dueAt
      FROM (SELECT s.slow_until, (SELECT min(due_at) FROM outbox WHERE queue = s.id) AS due_at FROM subscriptions s
        WHERE s.has_backlog = 1 AND s.is_deleted = 0 AND s.held_until <= ${nowMs} AND s.released_to IS NULL
          AND s.listener_of IS NULL AND NOT ${isFrozen(sql.raw("s.tenant_id"))} LIMIT ${MAX_LANES}) GROUP BY 1`),
  });
  const oldestOf = (slow: 0 | 1) => lanes.find(({ isSlow }) => isSlow === slow)?.dueAt ?? null;
  return { main: main[0]?.dueAt ?? null, quickLanes: oldestOf(0), slowLanes: oldestOf(1) };
}

/**
 * Stores what has begun and what has ended, and returns the alarms that the caller must send. If several callers run at
 * once, only the one whose batch claims an alarm gets it.
 */
export async function claimAlarms(
  { db }: Deps,
  { begun, ended }: { begun: readonly { finding: string; since: number }[]; ended: readonly string[] },
  nowMs: number,
): Promise<Alarm[]> {
  const { claimed } = await atomically(db, {
    begun: sql`INSERT INTO alarms (finding, noted_at, since)
      SELECT value ->> 'finding', ${nowMs}, value ->> 'since' FROM json_each(${jsonList(begun)}) WHERE true
        ON CONFLICT DO NOTHING`,
    ended: sql`UPDATE alarms SET ended_at = ${nowMs}
      WHERE finding IN (SELECT value FROM json_each(${jsonList(ended)})) AND ended_at IS NULL`,
    claimed: rows<Alarm>(sql`UPDATE alarms SET claimed_until = ${nowMs + TOLD_WITHIN_MS}
      WHERE finding > '' AND claimed_until <= ${nowMs} AND (is_told = 0 OR ended_at IS NOT NULL) RETURNING ${COLUMNS}`),
  });
  return claimed;
}

/** Ends the caller's claim. A report that was sent is not sent again; an alarm whose end was sent is deleted. */
export async function settleAlarm({ db }: Deps, { finding, notedAt, isTold }: Alarm, wasSent: boolean): Promise<void> {
  await atomically(db, {
    settled:
      wasSent && isTold === 1
        ? sql`DELETE FROM alarms WHERE finding = ${finding} AND noted_at = ${notedAt}`
        : sql`UPDATE alarms SET claimed_until = 0, is_told = ${wasSent ? 1 : isTold} WHERE finding = ${finding}
          AND noted_at = ${notedAt}`,
  });
}
