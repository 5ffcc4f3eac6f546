/** Invitations in D1; `join-store.ts` has their use. */
import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import type { Locale } from "../../base/schemas/locales";
import type { Role } from "../../base/schemas/roles";
import { invitations } from "../../base/tables/control-plane";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";
import { tenantName } from "../../tenancy/tenants/name";
import { openByToken } from "./join-store";

export interface NewInvitation {
  id: string;
  tenantId: string;
  email: string;
  role: Role;
  /** Empty: the product itself. */
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
}

/**
 * Stores an invitation with its `events`, and revokes open ones for the same address. Stores nothing when that address
 * is a member's, or when the tenant already has the maximum number of open invitations.
 */
export async function insertInvitation(
  { db, config }: Deps,
  invitation: NewInvitation,
  events: readonly NewAuditEvent[],
): Promise<"invited" | "member" | "full"> {
  const { id, tenantId, email, createdAt } = invitation;
  const isMember = sql`EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${tenantId} AND u.email = ${email})`;
  const { inserted, found } = await atomically(db, {
    // First: later it would revoke the new one too.
    revoked: sql`UPDATE invitations SET revoked_at = ${createdAt}
      WHERE tenant_id = ${tenantId} AND email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL`,
    inserted: sql`INSERT INTO invitations (id, tenant_id, email, role, invited_by, created_at, expires_at)
      SELECT ${id}, ${tenantId}, ${email}, ${invitation.role}, ${invitation.invitedBy}, ${createdAt},
        ${invitation.expiresAt}
      WHERE NOT ${isMember} AND (SELECT count(*) FROM invitations WHERE tenant_id = ${tenantId} AND accepted_at IS NULL
        AND revoked_at IS NULL AND expires_at > ${createdAt}) < ${config.caps.invitations}
      RETURNING id`,
    recorded: events.map(auditIfChanged),
    found: rows<{ isMember: 0 | 1 }>(sql`SELECT ${isMember} AS isMember`),
  });
  if (inserted.length === 1) return "invited";
  return found[0]?.isMember ? "member" : "full";
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
export async function closeInvitation(
  { db }: Deps,
  { tenantId, actor }: ActingIn,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const { revoked } = await atomically(db, {
    revoked: sql`UPDATE invitations SET revoked_at = ${nowMs}
      WHERE id = ${id} AND tenant_id = ${tenantId} AND accepted_at IS NULL AND revoked_at IS NULL RETURNING id`,
    recorded: auditIfChanged({
      tenantId,
      action: "member.invitation_revoked",
      actor,
      target: { kind: "invitation", id },
    }),
  });
  return revoked.length === 1;
}

/** What an invitation says, and to whom it goes. */
export interface InvitationAddress {
  email: string;
  tenantName: string;
  role: Role;
  /** "Ann (ann@example.com)", or the address alone; null: the product itself. */
  inviter: string | null;
  /** Whether somebody has an account with the address. */
  hasAccount: boolean;
}

interface StoredAddress extends Omit<InvitationAddress, "inviter" | "hasAccount"> {
  hasAccount: 0 | 1;
  inviterName: string | null;
  inviterEmail: string | null;
  isByProduct: 0 | 1;
}

const ADDRESS = sql.raw(`email, role, (SELECT name FROM tenants WHERE id = tenant_id) AS tenantName,
  EXISTS (SELECT 1 FROM users a WHERE a.email = invitations.email) AS hasAccount, invited_by = '' AS isByProduct,
  (SELECT u.name FROM users u WHERE u.id = invited_by) AS inviterName,
  (SELECT u.email FROM users u WHERE u.id = invited_by) AS inviterEmail`);

/** Leaves out a name that has more in it than a name, because a stranger may read it. */
function addressOf({ inviterName, inviterEmail, isByProduct, ...stored }: StoredAddress): InvitationAddress {
  const invitation = { ...stored, hasAccount: stored.hasAccount === 1 };
  if (isByProduct) return { ...invitation, inviter: null };
  const name = tenantName.safeParse(inviterName).data;
  return { ...invitation, inviter: name && inviterEmail ? `${name} (${inviterEmail})` : (inviterEmail ?? "Somebody") };
}

/** What the mail needs, which the page of the link is not told. */
interface MailedInvitation extends InvitationAddress {
  /** Of the account that has the address; null without one. */
  locale: Locale | null;
}

/**
 * Stores the hash of an invitation's token and returns where to mail the token; null when the invitation is no longer
 * open.
 */
export async function insertInvitationToken(
  { db }: Deps,
  tenantId: string,
  id: string,
  hash: string,
  nowMs: number,
): Promise<MailedInvitation | null> {
  const open = sql`id = ${id} AND tenant_id = ${tenantId} AND accepted_at IS NULL AND revoked_at IS NULL`;
  const { found } = await atomically(db, {
    // A repeated mail has the same token.
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${hash}, 'invite', id, ${nowMs}, expires_at FROM invitations WHERE ${open} ON CONFLICT (hash) DO NOTHING`,
    found: rows<StoredAddress & Pick<MailedInvitation, "locale">>(sql`SELECT ${ADDRESS},
        (SELECT a.locale FROM users a WHERE a.email = invitations.email) AS locale
      FROM invitations WHERE ${open}`),
  });
  return found[0] ? { ...addressOf(found[0]), locale: found[0].locale } : null;
}

/**
 * Returns what the open invitation of a token says; null when there is none. Spans tenants: the token names its own.
 */
export async function findInvitationByToken(
  { db }: Deps,
  tokenHash: string,
  nowMs: number,
): Promise<InvitationAddress | null> {
  const found = await queryFirst<StoredAddress>(db)`SELECT ${ADDRESS} FROM invitations
    WHERE id = (${openByToken(tokenHash, sql`i.email`, nowMs)})`;
  return found ? addressOf(found) : null;
}
