/**
 * Getting a former address back with a "this was not me" link, in D1. The mails about all that happened after a change
 * of address went to the new one, so the link of an earlier mail undoes that too.
 */
import { type SQL, sql } from "drizzle-orm";
import { endEmailChanges, endMailedLinks } from "../accounts/mailed-links-store";
import { isFreeFor } from "../addresses-store";

/** The first change of address that was asked for since the event of a link, if there is one. */
export interface EmailMove {
  /** The hash of the link that restores the former address; null without such a change. */
  moveHash: string | null;
  /** Unix ms. */
  movedAt: number | null;
  formerEmail: string | null;
  /** The hashes of the links that restore what the owner of the account had set up before it. */
  twoFactorOffHash: string | null;
  recoveryCodesHash: string | null;
}

/** The link of this kind since the move `mv` of the user `u`, with a state from before the event of the link `t`. */
const firstSince = (kind: "twoFactorOff" | "recoveryCodes"): SQL =>
  sql`(SELECT s.hash FROM email_tokens s WHERE s.subject_id = u.id AND s.purpose = 'undo' AND s.used_at IS NULL
    AND s.created_at >= mv.created_at AND s.action ->> 'kind' = ${kind} AND s.action ->> 'enabledAt' < t.created_at
    ORDER BY s.created_at LIMIT 1)`;

/** The columns of `EmailMove`, for a link `t` of a user `u` with `MOVE_JOIN`. */
export const MOVE_COLUMNS = sql`mv.hash AS moveHash, mv.created_at AS movedAt, mv.email AS formerEmail,
  ${firstSince("twoFactorOff")} AS twoFactorOffHash, ${firstSince("recoveryCodes")} AS recoveryCodesHash`;

/** The TOTP secret that such a link restores, encrypted, as a column of `FoundRevert`. */
export const STORED_SECRET = sql`(SELECT f.action ->> 'secret' FROM email_tokens f
  WHERE f.hash = coalesce(${firstSince("twoFactorOff")}, t.hash)) AS secret`;

export const MOVE_JOIN = sql`LEFT JOIN email_tokens mv ON t.action ->> 'kind' <> 'apiKeys' AND mv.hash = (SELECT m.hash
  FROM email_tokens m
  WHERE m.subject_id = u.id AND m.purpose = 'undo' AND m.used_at IS NULL AND m.email IS NOT NULL
    AND m.created_at >= t.created_at ORDER BY m.created_at LIMIT 1)`;

/**
 * Gives the account its former address back and ends the links that were mailed to the other one, if `isLive` holds.
 * Comes after all other undoing, which needs those links.
 */
export function restoreEmail(
  { hash, userId, moveHash, movedAt, formerEmail }: EmailMove & { hash: string; userId: string },
  isLive: SQL,
  nowMs: number,
) {
  const pendingEmail = endEmailChanges(sql`${userId}`, isLive);
  if (moveHash === null || formerEmail === null) return { pendingEmail };
  const state = (field: string) => sql`(SELECT action ->> ${`$.${field}`} FROM email_tokens WHERE hash = ${moveHash})`;
  const isRestored = sql`${isLive} AND (SELECT email FROM users WHERE id = ${userId}) = ${formerEmail}`;
  return {
    email: sql`UPDATE users SET email = ${formerEmail}, email_verified_at = ${state("verifiedAt")},
        email_verified_by = ${state("verifiedBy")}
      WHERE id = ${userId} AND email <> ${formerEmail} AND ${isFreeFor(userId, sql`${formerEmail}`, nowMs)}
        AND ${isLive}`,
    pendingEmail,
    mailedLinks: endMailedLinks(sql`${userId}`, isRestored),
    laterLinks: sql`DELETE FROM email_tokens WHERE subject_id = ${userId} AND purpose = 'undo' AND hash <> ${hash}
      AND created_at >= ${movedAt} AND ${isRestored}`,
  };
}
