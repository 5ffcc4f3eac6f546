/** Invitations in D1. An invitation is used up by one write, of a registration or of a signed-in user of its address. */
import { and, desc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { NewUser } from "../auth/store";
import { atomically } from "../db/client";
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

/** Stores an invitation in place of open ones for the address. False when its owner is a member already. */
export async function insertInvitation({ db }: Deps, invitation: NewInvitation): Promise<boolean> {
  const { id, tenantId, email, createdAt } = invitation;
  const [, inserted] = await atomically(db, [
    sql`UPDATE invitations SET revoked_at = ${createdAt}
      WHERE tenant_id = ${tenantId} AND email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL`,
    sql`INSERT INTO invitations (id, tenant_id, email, role, invited_by, created_at, expires_at)
      SELECT ${id}, ${tenantId}, ${email}, ${invitation.role}, ${invitation.invitedBy}, ${createdAt}, ${invitation.expiresAt}
      WHERE NOT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.tenant_id = ${tenantId} AND u.email = ${email})
      RETURNING id`,
  ]);
  return inserted?.length === 1;
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

/** False when the tenant has no such open invitation. */
export async function revokeInvitation({ db }: Deps, tenantId: string, id: string, nowMs: number): Promise<boolean> {
  const rows = await db
    .update(invitations)
    .set({ revokedAt: nowMs })
    .where(sql`id = ${id} AND tenant_id = ${tenantId} AND accepted_at IS NULL AND revoked_at IS NULL`)
    .returning({ id: invitations.id });
  return rows.length === 1;
}

/** Stores the hash of an invitation's token and tells where to mail it; null when it is not open any more. */
export async function insertInvitationToken(
  { db }: Deps,
  tenantId: string,
  id: string,
  hash: string,
  nowMs: number,
): Promise<{ email: string; tenantName: string } | null> {
  const open = sql`id = ${id} AND tenant_id = ${tenantId} AND accepted_at IS NULL AND revoked_at IS NULL`;
  const [, rows] = await atomically(db, [
    sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${hash}, 'invite', id, ${nowMs}, expires_at FROM invitations WHERE ${open}`,
    sql`SELECT email, (SELECT name FROM tenants WHERE id = tenant_id) AS tenantName FROM invitations WHERE ${open}`,
  ]);
  return (rows as { email: string; tenantName: string }[])[0] ?? null;
}

/** Selects the id of the open invitation behind a token, for one address only. */
const openByToken = (tokenHash: string, email: SQL | string, nowMs: number) =>
  sql`SELECT i.id FROM email_tokens t JOIN invitations i ON i.id = t.subject_id
    WHERE t.hash = ${tokenHash} AND t.purpose = 'invite' AND i.email = ${email}
      AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ${nowMs}`;

/** The tenant that an open invitation of this address leads to. */
export async function findTenantByToken({ db }: Deps, tokenHash: string, email: string, nowMs: number) {
  const [rows] = await atomically(db, [
    sql`SELECT tenant_id AS tenantId FROM invitations WHERE id = (${openByToken(tokenHash, email, nowMs)})`,
  ]);
  return (rows as { tenantId: string }[])[0]?.tenantId ?? null;
}

/** Writes user, membership and first session and uses the invitation up, or nothing. False when it is not open. Throws on a taken email. */
export async function insertInvitedByToken(
  { db }: Deps,
  user: NewUser,
  tokenHash: string,
  session: NewSession,
  nowMs: number,
): Promise<boolean> {
  const open = openByToken(tokenHash, user.email, nowMs);
  const results = await atomically(db, [
    sql`INSERT INTO users (id, email, name, password_hash, email_verified_at, created_at)
      SELECT ${user.userId}, ${user.email}, ${user.name}, ${user.passwordHash}, ${nowMs}, ${nowMs} WHERE EXISTS (${open})`,
    sql`INSERT INTO memberships (tenant_id, user_id, role, created_at)
      SELECT tenant_id, ${user.userId}, role, ${nowMs} FROM invitations WHERE id = (${open})`,
    sql`UPDATE invitations SET accepted_at = ${nowMs}, accepted_by = ${user.userId} WHERE id = (${open})`,
    mintSession(session, { passwordHash: user.passwordHash, factor: null }, nowMs),
  ]);
  return results[3]?.length === 1;
}

/** Makes a signed-in user a member and uses the invitation up. Null when it is not open, or not for their address. */
export async function acceptInvitationByToken({ db }: Deps, userId: string, tokenHash: string, nowMs: number) {
  const open = openByToken(tokenHash, sql`(SELECT email FROM users WHERE id = ${userId})`, nowMs);
  const results = await atomically(db, [
    sql`INSERT INTO memberships (tenant_id, user_id, role, created_at)
      SELECT tenant_id, ${userId}, role, ${nowMs} FROM invitations WHERE id = (${open}) ON CONFLICT DO NOTHING`,
    sql`UPDATE users SET email_verified_at = ${nowMs} WHERE id = ${userId} AND email_verified_at IS NULL AND EXISTS (${open})`,
    sql`UPDATE invitations SET accepted_at = ${nowMs}, accepted_by = ${userId} WHERE id = (${open})
      RETURNING tenant_id AS tenantId, role, (SELECT name FROM tenants WHERE id = tenant_id) AS tenantName`,
  ]);
  return (results[2] as { tenantId: string; role: Role; tenantName: string }[])[0] ?? null;
}
