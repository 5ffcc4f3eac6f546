/** Carrying out "this was not me" links in D1. `mail/revert-store.ts` stores them, with the state that they restore. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { RevertKind } from "../../base/mail/revert-store";
import type { RequestOrigin } from "../../base/schemas/actor";
import { auditEach, holderOfToken, tenantOfAccount } from "../../tenancy/audit/record-store";
import type { Suspect } from "../../webhooks/subscriptions/suspects-store";
import { endPortalLinks } from "../tokens/portal-links-store";
import { endSessionsAndApps } from "../tokens/revocations-store";
import { type EndedCredential, endMadeCredentials } from "./made-credentials-store";
import { type EmailMove, MOVE_COLUMNS, MOVE_JOIN, restoreEmail, STORED_SECRET } from "./revert-email-store";
import { endSignOn } from "./revert-sign-on-store";
import { type ChangedAccess, undoTenantChanges } from "./tenant-changes-store";

export interface FoundRevert extends EmailMove {
  kind: RevertKind;
  userId: string;
  email: string;
  /** When the event was reported; Unix ms. */
  createdAt: number;
  /** The TOTP secret that the link restores, encrypted; null if it restores none. */
  secret: string | null;
}

/** What a link has undone in the tenants of its user, besides the subscriptions. */
export type UndoneAccess = Record<"revokedInvitations" | "removedGuests" | "revertedRoles", ChangedAccess[]> &
  Record<"endedTenantKeys" | "endedPlatformKeys" | "disabledSources", EndedCredential[]>;

/** Returns what a link would revert; null when it was used or has expired. Changes nothing. */
export async function findRevertByToken({ db }: Deps, hash: string, nowMs: number): Promise<FoundRevert | null> {
  const { found } = await atomically(db, { found: revertOf(hash, nowMs) });
  return found[0] ?? null;
}

/** The links that end every session. */
export const ENDING: readonly RevertKind[] = [
  "password",
  "email",
  "twoFactorOn",
  "twoFactorOff",
  "recoveryCodes",
  "passkey",
  "identity",
  "apiKey",
  "app",
  "signOn",
  "signIn",
];

const revertOf = (hash: string, nowMs: number) =>
  rows<FoundRevert>(sql`SELECT t.action ->> 'kind' AS kind, u.id AS userId, u.email,
      t.created_at AS createdAt, ${STORED_SECRET}, ${MOVE_COLUMNS}
    FROM email_tokens t
    JOIN users u ON u.id = t.subject_id ${MOVE_JOIN}
    WHERE t.hash = ${hash} AND ${isUsable(nowMs)}`);

const isUsable = (nowMs: number) => sql`t.purpose = 'undo' AND t.used_at IS NULL AND t.expires_at > ${nowMs}`;

interface Reverting {
  hash: string;
  /** Whether a key opens the second factor that the link restores. If not, it is not restored. */
  isReadable: boolean;
  /** Who may have acted for the thief. */
  suspects: readonly Suspect[];
}

/**
 * Uses a link: undoes what it names, revokes every API key and portal link of its user and, except for the kind
 * "apiKeys", ends every session, gives the account the address back that it had, and undoes what the user has done in
 * their tenants since. Of several parallel uses, one succeeds. The others, and uses of an expired link, return null.
 */
export async function revertByToken(
  { db }: Deps,
  link: FoundRevert & Reverting,
  origin: RequestOrigin,
  nowMs: number,
): Promise<{ found: FoundRevert; access: UndoneAccess } | null> {
  const { hash, userId, createdAt, moveHash, suspects } = link;
  const token = sql`FROM email_tokens t WHERE t.hash = ${hash} AND ${isUsable(nowMs)}`;
  const when = (...kinds: RevertKind[]) =>
    sql`EXISTS (SELECT 1 ${token} AND t.action ->> 'kind' IN (SELECT value FROM json_each(${JSON.stringify(kinds)})))`;
  const subject = sql`(SELECT t.subject_id ${token})`;
  const stored = (field: string) => storedOf(hash, field);
  const isLive = when(...ENDING);
  const suspicion = { userId, since: createdAt, origin, isLive };
  const { found, ...access } = await atomically(db, {
    found: revertOf(hash, nowMs),
    ...undoTenantChanges(suspicion, nowMs),
    ...endMadeCredentials(suspicion, suspects, nowMs),
    recorded: auditEach(
      {
        tenantId: tenantOfAccount(sql`t.subject_id`),
        action: "notice.undone",
        actor: holderOfToken(sql`t.subject_id`, origin),
        target: { kind: "user", id: sql`t.subject_id` },
        meta: sql`json_object('kind', t.action ->> 'kind')`,
      },
      sql`email_tokens t WHERE t.hash = ${hash} AND ${isUsable(nowMs)}`,
      nowMs,
    ),
    password: sql`UPDATE users SET password_hash = '' WHERE id = ${subject}
      AND ${moveHash === null ? when("password", "signIn") : isLive}`,
    device: sql`DELETE FROM known_devices WHERE user_id = ${subject} AND key = ${stored("device")}`,
    // Passkeys and identities added since the notice are removed too: a thief may have added one.
    passkeys: sql`DELETE FROM passkeys WHERE user_id = ${subject} AND ${when(...ENDING)}
      AND (id = ${stored("passkey")} OR created_at >= (SELECT t.created_at ${token}))`,
    identities: sql`DELETE FROM identities WHERE user_id = ${subject} AND ${when(...ENDING)}
      AND (id = ${stored("identity")} OR created_at >= (SELECT t.created_at ${token}))`,
    ...endSignOn(when("signOn"), { subject, stored, origin }, nowMs),
    ...revertTwoFactor(link, { subject, when }),
    ...revertRecoveryCodes(link, { subject, when }),
    appConsents: sql`DELETE FROM oauth_consents WHERE user_id = ${subject} AND ${isLive}
      AND updated_at >= (SELECT t.created_at ${token})`,
    sessions: endSessionsAndApps(sql`user_id = ${subject} AND ${when(...ENDING)}`, "all", nowMs),
    apiKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE user_id = ${subject} AND revoked_at IS NULL`,
    portalLinks: endPortalLinks(subject, sql`true`, { actor: holderOfToken(subject, origin), reason: "not-me" }, nowMs),
    tenantKey: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE id = ${stored("key")} AND revoked_at IS NULL`,
    ...restoreEmail(link, isLive, nowMs),
    // Last: the statements above ask whether the link is unused.
    used: sql`UPDATE email_tokens AS t SET used_at = ${nowMs}, action = NULL, email = NULL WHERE t.hash = ${hash}
      AND ${isUsable(nowMs)}`,
  });
  const [revert] = found;
  return revert ? { found: revert, access } : null;
}

