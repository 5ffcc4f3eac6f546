/** Connected apps in D1. A person has them in several tenants, so these functions name the person. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import { auditEach } from "../../tenancy/audit/record-store";
import { type StoredResource, selectOfPerson } from "../resources/store";

/** A client and a tenant with a consent or an offline grant. Times are Unix ms. */
export interface AppRow {
  clientId: string;
  clientName: string;
  logoUrl: string | null;
  tenantId: string;
  tenantName: string;
  /** JSON list of lists. */
  scopes: string;
  /** Of an unlisted client. */
  host: string | null;
  connectedAt: number;
  lastUsedAt: number | null;
  grants: number;
}

const MAX_LISTED = 500;

/** The apps of a person in all tenants or in `only` one, by name, and the APIs at which they may do something. */
export async function listAppsOfUser(
  { db }: Deps,
  { userId, only }: { userId: string; only: string | null },
): Promise<{ found: AppRow[]; resources: StoredResource[] }> {
  return atomically(db, {
    resources: selectOfPerson(userId),
    found: rows<AppRow>(sql`WITH mine AS (SELECT client_id, tenant_id, scopes, created_at, NULL AS used_at, 0 AS grants
          FROM oauth_consents WHERE user_id = ${userId}
        UNION ALL SELECT client_id, tenant_id, scopes, created_at, issued_at, generation IS NOT NULL
          FROM oauth_grants WHERE user_id = ${userId})
      SELECT c.id AS clientId, c.name AS clientName, c.settings ->> '$.logoUrl' AS logoUrl, c.host,
        t.id AS tenantId,
        t.name AS tenantName, json_group_array(json(mine.scopes)) FILTER (WHERE mine.scopes IS NOT NULL) AS scopes,
        min(mine.created_at) AS connectedAt, max(mine.used_at) AS lastUsedAt, sum(mine.grants) AS grants
      FROM mine CROSS JOIN oauth_clients c ON c.id = mine.client_id CROSS JOIN tenants t ON t.id = mine.tenant_id
      WHERE ${only} IS NULL OR mine.tenant_id = ${only}
      GROUP BY c.id, t.id HAVING max(mine.used_at IS NULL) = 1 OR sum(mine.grants) > 0
      ORDER BY c.name, c.id, t.name LIMIT ${MAX_LISTED}`),
  });
}

/** Ends what a person has allowed an app in a tenant. Returns false if there is nothing. */
export async function disconnectApp(
  { db }: Deps,
  { userId, actor }: { userId: string; actor: Actor },
  { clientId, tenantId }: { clientId: string; tenantId: string },
  nowMs: number,
): Promise<boolean> {
  const mine = sql`user_id = ${userId} AND client_id = ${clientId} AND tenant_id = ${tenantId}`;
  const isConnected = sql`EXISTS (SELECT 1 FROM oauth_consents WHERE ${mine})
    OR EXISTS (SELECT 1 FROM oauth_grants WHERE ${mine} AND generation IS NOT NULL)`;
  const meta = sql`json_object('scopes', json(coalesce((SELECT scopes FROM oauth_consents WHERE ${mine}),
    (SELECT scopes FROM oauth_grants WHERE ${mine} AND generation IS NOT NULL LIMIT 1), '[]')))`;
  const { connected } = await atomically(db, {
    connected: rows<{ id: string }>(sql`SELECT id FROM users WHERE id = ${userId} AND (${isConnected})`),
    recorded: auditEach(
      { tenantId, action: "app.disconnected", actor, target: { kind: "app", id: clientId }, meta },
      sql`users u WHERE u.id = ${userId} AND (${isConnected})`,
      nowMs,
    ),
    // Sign-ins too, which would go on as long as the session.
    grants: sql`DELETE FROM oauth_grants WHERE ${mine}`,
    consents: sql`DELETE FROM oauth_consents WHERE ${mine}`,
  });
  return connected.length === 1;
}
