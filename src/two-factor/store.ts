/** Second factors in D1. The check is a condition of the write, so of parallel uses of one code only one succeeds. */
import { eq, type SQL, sql } from "drizzle-orm";
import { atomically, jsonList } from "../db/client";
import { users } from "../db/schema";
import type { Deps } from "../deps";

/** A code that is right. Only the write decides whether it is still unused. */
export type Factor = { kind: "totp"; secretSealed: string; step: number } | { kind: "recovery"; codeHash: string };

/** A condition that holds while the factor is unused and two-factor authentication is on. */
export function factorHolds(userId: string, factor: Factor): SQL {
  const user = sql`SELECT 1 FROM users WHERE id = ${userId} AND totp_enabled_at IS NOT NULL`;
  return factor.kind === "totp"
    ? sql`EXISTS (${user} AND totp_secret_sealed = ${factor.secretSealed} AND totp_last_step < ${factor.step})`
    : sql`(EXISTS (${user}) AND EXISTS (SELECT 1 FROM recovery_codes
        WHERE user_id = ${userId} AND code_hash = ${factor.codeHash} AND used_at IS NULL))`;
}

/** Uses the factor. Must come after every statement of the batch that asks `factorHolds`. */
export function consumeFactor(userId: string, factor: Factor, nowMs: number): SQL {
  return factor.kind === "totp"
    ? sql`UPDATE users SET totp_last_step = ${factor.step} WHERE id = ${userId} AND ${factorHolds(userId, factor)} RETURNING id`
    : sql`UPDATE recovery_codes SET used_at = ${nowMs}
        WHERE user_id = ${userId} AND code_hash = ${factor.codeHash} AND ${factorHolds(userId, factor)} RETURNING user_id`;
}

/** Starts or restarts an enrolment. Returns null when two-factor authentication is already on. */
export async function startEnrolmentOfUser({ db }: Deps, userId: string, secretSealed: string) {
  const [user] = await db
    .update(users)
    .set({ totpSecretSealed: secretSealed })
    .where(sql`id = ${userId} AND totp_enabled_at IS NULL`)
    .returning({ email: users.email });
  return user ?? null;
}

/** The address and the encrypted TOTP secret of a user, and since when that is in use. */
export async function findTwoFactorOfUser({ db }: Deps, userId: string) {
  const [row] = await db
    .select({ email: users.email, totpSecretSealed: users.totpSecretSealed, totpEnabledAt: users.totpEnabledAt })
    .from(users)
    .where(eq(users.id, userId));
  return row;
}

/** Turns two-factor authentication on. Returns false when it is already on, or the secret changed. */
export async function enableTwoFactorOfUser(
  { db }: Deps,
  userId: string,
  first: { secretSealed: string; step: number },
  nowMs: number,
): Promise<boolean> {
  const enabled = await db
    .update(users)
    .set({ totpEnabledAt: nowMs, totpLastStep: first.step })
    .where(sql`id = ${userId} AND totp_enabled_at IS NULL AND totp_secret_sealed = ${first.secretSealed}`)
    .returning({ id: users.id });
  return enabled.length === 1;
}

/** Turns two-factor authentication off. Returns false when the factor does not hold. */
export async function disableTwoFactorOfUser({ db }: Deps, userId: string, factor: Factor): Promise<boolean> {
  const holds = factorHolds(userId, factor);
  const { disabled } = await atomically(db, {
    // First: the statement after it removes what a recovery code is checked against.
    disabled: sql`UPDATE users SET totp_secret_sealed = NULL, totp_enabled_at = NULL, totp_last_step = 0
      WHERE id = ${userId} AND ${holds} RETURNING id`,
    recoveryCodes: sql`DELETE FROM recovery_codes WHERE user_id = ${userId}
      AND EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND totp_enabled_at IS NULL)`,
  });
  return disabled.length === 1;
}

/** Replaces the recovery codes. Returns false when the factor does not hold. */
export async function replaceRecoveryCodesOfUser(
  { db }: Deps,
  userId: string,
  factor: Factor,
  codeHashes: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const hashes = jsonList(codeHashes);
  const isNew = sql`code_hash IN (SELECT value FROM json_each(${hashes}))`;
  const { used } = await atomically(db, {
    // Before the factor is used.
    inserted: sql`INSERT INTO recovery_codes (user_id, code_hash)
      SELECT ${userId}, value FROM json_each(${hashes}) WHERE ${factorHolds(userId, factor)}`,
    used: consumeFactor(userId, factor, nowMs),
    // Last: a recovery code that was used as the factor is among the removed ones.
    removed: sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND NOT ${isNew}
      AND EXISTS (SELECT 1 FROM recovery_codes WHERE user_id = ${userId} AND ${isNew})`,
  });
  return used.length === 1;
}
