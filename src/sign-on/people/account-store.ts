/** The account of a sign-on, in D1: making it, linking it, and using a subject that is known. */
import { type SQL, sql } from "drizzle-orm";
import type { Deps } from "../../base/deps";
import { insertRevert } from "../../base/mail/revert-store";
import { addressOfNewUser } from "../../identity/addresses-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { mayJoin } from "./membership-store";
import { isBegun, recordChange, type SignOnOpening } from "./opening-store";
import { isOfSubject, isRemoved } from "./world-store";

/** A managed account: without a password, and verified by the connection unless a mailed code has proven more. */
export function makeAccount(deps: Deps, opening: SignOnOpening, nowMs: number): Record<string, SQL> {
  const { signedOn, session, mailId, createdFrom, locale } = opening;
  const { email, name } = signedOn;
  const { userId } = session;
  return {
    user: sql`INSERT INTO users (id, email, name, password_hash, email_verified_at, email_verified_by, created_from,
        locale, created_at)
      SELECT ${userId}, ${addressOfNewUser(email ?? "", nowMs)}, ${name}, '', ${nowMs},
        ${mailId === null ? "connection" : null}, ${createdFrom}, ${locale}, ${nowMs}
      WHERE ${isBegun(opening)} AND ${mayJoin(deps, opening, nowMs)}`,
    made: recordChange(opening, "user.created", userId),
  };
}

/**
 * Links the subject to the account, which has proven the address as well. A member may not have become an owner since,
 * nor may somebody have become a member who is to join.
 */
export function linkAccount(opening: SignOnOpening, nowMs: number): Record<string, SQL> {
  const { signedOn, verdict, session, identityId, reverts, person } = opening;
  const { connectionId, generation, tenantId, subject, email } = signedOn;
  const { userId } = session;
  const membership = sql`SELECT 1 FROM memberships m WHERE m.tenant_id = ${tenantId} AND m.user_id = u.id`;
  const isAsJudged =
    verdict.joinsAs === null
      ? sql`EXISTS (${membership} AND ${verdict.proof === "owner" ? sql`true` : sql`m.role <> 'owner'`})`
      : sql`NOT EXISTS (${membership})`;
  const linked = sql`INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, email,
      is_maker, created_at, last_used_at)
    SELECT ${connectionId}, ${generation}, ${subject}, ${identityId}, u.id, u.email,
      ${Number(verdict.account === null)}, ${nowMs}, ${nowMs}
    FROM users u WHERE u.id = ${userId} AND u.email = ${verdict.account?.email ?? email}
      AND u.email_verified_at IS NOT NULL
      AND u.suspended_at IS NULL AND ${isAsJudged} AND ${isBegun(opening)}
    ON CONFLICT DO NOTHING`;
  if (verdict.account === null) return { linked };
  const isAdded = sql`EXISTS (SELECT 1 FROM connection_identities i WHERE ${isOfSubject(signedOn)}
    AND i.id = ${identityId})`;
  const state = sql`, 'signOn', ${identityId}, 'tenant', ${tenantId}, 'connection', ${connectionId}`;
  return {
    linked,
    recordedLink: auditIfChanged({
      tenantId,
      action: "auth.identity_linked",
      actor: person,
      target: { kind: "identity", id: identityId },
      meta: { method: "sign-on", connection: connectionId },
    }),
    linkRevert: insertRevert(reverts.link, userId, "signOn", { state, condition: isAdded }),
  };
}

/** Uses a subject that is known, unless somebody has removed the person. Lifts a removal that counts no more. */
export const useSubject = (opening: SignOnOpening, nowMs: number): Record<string, SQL> => ({
  subjectUsed: sql`UPDATE connection_identities AS i SET last_used_at = ${nowMs}, removed_at = NULL,
      email = coalesce(${opening.signedOn.email}, i.email)
    WHERE ${isOfSubject(opening.signedOn)} AND ${isBegun(opening)} AND EXISTS (SELECT 1 FROM users u
      WHERE u.id = i.user_id AND NOT ${isRemoved(opening.signedOn.tenantId, nowMs)})`,
});
