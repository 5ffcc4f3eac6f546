/** Members of the product's tenants in D1. */
import { sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import type { Role } from "../../base/schemas/roles";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import type { After } from "./paging";

export interface MemberRecordRow {
  userId: string;
  externalId: string | null;
  email: string;
  name: string | null;
  role: Role;
  /** Unix ms. */
  joinedAt: number;
}

const COLUMNS = sql`u.id AS userId, u.external_id AS externalId, u.email, u.name, m.role, m.created_at AS joinedAt
  FROM memberships m JOIN users u ON u.id = m.user_id`;

/** Members of a tenant, oldest first, with one row more than the page has. */
export async function listMembersAfter(
  { db }: Deps,
  tenantId: string,
  limit: number,
  after: After | undefined,
): Promise<MemberRecordRow[]> {
  const { at = -1, id = "" } = after ?? {};
  return query<MemberRecordRow>(db)`SELECT ${COLUMNS} WHERE m.tenant_id = ${tenantId}
    AND (m.created_at > ${at} OR (m.created_at = ${at} AND m.user_id > ${id}))
    ORDER BY m.created_at, m.user_id LIMIT ${limit + 1}`;
}

/** Adds a member unless the user is one, or the tenant has no room. Returns the member that is there. */
export async function insertMember(
  { db, config }: Deps,
  key: PlatformKeyPrincipal,
  { tenantId, userId, role }: { tenantId: string; userId: string; role: Role },
  nowMs: number,
): Promise<{ row: MemberRecordRow | undefined; isNew: boolean }> {
  const { inserted, found } = await atomically(db, {
    inserted: sql`INSERT INTO memberships (tenant_id, user_id, role, owner_since, created_at)
      SELECT t.id, u.id, ${role}, ${role === "owner" ? nowMs : null}, ${nowMs} FROM tenants t, users u
      WHERE t.id = ${tenantId} AND u.id = ${userId}
        AND (SELECT count(*) FROM memberships WHERE tenant_id = ${tenantId}) < ${config.caps.members}
      ON CONFLICT DO NOTHING RETURNING user_id`,
    recorded: inTenant(key, tenantId, "member.added", { kind: "user", id: userId }, { role, tenantId }).map(
      auditIfChanged,
    ),
    found: rows<MemberRecordRow>(sql`SELECT ${COLUMNS} WHERE m.tenant_id = ${tenantId} AND m.user_id = ${userId}`),
  });
  return { row: found[0], isNew: inserted.length === 1 };
}
