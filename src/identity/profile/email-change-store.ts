/**
 * Changes of an address in D1. The address is the user's in all tenants; the event goes to the tenant of the session.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import type { Locale } from "../../base/schemas/locales";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { auditOfUser } from "../../tenancy/audit/record-store";
import { endEmailChanges, endMailedLinks } from "../accounts/mailed-links-store";
import { isFreeFor, isHeldAgainst } from "../addresses-store";

export interface NewEmailChange {
  email: string;
  /** Of the token that goes to the new address. */
  hash: string;
  /** Unix ms. */
  expiresAt: number;
  revert: NewRevert;
}

/** What a link to the former address restores. Nobody else can take that address while the link works. */
const formerAddress = (condition: SQL) => ({
  email: sql`u.email`,
  state: sql`, 'verifiedAt', u.email_verified_at, 'verifiedBy', u.email_verified_by`,
  condition,
});

/** An unverified address may be somebody else's, who must not get a link that works for the account. */
const mayBeTold = ({ config }: Deps): SQL =>
  config.emailVerification === "required" ? sql`u.email_verified_at IS NOT NULL` : sql`1`;

/** Stores the change that a user asks for, in place of an older one. */
export async function insertEmailChange(
  deps: Deps,
  { userId, tenantId, actor }: SessionPrincipal,
  { email, hash, expiresAt, revert }: NewEmailChange,
  nowMs: number,
): Promise<void> {
  await atomically(deps.db, {
    older: endEmailChanges(sql`${userId}`, sql`1`),
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, email, created_at, expires_at)
      SELECT ${hash}, 'change-email', u.id, ${email}, ${nowMs}, ${expiresAt} FROM users u WHERE u.id = ${userId}`,
    recorded: auditOfUser("auth.email_change_requested", { tenantId, userId, actor }),
    revert: insertRevert(revert, userId, "email", formerAddress(mayBeTold(deps))),
  });
}

/**
 * Gives the user the address of a token, which is verified from now on. Of several parallel uses, and of several people
 * who want one address, one succeeds. `operator`: the old or the new address is an operator's.
 */
export async function changeEmailByToken(
  deps: Deps,
  { userId, tenantId, actor }: SessionPrincipal,
  { hash, revert }: { hash: string; revert: NewRevert },
  nowMs: number,
): Promise<"changed" | "invalid" | "taken" | "operator"> {
  const token = sql`FROM email_tokens t WHERE t.hash = ${hash} AND t.purpose = 'change-email'
    AND t.subject_id = ${userId} AND t.expires_at > ${nowMs}`;
  const email = sql`(SELECT t.email ${token})`;
  const operators = jsonList(deps.config.operators);
  const isOperators = sql`EXISTS (SELECT 1 FROM json_each(${operators}) j
    WHERE j.value IN (t.email, (SELECT email FROM users WHERE id = ${userId})))`;
  const mayChange = sql`EXISTS (SELECT 1 ${token} AND ${isFreeFor(userId, sql`t.email`, nowMs)}
    AND NOT ${isOperators})`;
  const isDone = sql`(SELECT email FROM users WHERE id = ${userId}) = ${email}`;
  const { found, changed } = await atomically(deps.db, {
    found: rows<{ isOperators: 0 | 1 }>(sql`SELECT ${isOperators} AS isOperators ${token}`),
    // Before the change: it keeps the former address.
    revert: insertRevert(revert, userId, "email", formerAddress(sql`${mayBeTold(deps)} AND ${mayChange}`)),
    changed: sql`UPDATE users SET email = ${email}, email_verified_at = ${nowMs}, email_verified_by = NULL
      WHERE id = ${userId} AND ${mayChange} RETURNING id`,
    recorded: auditOfUser("auth.email_changed", { tenantId, userId, actor }),
    // Last: the statements above ask whether the token is there.
    links: endMailedLinks(sql`${userId}`, isDone),
  });
  if (changed.length === 1) return "changed";
  const [pending] = found;
  if (!pending) return "invalid";
  return pending.isOperators === 1 ? "operator" : "taken";
}

/** Where the mails about a change go, and what they say. */
export interface MailedEmailChange {
  /** The recipient. */
  email: string;
  /** The other address: the present one in the mail to the new address, the new one in the mail to the former. */
  otherEmail: string | null;
  name: string | null;
  locale: Locale | null;
  /** Whether another account has proven the new address, or can get it back. */
  isTaken: 0 | 1;
}

/** What the mail to the new address needs; null when the change was made or ended. */
export async function findEmailConfirmation(
  { db }: Deps,
  hash: string,
  nowMs: number,
): Promise<MailedEmailChange | null> {
  const found = await queryFirst<MailedEmailChange>(db)`SELECT t.email, u.email AS otherEmail, NULL AS name, u.locale,
      ${isHeldAgainst(sql`u.id`, sql`t.email`, nowMs)} AS isTaken
    FROM email_tokens t JOIN users u ON u.id = t.subject_id
    WHERE t.hash = ${hash} AND t.purpose = 'change-email' AND t.expires_at > ${nowMs}`;
  return found ?? null;
}

/** What the mail to the former address needs; null when nobody may be told, or the link was used. */
export async function findEmailWarning({ db }: Deps, hash: string): Promise<MailedEmailChange | null> {
  const found = await queryFirst<MailedEmailChange>(db)`SELECT t.email, u.name, u.locale, 0 AS isTaken,
      coalesce(nullif(u.email, t.email), (SELECT p.email FROM email_tokens p WHERE p.subject_id = u.id
        AND p.purpose = 'change-email' ORDER BY p.created_at DESC LIMIT 1)) AS otherEmail
    FROM email_tokens t JOIN users u ON u.id = t.subject_id
    WHERE t.hash = ${hash} AND t.purpose = 'undo' AND t.used_at IS NULL`;
  return found ?? null;
}
