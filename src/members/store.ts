/** Members of a tenant in D1. The rules about owners are conditions of the write: two parallel changes can't break them. */
import { asc, eq, type SQL, sql } from "drizzle-orm";
import { atomically } from "../db/client";
import { memberships, users } from "../db/schema";
import type { Deps } from "../deps";
import type { Role } from "../tenants/roles";

/** Who changes whom, in which tenant. */
export interface MemberChange {
  tenantId: string;
  actorId: string;
  userId: string;
}

export type Outcome = "done" | "missing" | "forbidden" | "lastOwner";

const columns = {
  userId: users.id,
  email: users.email,
  name: users.name,
  role: memberships.role,
  joinedAt: memberships.createdAt,
};

/** Oldest first. */
export function listMembers({ db }: Deps, tenantId: string) {
  return db
    .select(columns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(eq(memberships.tenantId, tenantId))
    .orderBy(asc(memberships.createdAt), asc(memberships.userId));
}

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

/** The member may be changed: not the last owner, and an owner only by an owner. `role` is null for a removal. */
function allowed({ tenantId, actorId, userId }: MemberChange, role: Role | null): SQL {
  const target = sql`SELECT 1 FROM memberships t WHERE t.tenant_id = ${tenantId} AND t.user_id = ${userId}`;
  const actorRole = sql`(SELECT role FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${actorId})`;
  const owners = sql`(SELECT count(*) FROM memberships WHERE tenant_id = ${tenantId} AND role = 'owner')`;
  return sql`EXISTS (${target} AND (${actorRole} = 'owner' OR (${actorRole} = 'admin' AND t.role <> 'owner' AND ${role} IS NOT 'owner'))
    AND (t.role <> 'owner' OR ${role} IS 'owner' OR ${owners} > 1))`;
}

const asIs = ({ tenantId, actorId, userId }: MemberChange) =>
  sql`SELECT u.id AS userId, u.email AS email, u.name AS name, m.role AS role, m.created_at AS joinedAt,
      (SELECT role FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${actorId}) AS actorRole
    FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.tenant_id = ${tenantId} AND m.user_id = ${userId}`;

type StoredMember = MemberRow & { actorRole: string | null };

function reason(member: StoredMember | undefined): Outcome {
  if (!member) return "missing";
  return member.actorRole === "owner" ? "lastOwner" : "forbidden";
}

export async function changeRole(
  { db }: Deps,
  change: MemberChange,
  role: Role,
): Promise<{ outcome: Outcome; member: MemberRow | undefined }> {
  const { tenantId, userId } = change;
  const [updated, rows] = await atomically(db, [
    sql`UPDATE memberships SET role = ${role} WHERE tenant_id = ${tenantId} AND user_id = ${userId}
      AND ${allowed(change, role)} RETURNING user_id`,
    asIs(change),
  ]);
  const member = (rows as StoredMember[])[0];
  return { outcome: updated?.length === 1 ? "done" : reason(member), member };
}

/** Removes a member with their sessions and API keys in this tenant. */
export async function removeMember({ db }: Deps, change: MemberChange, nowMs: number): Promise<Outcome> {
  const { tenantId, userId } = change;
  const mine = sql`tenant_id = ${tenantId} AND user_id = ${userId} AND ${allowed(change, null)}`;
  const results = await atomically(db, [
    asIs(change),
    sql`DELETE FROM sessions WHERE ${mine}`,
    sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE revoked_at IS NULL AND ${mine}`,
    sql`DELETE FROM memberships WHERE ${mine} RETURNING user_id`,
  ]);
  return results[3]?.length === 1 ? "done" : reason((results[0] as StoredMember[])[0]);
}
