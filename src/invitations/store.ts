/** Invitations in D1. One write uses an invitation: a registration, or the acceptance of a signed-in user with its address. */
import { and, desc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { NewUser } from "../auth/store";
import { atomically, rows } from "../db/client";
import { invitations } from "../db/schema";
import type { Deps } from "../deps";
import { mintSession, type NewSession } from "../sessions/store";
import type { Role } from "../tenants/roles";

export interface NewInvitation {
  id: string;
  tenantId: string;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
}

/** Stores an invitation and revokes open ones for the same address. Returns false when that address is already a member's. */
export async function insertInvitation({ db }: Deps, invitation: NewInvitation): Promise<boolean> {
  const { id, tenantId, email, createdAt } = invitation;
  const { inserted } = await atomically(db, {
    // First: it would revoke the new one too.
    revoked: sql`UPDATE invitations SET revoked_at = ${createdAt}
      WHERE tenant_id = ${tenantId} AND email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL`,
    inserted: sql`INSERT INTO invitations (id, tenant_id, email, role, invited_by, created_at, expires_at)
      SELECT ${id}, ${tenantId}, ${email}, ${invitation.role}, ${invitation.invitedBy}, ${createdAt}, ${invitation.expiresAt}
      WHERE NOT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.tenant_id = ${tenantId} AND u.email = ${email})
      RETURNING id`,
  });
  return inserted.length === 1;
}

/** The open invitations of a tenant, newest first. */
export function listInvitations({ db }: Deps, tenantId: string, nowMs: number) {
  return db
    .select()
    .from(invitations)
    .where(
      and(
        eq(invitations.tenantId, tenantId),
        isNull(invitations.acceptedAt),
        isNull(invitations.revokedAt),
        gt(invitations.expiresAt, nowMs),
      ),
    )
    .orderBy(desc(invitations.id));
}

/** Revokes an open invitation. Returns false when the tenant has no such open invitation. */
export async function closeInvitation({ db }: Deps, tenantId: string, id: string, nowMs: number): Promise<boolean> {
  const revoked = await db
    .update(invitations)
    .set({ revokedAt: nowMs })
    .where(sql`id = ${id} AND tenant_id = ${tenantId} AND accepted_at IS NULL AND revoked_at IS NULL`)
    .returning({ id: invitations.id });
  return revoked.length === 1;
}

interface InvitationAddress {
  email: string;
  tenantName: string;
}

/** Stores the hash of an invitation's token and returns where to mail the token; null when the invitation is no longer open. */
export async function insertInvitationToken(
  { db }: Deps,
  tenantId: string,
  id: string,
  hash: string,
  nowMs: number,
): Promise<InvitationAddress | null> {
  const open = sql`id = ${id} AND tenant_id = ${tenantId} AND accepted_at IS NULL AND revoked_at IS NULL`;
  const { found } = await atomically(db, {
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${hash}, 'invite', id, ${nowMs}, expires_at FROM invitations WHERE ${open}`,
    found: rows<InvitationAddress>(
      sql`SELECT email, (SELECT name FROM tenants WHERE id = tenant_id) AS tenantName FROM invitations WHERE ${open}`,
    ),
  });
  return found[0] ?? null;
}

/** Selects the id of the open invitation of a token, if it is for this address. */
const openByToken = (tokenHash: string, email: SQL | string, nowMs: number) =>
  sql`SELECT i.id FROM email_tokens t JOIN invitations i ON i.id = t.subject_id
    WHERE t.hash = ${tokenHash} AND t.purpose = 'invite' AND i.email = ${email}
      AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ${nowMs}`;

/** The tenant of an open invitation of this address. */
export async function findTenantByToken({ db }: Deps, tokenHash: string, email: string, nowMs: number) {
  const { found } = await atomically(db, {
    found: rows<{ tenantId: string }>(
      sql`SELECT tenant_id AS tenantId FROM invitations WHERE id = (${openByToken(tokenHash, email, nowMs)})`,
    ),
  });
  return found[0]?.tenantId ?? null;
}

/** Writes user, membership and first session and uses the invitation, or writes nothing and returns false. Throws on a taken email. */
export async function insertInvitedByToken(
  { db }: Deps,
  user: NewUser,
  { tenantId, tokenHash }: { tenantId: string; tokenHash: string },
  session: NewSession,
  nowMs: number,
): Promise<boolean> {
  const { userId, passwordHash } = user;
  const open = openByToken(tokenHash, user.email, nowMs);
  const { minted } = await atomically(db, {
    user: sql`INSERT INTO users (id, email, name, password_hash, email_verified_at, created_at)
      SELECT ${userId}, ${user.email}, ${user.name}, ${passwordHash}, ${nowMs}, ${nowMs} WHERE EXISTS (${open})`,
    membership: sql`INSERT INTO memberships (tenant_id, user_id, role, created_at)
      SELECT tenant_id, ${userId}, role, ${nowMs} FROM invitations WHERE id = (${open})`,
    // After the statements that ask whether the invitation is open.
    accepted: sql`UPDATE invitations SET accepted_at = ${nowMs}, accepted_by = ${userId} WHERE id = (${open})`,
    // After the membership that it joins with.
    minted: mintSession(session, { tenantId, passwordHash, factor: null }, nowMs),
  });
  return minted.length === 1;
}

export interface JoinedTenant {
  tenantId: string;
  role: Role;
  tenantName: string;
}

/** Makes a signed-in user a member and uses the invitation. Returns null when it is not open, or not for their address. */
export async function acceptInvitationByToken(
  { db }: Deps,
  userId: string,
  tokenHash: string,
  nowMs: number,
): Promise<JoinedTenant | null> {
  const open = openByToken(tokenHash, sql`(SELECT email FROM users WHERE id = ${userId})`, nowMs);
  const { accepted } = await atomically(db, {
    membership: sql`INSERT INTO memberships (tenant_id, user_id, role, created_at)
      SELECT tenant_id, ${userId}, role, ${nowMs} FROM invitations WHERE id = (${open}) ON CONFLICT DO NOTHING`,
    verified: sql`UPDATE users SET email_verified_at = ${nowMs} WHERE id = ${userId} AND email_verified_at IS NULL AND EXISTS (${open})`,
    // Last: the statements above ask whether the invitation is open.
    accepted:
      rows<JoinedTenant>(sql`UPDATE invitations SET accepted_at = ${nowMs}, accepted_by = ${userId} WHERE id = (${open})
      RETURNING tenant_id AS tenantId, role, (SELECT name FROM tenants WHERE id = tenant_id) AS tenantName`),
  });
  return accepted[0] ?? null;
}
