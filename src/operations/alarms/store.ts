/** The alarms in the control plane, and the data that they are based on. Spans tenants. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";

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

/** Reads the alarms, how long mails have failed, and which keys are missing. */
export async function readAlarms({ db }: Deps) {
  const { alarms, mail, keys } = await atomically(db, {
    alarms: rows<Alarm>(sql`SELECT ${COLUMNS} FROM alarms WHERE finding > ''`),
    mail: rows<{ since: number; tries: number }>(sql`SELECT since, tries FROM mail_failures WHERE id = 1`),
    keys: rows<{ missing: string }>(sql`SELECT missing FROM key_checks WHERE id = 1`),
  });
  return { alarms, mail: mail[0] ?? null, missing: JSON.parse(keys[0]?.missing ?? "[]") as string[] };
}

/** Returns when the oldest delivery of the main outbox queue was due, in Unix ms; null if there is none. */
export async function oldestDueAt(db: Db): Promise<number | null> {
  const { oldest } = await atomically(db, {
    oldest: rows<{ dueAt: number | null }>(sql`SELECT min(due_at) AS dueAt FROM outbox WHERE queue = ''`),
  });
  return oldest[0]?.dueAt ?? null;
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
