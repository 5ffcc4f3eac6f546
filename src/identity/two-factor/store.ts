/** Second factors in D1. The check is a condition of the write, so of parallel uses of one code only one succeeds. */
import { eq, type SQL, sql } from "drizzle-orm";
import { atomically, jsonList } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import type { Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import { users } from "../../base/tables/control-plane";
import { auditOfUser } from "../../tenancy/audit/record-store";
import { withMethods } from "../sessions/store";
import { endSessionsAndApps, revokeWithoutFactor } from "../tokens/revocations-store";

/** A TOTP secret as D1 stores it. Writes compare the id, because a rotation of `SECRET_KEYS` changes the ciphertext. */
export interface StoredTotpSecret {
  totpEnrolmentId: string;
  totpSecretEncrypted: string;
}

/**
 * The columns of a user that a second factor is made of. All are null without one; the first, until it is confirmed.
 */
interface StoredFactor {
  totpEnabledAt: number | null;
  totpEnrolmentId: string | null;
  totpSecretEncrypted: string | null;
}

/** Whether two-factor authentication is on, and not just started. */
export const hasSecondFactor = <T extends StoredFactor>(user: T): user is T & StoredTotpSecret =>
  user.totpEnabledAt !== null && user.totpEnrolmentId !== null && user.totpSecretEncrypted !== null;

/** A code that is right. Only the write decides whether it is still unused. */
export type Factor = { kind: "totp"; enrolmentId: string; step: number } | { kind: "recovery"; codeHash: string };

/** A condition that holds while the factor is unused and two-factor authentication is on. */
export function factorStillValid(userId: string, factor: Factor): SQL {
  const user = sql`SELECT 1 FROM users WHERE id = ${userId} AND totp_enabled_at IS NOT NULL`;
  return factor.kind === "totp"
    ? sql`EXISTS (${user} AND totp_enrolment_id = ${factor.enrolmentId} AND totp_last_step < ${factor.step})`
    : sql`(EXISTS (${user}) AND EXISTS (SELECT 1 FROM recovery_codes
        WHERE user_id = ${userId} AND code_hash = ${factor.codeHash} AND used_at IS NULL))`;
}

/** Uses the factor. Must come after every statement of the batch that uses `factorStillValid`. */
export function consumeFactor(userId: string, factor: Factor, nowMs: number): SQL {
  return factor.kind === "totp"
    ? sql`UPDATE users SET totp_last_step = ${factor.step} WHERE id = ${userId} AND ${factorStillValid(userId, factor)}
      RETURNING id`
    : sql`UPDATE recovery_codes SET used_at = ${nowMs}
        WHERE user_id = ${userId} AND code_hash = ${factor.codeHash} AND ${factorStillValid(userId, factor)}
          RETURNING user_id`;
}

/** Starts or restarts an enrolment. Returns null when two-factor authentication is already on. */
export async function startEnrolmentOfUser({ db }: Deps, userId: string, secret: StoredTotpSecret) {
  const [user] = await db
    .update(users)
    .set(secret)
    .where(sql`id = ${userId} AND totp_enabled_at IS NULL`)
    .returning({ email: users.email });
  return user ?? null;
}

/** The address and the second factor of a user, enrolled or enabled. */
export async function findTwoFactorOfUser({ db }: Deps, userId: string) {
  const { email, totpEnrolmentId, totpSecretEncrypted, totpEnabledAt } = users;
  const [row] = await db
    .select({ email, totpEnrolmentId, totpSecretEncrypted, totpEnabledAt })
    .from(users)
    .where(eq(users.id, userId));
  return row;
}

export interface Enabling {
  userId: string;
  /** The session that stays. The user's other sessions end, because they have not shown a second factor. */
  sessionId: string;
  enrolmentId: string;
  /** The time step of the first code, which this uses up. */
  step: number;
  /** The hashes of the first recovery codes; none if they are asked for later. */
  codeHashes: readonly string[];
  revert: NewRevert;
  tenantId: string;
  actor: Actor;
  /** What the audit log says of it besides. */
  meta?: { breakGlass: true };
}

/** Turns two-factor authentication on. Returns false when it is already on, or the secret changed. */
export async function enableTwoFactorOfUser({ db }: Deps, enabling: Enabling, nowMs: number): Promise<boolean> {
  const { userId, sessionId, enrolmentId, step, codeHashes, revert } = enabling;
  const isOn = sql`totp_enrolment_id = ${enrolmentId} AND totp_enabled_at = ${nowMs}`;
  const { enabled } = await atomically(db, {
    // First: the other statements ask whether it took effect.
    enabled: sql`UPDATE users SET totp_enabled_at = ${nowMs}, totp_last_step = ${step}
      WHERE id = ${userId} AND totp_enabled_at IS NULL AND totp_enrolment_id = ${enrolmentId} RETURNING id`,
    recorded: auditOfUser("auth.2fa_enabled", enabling, enabling.meta),
    shown: sql`UPDATE sessions SET amr = ${withMethods(["totp"])} WHERE id = ${sessionId} AND user_id = ${userId}
      AND EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND ${isOn})`,
    sessions: endSessionsAndApps(
      sql`user_id = ${userId} AND id <> ${sessionId} AND EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND ${isOn})`,
      "own",
      nowMs,
    ),
    codes:
      codeHashes.length === 0
        ? undefined
        : sql`INSERT INTO recovery_codes (user_id, code_hash) SELECT ${userId}, value
          FROM json_each(${jsonList(codeHashes)})
          WHERE EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND ${isOn})`,
    revert: insertRevert(revert, userId, "twoFactorOn", { state: sql`, 'at', ${nowMs}`, condition: isOn }),
  });
  return enabled.length === 1;
}

export interface FactorUse {
  userId: string;
  factor: Factor;
  revert: NewRevert;
  tenantId: string;
  actor: Actor;
}

/**
 * Records what a factor was used for, and that a recovery code was used, if the preceding statement has changed a row.
 */
const auditUse = (action: AuditAction, use: FactorUse) => ({
  recorded: auditOfUser(action, use),
  recordedUse: use.factor.kind === "recovery" ? auditOfUser("auth.recovery_used", use) : undefined,
});

/** The codes that a "this was not me" link restores: those unused so far, except the one that is used now. */
const unusedCodes = (factor: Factor | null) => sql`json((SELECT json_group_array(code_hash) FROM recovery_codes
  WHERE user_id = u.id AND used_at IS NULL AND code_hash
    IS NOT ${factor?.kind === "recovery" ? factor.codeHash : null}))`;

/**
 * The second factor of the user `u` as that link restores it, as further arguments of SQL's `json_object`. `factor` is
 * the code that turns it off at `nowMs` (Unix ms); null if the second factor is lost.
 */
export const stateOfFactor = (
  nowMs: number,
  factor: Factor | null,
): SQL => sql`, 'at', ${nowMs}, 'secret', u.totp_secret_encrypted,
  'enrolmentId', u.totp_enrolment_id, 'enabledAt', u.totp_enabled_at,
  'lastStep', max(u.totp_last_step, ${factor?.kind === "totp" ? factor.step : 0}), 'codes', ${unusedCodes(factor)}`;

/**
 * Turns two-factor authentication off, and revokes tokens where a tenant requires it. Returns false when the factor
 * does not hold.
 */
export async function disableTwoFactorOfUser({ db }: Deps, use: FactorUse, nowMs: number): Promise<boolean> {
  const { userId, factor, revert } = use;
  const holds = factorStillValid(userId, factor);
  const { disabled } = await atomically(db, {
    // First: it keeps what the other statements remove.
    revert: insertRevert(revert, userId, "twoFactorOff", { state: stateOfFactor(nowMs, factor), condition: holds }),
    // Before the codes, against which a recovery code is checked.
    disabled: sql`UPDATE users SET totp_secret_encrypted = NULL, totp_enrolment_id = NULL, totp_enabled_at = NULL,
      totp_last_step = 0
      WHERE id = ${userId} AND ${holds} RETURNING id`,
    ...auditUse("auth.2fa_disabled", use),
    recoveryCodes: sql`DELETE FROM recovery_codes WHERE user_id = ${userId}
      AND EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND totp_enabled_at IS NULL)`,
    revoked: revokeWithoutFactor(sql`user_id = ${userId}`, nowMs),
  });
  return disabled.length === 1;
}

/** Replaces the recovery codes. Returns false when the factor does not hold. */
export async function replaceRecoveryCodesOfUser(
  { db }: Deps,
  use: FactorUse,
  codeHashes: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const { userId, factor, revert } = use;
  const hashes = jsonList(codeHashes);
  const isNew = sql`code_hash IN (SELECT value FROM json_each(${hashes}))`;
  const holds = factorStillValid(userId, factor);
  const state = sql`, 'enabledAt', u.totp_enabled_at, 'codes', ${unusedCodes(factor)}`;
  const { used } = await atomically(db, {
    // First: it keeps the codes that the other statements remove.
    revert: insertRevert(revert, userId, "recoveryCodes", { state, condition: holds }),
    // Before the factor is used.
    inserted: sql`INSERT INTO recovery_codes (user_id, code_hash)
      SELECT ${userId}, value FROM json_each(${hashes}) WHERE ${holds}`,
    used: consumeFactor(userId, factor, nowMs),
    ...auditUse("auth.recovery_codes_renewed", use),
    // Last: a recovery code that was used as the factor is among the removed codes.
    removed: sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND NOT ${isNew}
      AND EXISTS (SELECT 1 FROM recovery_codes WHERE user_id = ${userId} AND ${isNew})`,
  });
  return used.length === 1;
}
