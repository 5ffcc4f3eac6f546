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

/** What a user has allowed an app in a tenant, and how often it is connected without a session. */
export interface ExportedApp {
  clientId: string;
  /** Null for an app that was deleted. */
  clientName: string | null;
  tenantId: string;
  scopes: string[];
  createdAt: number;
  connections: number;
}

type StoredApp = Omit<ExportedApp, "scopes"> & { scopes: string };

type StoredKey = Omit<ExportedKey, "scopes"> & { scopes: string };

export const API_KEY_COLUMNS = sql`k.id, k.tenant_id AS tenantId, nullif(k.user_id, '') AS userId, k.name, k.prefix,
  k.scopes,
  k.created_at AS createdAt,
  k.last_used_at AS lastUsedAt, k.expires_at AS expiresAt, k.revoked_at AS revokedAt`;

export const parsedKey = (key: StoredKey): ExportedKey => ({ ...key, scopes: JSON.parse(key.scopes) as Permission[] });

/** Reads a user's external id, memberships, apps and API keys, including ended ones, and records the export. */
export async function readAccount(
  { db }: Deps,
  { userId, tenantId, actor }: SessionPrincipal,
  nowMs: number,
): Promise<{
  externalId: string | null;
  keys: ExportedKey[];
  memberships: ExportedMembership[];
  apps: ExportedApp[];
}> {
  const { users, keys, memberships, apps } = await atomically(db, {
    users: rows<{ externalId: string | null }>(sql`SELECT external_id AS externalId FROM users WHERE id = ${userId}`),
    keys: rows<StoredKey>(sql`SELECT ${API_KEY_COLUMNS} FROM api_keys k WHERE k.user_id = ${userId} ORDER BY k.id`),
    memberships:
      rows<ExportedMembership>(sql`SELECT t.id AS tenantId, t.name AS tenantName, m.role, m.alerts, m.created_at
        AS createdAt
      FROM memberships m JOIN tenants t ON t.id = m.tenant_id WHERE m.user_id = ${userId} ORDER BY m.created_at, t.id`),
    apps: rows<StoredApp>(sql`SELECT k.client_id AS clientId, c.name AS clientName, k.tenant_id AS tenantId, k.scopes,
        k.created_at AS createdAt, (SELECT count(*) FROM oauth_grants g WHERE g.user_id = k.user_id
          AND g.client_id = k.client_id AND g.tenant_id = k.tenant_id AND g.generation IS NOT NULL) AS connections
      FROM oauth_consents k LEFT JOIN oauth_clients c ON c.id = k.client_id WHERE k.user_id = ${userId}
      ORDER BY k.client_id, k.tenant_id`),
    recorded: auditEach(
      { tenantId, action: "auth.exported", actor, target: { kind: "user", id: userId } },
      sql`users u WHERE u.id = ${userId}`,
      nowMs,
    ),
  });
  return {
    externalId: users[0]?.externalId ?? null,
    keys: keys.map(parsedKey),
    memberships,
    apps: apps.map((app) => ({ ...app, scopes: JSON.parse(app.scopes) as string[] })),
  };
}
