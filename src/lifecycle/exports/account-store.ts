/** What the export of an account contains, in D1: what the user has in all tenants. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import type { Permission, Role } from "../../base/schemas/roles";
import { auditEach } from "../../tenancy/audit/record-store";

/**
 * An API key without anything by which it could be used or recognised, except its first characters. Times are Unix ms.
 */
export interface ExportedKey {
  id: string;
  tenantId: string;
  /** Null for a key of the tenant itself. */
  userId: string | null;
  name: string;
  prefix: string;
  scopes: Permission[];
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
}

export interface ExportedMembership {
  tenantId: string;
  tenantName: string;
  role: Role;
  alerts: 0 | 1;
  createdAt: number;
}

type StoredKey = Omit<ExportedKey, "scopes"> & { scopes: string };

export const API_KEY_COLUMNS = sql`k.id, k.tenant_id AS tenantId, nullif(k.user_id, '') AS userId, k.name, k.prefix,
  k.scopes,
  k.created_at AS createdAt,
  k.last_used_at AS lastUsedAt, k.expires_at AS expiresAt, k.revoked_at AS revokedAt`;

export const parsedKey = (key: StoredKey): ExportedKey => ({ ...key, scopes: JSON.parse(key.scopes) as Permission[] });

/** Reads a user's external id, memberships and API keys, including ended ones, and records the export. */
export async function readAccount(
  { db }: Deps,
  { userId, tenantId, actor }: SessionPrincipal,
  nowMs: number,
): Promise<{ externalId: string | null; keys: ExportedKey[]; memberships: ExportedMembership[] }> {
  const { users, keys, memberships } = await atomically(db, {
    users: rows<{ externalId: string | null }>(sql`SELECT external_id AS externalId FROM users WHERE id = ${userId}`),
    keys: rows<StoredKey>(sql`SELECT ${API_KEY_COLUMNS} FROM api_keys k WHERE k.user_id = ${userId} ORDER BY k.id`),
    memberships:
      rows<ExportedMembership>(sql`SELECT t.id AS tenantId, t.name AS tenantName, m.role, m.alerts, m.created_at
        AS createdAt
      FROM memberships m JOIN tenants t ON t.id = m.tenant_id WHERE m.user_id = ${userId} ORDER BY m.created_at, t.id`),
    recorded: auditEach(
      { tenantId, action: "auth.exported", actor, target: { kind: "user", id: userId } },
      sql`users u WHERE u.id = ${userId}`,
      nowMs,
    ),
  });
  return { externalId: users[0]?.externalId ?? null, keys: keys.map(parsedKey), memberships };
}
