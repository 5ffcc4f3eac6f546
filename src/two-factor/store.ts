/** Second factors in D1. Checks and uses are conditions on the write, so that of parallel uses of one code one wins. */
import { eq, type SQL, sql } from "drizzle-orm";
import { atomically, jsonList } from "../db/client";
import { users } from "../db/schema";
import type { Deps } from "../deps";

/** A code that looks right: the write decides whether it is still unused. */
export type Factor = { kind: "totp"; secretSealed: string; step: number } | { kind: "recovery"; codeHash: string };

/** True, as SQL, while the factor is unused and two-factor authentication is on. */
export function factorHolds(userId: string, factor: Factor): SQL {
  const user = sql`SELECT 1 FROM users WHERE id = ${userId} AND totp_enabled_at IS NOT NULL`;
  return factor.kind === "totp"
    ? sql`EXISTS (${user} AND totp_secret_sealed = ${factor.secretSealed} AND totp_last_step < ${factor.step})`
    : sql`(EXISTS (${user}) AND EXISTS (SELECT 1 FROM recovery_codes
        WHERE user_id = ${userId} AND code_hash = ${factor.codeHash} AND used_at IS NULL))`;
}

/** Uses the factor up; the last statement of a batch whose others ask `factorHolds`. */
export function consumeFactor(userId: string, factor: Factor, nowMs: number): SQL {
  return factor.kind === "totp"
    ? sql`UPDATE users SET totp_last_step = ${factor.step} WHERE id = ${userId} AND ${factorHolds(userId, factor)} RETURNING id`
    : sql`UPDATE recovery_codes SET used_at = ${nowMs}
        WHERE user_id = ${userId} AND code_hash = ${factor.codeHash} AND ${factorHolds(userId, factor)} RETURNING user_id`;
}

/** Starts an enrolment, or starts it anew. Null when two factors are on already. */
export async function startEnrolmentOfUser({ db }: Deps, userId: string, secretSealed: string) {
  const rows = await db
    .update(users)
    .set({ totpSecretSealed: secretSealed })
    .where(sql`id = ${userId} AND totp_enabled_at IS NULL`)
    .returning({ email: users.email });
  return rows[0] ?? null;
}

export async function findTwoFactorOfUser({ db }: Deps, userId: string) {
  const [row] = await db
    .select({ totpSecretSealed: users.totpSecretSealed, totpEnabledAt: users.totpEnabledAt })
    .from(users)
    .where(eq(users.id, userId));
  return row;
}

/** Turns two factors on with the step of the first code. False when somebody else did, or the secret changed. */
export async function enableTwoFactorOfUser(
  { db }: Deps,
  userId: string,
  first: { secretSealed: string; step: number },
  nowMs: number,
): Promise<boolean> {
  const rows = await db
    .update(users)
    .set({ totpEnabledAt: nowMs, totpLastStep: first.step })
    .where(sql`id = ${userId} AND totp_enabled_at IS NULL AND totp_secret_sealed = ${first.secretSealed}`)
    .returning({ id: users.id });
  return rows.length === 1;
}

/** Turns two factors off against a factor. False when it was used already. */
export async function disableTwoFactorOfUser(
  { db }: Deps,
  userId: string,
  factor: Factor,
  nowMs: number,
): Promise<boolean> {
  const off = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND totp_enabled_at IS NULL)`;
  const [used] = await atomically(db, [
    consumeFactor(userId, factor, nowMs),
    sql`UPDATE users SET totp_secret_sealed = NULL, totp_enabled_at = NULL, totp_last_step = 0 WHERE id = ${userId} AND changes() = 1`,
    sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND ${off}`,
  ]);
  return used?.length === 1;
}

/** Replaces the recovery codes against a factor. False when it was used already. */
export async function replaceRecoveryCodesOfUser(
  { db }: Deps,
  userId: string,
  factor: Factor,
  codeHashes: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const holds = factorHolds(userId, factor);
  const hashes = jsonList(codeHashes);
  const others = sql`user_id = ${userId} AND code_hash NOT IN (SELECT value FROM json_each(${hashes}))`;
  const results = await atomically(db, [
    sql`INSERT INTO recovery_codes (user_id, code_hash) SELECT ${userId}, value FROM json_each(${hashes}) WHERE ${holds}`,
    consumeFactor(userId, factor, nowMs),
    sql`DELETE FROM recovery_codes WHERE ${others} AND EXISTS (SELECT 1 FROM recovery_codes WHERE user_id = ${userId}
      AND code_hash IN (SELECT value FROM json_each(${hashes})))`,
  ]);
  return results[1]?.length === 1;
}
