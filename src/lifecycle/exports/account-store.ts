/** What the export of an account contains, in D1: what the user has in all tenants. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import type { Permission, Role } from "../../base/schemas/roles";
import { auditEach } from "../../tenancy/audit/record-store";
import { type ExportedRecordRow, RECORDS_OF_USER } from "./directory-store";

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

/** As whom the provider of a tenant knows a user. Times are Unix ms. */
export interface ExportedSignOn {
  tenantId: string;
  connectionId: string;
  subject: string;
  email: string | null;
  createdAt: number;
  lastUsedAt: number | null;
}

/** In one text, so that nobody pays for a statement who has none. */
const SIGN_ONS = sql`(SELECT json_group_array(json_object('tenantId', c.tenant_id, 'connectionId', c.id,
    'subject', i.subject, 'email', i.email, 'createdAt', i.created_at, 'lastUsedAt', i.last_used_at))
  FROM connection_identities i CROSS JOIN connections c ON c.id = i.connection_id WHERE i.user_id = users.id)`;

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
  signOns: ExportedSignOn[];
  directory: ExportedRecordRow[];
}> {
  const { users, keys, memberships, apps } = await atomically(db, {
    users: rows<{ externalId: string | null; signOns: string; directory: string }>(
      sql`SELECT external_id AS externalId, ${SIGN_ONS} AS signOns, ${RECORDS_OF_USER} AS directory FROM users
        WHERE id = ${userId}`,
    ),
    keys: rows<StoredKey>(sql`SELECT ${API_KEY_COLUMNS} FROM api_keys k WHERE k.user_id = ${userId} ORDER BY k.id`),
    memberships:
      rows<ExportedMembership>(sql`SELECT t.id AS tenantId, t.name AS tenantName, m.role, m.alerts, m.created_at
        AS createdAt
      FROM memberships m JOIN tenants t ON t.id = m.tenant_id WHERE m.user_id = ${userId} ORDER BY m.created_at, t.id`),
    // The operator's own apps ask nobody, so of them there is a connection alone.
    apps: rows<StoredApp>(sql`WITH mine AS (SELECT client_id, tenant_id, scopes, created_at, 0 AS connections
          FROM oauth_consents WHERE user_id = ${userId}
        UNION ALL SELECT client_id, tenant_id, scopes, created_at, 1 FROM oauth_grants
          WHERE user_id = ${userId} AND generation IS NOT NULL)
      SELECT mine.client_id AS clientId, c.name AS clientName, mine.tenant_id AS tenantId,
        json_group_array(json(mine.scopes)) AS scopes, min(mine.created_at) AS createdAt,
        sum(mine.connections) AS connections
      FROM mine LEFT JOIN oauth_clients c ON c.id = mine.client_id GROUP BY mine.client_id, mine.tenant_id
      ORDER BY mine.client_id, mine.tenant_id`),
    recorded: auditEach(
      { tenantId, action: "auth.exported", actor, target: { kind: "user", id: userId } },
      sql`users u WHERE u.id = ${userId}`,
      nowMs,
    ),
  });
  return {
    externalId: users[0]?.externalId ?? null,
    signOns: JSON.parse(users[0]?.signOns ?? "[]") as ExportedSignOn[],
    directory: JSON.parse(users[0]?.directory ?? "[]") as ExportedRecordRow[],
    keys: keys.map(parsedKey),
    memberships,
    apps: apps.map((app) => ({ ...app, scopes: [...new Set((JSON.parse(app.scopes) as string[][]).flat())] })),
  };
}
