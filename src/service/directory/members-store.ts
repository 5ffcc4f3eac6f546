/** Members of the product's tenants in D1. */

import { sql } from "drizzle-orm";
import { hasSignOn } from "../../base/config/sign-on-settings";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import type { Role } from "../../base/schemas/roles";
import type { After } from "../../base/schemas/time-page-schemas";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { type MetadataChange, storedMetadata } from "../../tenancy/directory/metadata";
import { nextMetadata } from "../../tenancy/directory/metadata-store";
import { isDeactivated } from "../../tenancy/tenants/deactivated-store";
import { countedMembers } from "../../tenancy/tenants/room-store";

export interface MemberRecordRow {
  userId: string;
  externalId: string | null;
  email: string;
  name: string | null;
  role: Role;
  /** Unix ms. */
  joinedAt: number;
  /** JSON; null for none. */
  metadata: string | null;
  publicMetadata: string | null;
}

const COLUMNS = sql`u.id AS userId, u.external_id AS externalId, u.email, u.name, m.role,
  m.created_at AS joinedAt, m.metadata, m.public_metadata AS publicMetadata
  FROM memberships m CROSS JOIN users u ON u.id = m.user_id`;

/** Members of a tenant, oldest first, with one row more than the page has. */
export async function listMembersAfter(
  { db }: Deps,
  tenantId: string,
  limit: number,
  after: After | undefined,
): Promise<MemberRecordRow[]> {
  const { at = -1, id = "" } = after ?? {};
  return query<MemberRecordRow>(db)`SELECT ${COLUMNS} WHERE m.tenant_id = ${tenantId}
    AND (m.created_at, m.user_id) > (${at}, ${id})
    ORDER BY m.created_at, m.user_id LIMIT ${limit + 1}`;
}

interface NewMemberRow extends MetadataChange {
  tenantId: string;
  userId: string;
  email: string;
  role: Role;
}

/**
 * Adds a member unless the user is one, the tenant has no room, or its directory has deactivated the user. Returns the
 * member that is there.
 */
export async function insertMember(
  { db, config }: Deps,
  key: PlatformKeyPrincipal,
  { tenantId, userId, email, role, metadata = null, publicMetadata = null }: NewMemberRow,
  nowMs: number,
): Promise<{ row: MemberRecordRow | undefined; isNew: boolean; isDeactivated: boolean }> {
  const { inserted, found, left } = await atomically(db, {
    inserted: sql`INSERT INTO memberships (tenant_id, user_id, role, owner_since, created_at, metadata, public_metadata)
      SELECT t.id, u.id, ${role}, ${role === "owner" ? nowMs : null}, ${nowMs},
        ${storedMetadata(metadata)}, ${storedMetadata(publicMetadata)} FROM tenants t, users u
      WHERE t.id = ${tenantId} AND u.id = ${userId}
        AND ${countedMembers(sql`t.id`)} < ${config.caps.members}
        AND NOT ${isDeactivated(tenantId, { userId, email: sql`u.email` })}
      ON CONFLICT DO NOTHING RETURNING user_id`,
    recorded: inTenant(key, tenantId, "member.added", { kind: "user", id: userId }, { role, tenantId }).map(
      auditIfChanged,
    ),
    found: rows<MemberRecordRow>(sql`SELECT ${COLUMNS} WHERE m.tenant_id = ${tenantId} AND m.user_id = ${userId}`),
    left: hasSignOn(config) ? sql`SELECT 1 WHERE ${isDeactivated(tenantId, { userId, email })}` : undefined,
  });
  return { row: found[0], isNew: inserted.length === 1, isDeactivated: left.length > 0 };
}

/** Changes what is given of the metadata of a member. Returns the member as it is afterwards; undefined for none. */
export async function updateMember(
  { db }: Deps,
  key: PlatformKeyPrincipal,
  { tenantId, userId }: { tenantId: string; userId: string },
  change: MetadataChange,
): Promise<MemberRecordRow | undefined> {
  const { set, differs, changed } = nextMetadata(change);
  const target = { kind: "user", id: userId } as const;
  const { found } = await atomically(db, {
    ...(changed.length === 0
      ? {}
      : {
          updated: sql`UPDATE memberships SET ${set}
            WHERE tenant_id = ${tenantId} AND user_id = ${userId} AND ${differs}`,
          recorded: inTenant(key, tenantId, "member.updated", target, { changed, tenantId }).map(auditIfChanged),
        }),
    found: rows<MemberRecordRow>(sql`SELECT ${COLUMNS} WHERE m.tenant_id = ${tenantId} AND m.user_id = ${userId}`),
  });
  return found[0];
}
