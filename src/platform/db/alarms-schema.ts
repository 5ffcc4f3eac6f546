/**
 * Tables of the control plane for alarms about the service: what is wrong, and what is known about mails and keys.
 * Times are Unix ms.
 */
import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What is wrong with the service: a row exists until somebody has been told that it is over. The migration creates it
 * WITHOUT ROWID.
 */
export const alarms = sqliteTable("alarms", {
  /** A kind of `alarms/findings.ts` and what it is about, such as "deliveriesLate:1". */
  finding: text().primaryKey(),
  /** When the cron found it. */
  notedAt: integer("noted_at").notNull(),
  /** When it began, if that is known; otherwise when the cron found it. */
  since: integer().notNull(),
  /** Null while it lasts. */
  endedAt: integer("ended_at"),
  /** Whether people have been told that it began. */
  isTold: integer("is_told", { mode: "boolean" }).notNull().default(false),
  /** Until this time, one run of the cron is sending it. */
  claimedUntil: integer("claimed_until").notNull().default(0),
});

/** One row while mails cannot be sent: it exists from the first failure until the next mail that is sent. */
export const mailFailures = sqliteTable("mail_failures", {
  id: integer().primaryKey(),
  since: integer().notNull(),
  tries: integer().notNull(),
});

/** One row: what the last pass over all encrypted columns found. */
export const keyChecks = sqliteTable("key_checks", {
  id: integer().primaryKey(),
  /** The ids of the keys in SECRET_KEYS at that time, newest first. */
  ring: text().notNull(),
  /** A JSON array: the ids of the keys that stored secrets need and SECRET_KEYS did not have. */
  missing: text().notNull().default(sql`'[]'`),
});