/** A field of the state that a link restores. */
const storedOf = (hash: string, field: string): SQL =>
  sql`(SELECT action ->> ${`$.${field}`} FROM email_tokens WHERE hash = ${hash})`;

const NO_FACTOR = sql`totp_secret_encrypted = NULL, totp_enrolment_id = NULL, totp_enabled_at = NULL,
  totp_last_step = 0`;

interface Undo {
  subject: SQL;
  when: (...kinds: RevertKind[]) => SQL;
}

/** A second factor that was turned on since the notice is removed too: a thief may have enrolled again. */
function revertTwoFactor(
  { hash, kind, movedAt, twoFactorOffHash, isReadable }: FoundRevert & Reverting,
  { subject, when }: Undo,
) {
  const stored = (field: string) => storedOf(twoFactorOffHash ?? hash, field);
  const hasMoved = movedAt === null ? sql`0` : when(kind);
  const wasOff = twoFactorOffHash === null ? when("twoFactorOff") : when(kind);
  return {
    turnedOnSinceMove:
      movedAt === null
        ? undefined
        : sql`UPDATE users SET ${NO_FACTOR} WHERE id = ${subject} AND totp_enabled_at >= ${movedAt} AND ${hasMoved}`,
    turnedOn: sql`UPDATE users SET ${NO_FACTOR} WHERE id = ${subject} AND totp_enabled_at >= ${stored("at")}
      AND ${isReadable ? when("twoFactorOn") : sql`(${when("twoFactorOn")} OR ${wasOff})`}`,
    turnedOff: isReadable
      ? sql`UPDATE users SET totp_secret_encrypted = ${stored("secret")}, totp_enrolment_id = ${stored("enrolmentId")},
          totp_enabled_at = ${stored("enabledAt")}, totp_last_step = ${stored("lastStep")}
        WHERE id = ${subject} AND (totp_enabled_at IS NULL OR totp_enabled_at >= ${stored("at")}) AND ${wasOff}`
      : undefined,
    // After both: codes belong to the enrolment that is on now, or to none.
    staleCodes: sql`DELETE FROM recovery_codes WHERE user_id = ${subject} AND (${when("twoFactorOn")} OR ${wasOff}
      OR ${hasMoved})
      AND (SELECT totp_enabled_at IS NULL OR totp_enabled_at IS ${stored("enabledAt")} FROM users
        WHERE id = ${subject})`,
    restoredCodes: sql`INSERT INTO recovery_codes (user_id, code_hash) SELECT ${subject}, value
      FROM json_each(${stored("codes")})
      WHERE ${wasOff} AND (SELECT totp_enabled_at IS ${stored("enabledAt")} FROM users WHERE id = ${subject})`,
  };
}

function revertRecoveryCodes(
  { hash, kind, recoveryCodesHash }: FoundRevert & { hash: string },
  { subject, when }: Undo,
) {
  const stored = (field: string) => storedOf(recoveryCodesHash ?? hash, field);
  const sameEnrolment = sql`${recoveryCodesHash === null ? when("recoveryCodes") : when(kind)}
    AND (SELECT totp_enabled_at IS ${stored("enabledAt")} FROM users WHERE id = ${subject})`;
  return {
    renewedCodes: sql`DELETE FROM recovery_codes WHERE user_id = ${subject} AND ${sameEnrolment}`,
    formerCodes: sql`INSERT INTO recovery_codes (user_id, code_hash) SELECT ${subject}, value
      FROM json_each(${stored("codes")})
      WHERE ${sameEnrolment}`,
  };
}
