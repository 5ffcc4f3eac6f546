/** Which email addresses an account may have, in D1. An address is looked up across tenants. */
import { type SQL, sql } from "drizzle-orm";
import { violates } from "../base/db/client";

/**
 * True while somebody other than this user can get the address back: they had it until less than 72 hours ago. `userId`
 * is null for an account that does not exist yet.
 */
const isReserved = (email: SQL | string, userId: SQL | string | null, nowMs: number): SQL =>
  sql`EXISTS (SELECT 1 FROM email_tokens f WHERE f.email = ${email} AND f.purpose = 'undo' AND f.used_at IS NULL
    AND f.expires_at > ${nowMs} AND f.subject_id IS NOT ${userId})`;

/** True while nobody else has the address or can get it back. */
export const isFreeFor = (userId: SQL | string, email: SQL, nowMs: number): SQL =>
  sql`(NOT EXISTS (SELECT 1 FROM users o WHERE o.email = ${email} AND o.id <> ${userId})
    AND NOT ${isReserved(email, userId, nowMs)})`;

/** True while an account has proven the address, or is suspended with it, or can get it back: no link can take it. */
export const isHeldAgainst = (userId: SQL | string, email: SQL, nowMs: number): SQL =>
  sql`(EXISTS (SELECT 1 FROM users o WHERE o.email = ${email} AND o.id <> ${userId}
      AND (o.email_verified_at IS NOT NULL OR o.suspended_at IS NOT NULL))
    OR ${isReserved(email, userId, nowMs)})`;

/** The address as a new user stores it: null, which the column refuses, while somebody else can get it back. */
export const addressOfNewUser = (email: string, nowMs: number): SQL =>
  sql`(SELECT ${email} WHERE NOT ${isReserved(email, null, nowMs)})`;

/** Whether a write failed because its address is not free. */
export const isAddressTaken = (error: unknown): boolean =>
  violates(error, "UNIQUE", "users.email") || violates(error, "NOT NULL", "users.email");
