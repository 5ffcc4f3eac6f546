/** What tenants and operators say of apps, in D1. A rule names its tenant; those of operators have the platform's. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query, rows } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";
import type { Actor } from "../../../base/schemas/actor";
import { PLATFORM_TENANT } from "../../../base/schemas/tenant-ref";
import { auditIfChanged } from "../../../tenancy/audit/record-store";

/** Null: nothing is said, so the app may be used. */
export type AppState = "allowed" | "blocked" | null;

/** Whether a client is blocked in a tenant, by the tenant or by operators, as SQL. */
export const isBlocked = (clientId: SQL | string, tenantId: SQL | string): SQL =>
  sql`(EXISTS (SELECT 1 FROM oauth_rules r WHERE r.tenant_id IN (${tenantId}, ${PLATFORM_TENANT})
      AND r.client_id = ${clientId} AND r.state = 'blocked')
    OR EXISTS (SELECT 1 FROM oauth_clients bc JOIN tenants bt ON bt.id = ${tenantId}
      WHERE bc.id = ${clientId} AND bc.kind NOT IN ('registered', 'built-in') AND ${isUnlistedRefused(clientId)}))`;

/** Whether the tenant `bt` refuses an unlisted client, as SQL. It takes those that operators have listed. */
export const isUnlistedRefused = (clientId: SQL | string): SQL =>
  sql`(bt.unlisted_apps IS NOT NULL AND NOT (bt.unlisted_apps = 'listed' AND (EXISTS (SELECT 1 FROM oauth_rules r
      WHERE r.tenant_id = bt.id AND r.client_id = ${clientId} AND r.state = 'allowed')
    OR EXISTS (SELECT 1 FROM oauth_clients lc WHERE lc.id = ${clientId} AND lc.kind = 'listed'))))`;

/** Whether the client `c` is for the tenant, as SQL. */
export const isForTenant = (tenantId: SQL | string): SQL =>
  sql`(c.tenant_id IN (${tenantId}, ${PLATFORM_TENANT}) AND (json_type(c.settings, '$.tenants') = 'null'
    OR ${tenantId} IN (SELECT value FROM json_each(c.settings, '$.tenants'))))`;

/** An app as a tenant sees it. */
export interface TenantAppRow {
  clientId: string;
  clientName: string;
  logoUrl: string | null;
  /** Of an unlisted client. */
  host: string | null;
  /** How many members have allowed it something, at most `MOST_COUNTED`. */
  members: number;
  state: AppState;
}

const MOST_COUNTED = 1_000;
const MOST_LISTED = 1_000;

const APP = sql`c.id AS clientId, c.name AS clientName, c.settings ->> '$.logoUrl' AS logoUrl, c.host`;
const stateIn = (tenantId: string): SQL =>
  sql`(SELECT r.state FROM oauth_rules r WHERE r.tenant_id = ${tenantId} AND r.client_id = c.id) AS state`;

/** The apps that members of a tenant have allowed something, and those of which it says something; by name. */
export const listAppsOfTenant = ({ db }: Deps, tenantId: string): Promise<TenantAppRow[]> =>
  // From one app to the next by the index: other tenants' apps can be many, and so can be the members of one.
  query<TenantAppRow>(db)`WITH RECURSIVE used(id) AS (SELECT min(client_id) FROM oauth_consents
      WHERE tenant_id = ${tenantId}
    UNION ALL SELECT (SELECT min(k.client_id) FROM oauth_consents k WHERE k.tenant_id = ${tenantId}
      AND k.client_id > used.id) FROM used WHERE id IS NOT NULL)
    SELECT ${APP}, ${stateIn(tenantId)},
      (SELECT count(*) FROM (SELECT 1 FROM oauth_consents k WHERE k.tenant_id = ${tenantId} AND k.client_id = c.id
        LIMIT ${MOST_COUNTED})) AS members
    FROM (SELECT id FROM used UNION SELECT client_id FROM oauth_rules WHERE tenant_id = ${tenantId}) named
      CROSS JOIN oauth_clients c ON c.id = named.id
    ORDER BY clientName, clientId LIMIT ${MOST_LISTED}`;

/** An app as operators see it. */
export interface PlatformAppRow extends Omit<TenantAppRow, "members"> {
  /** Unix ms, to the minute; null: never. */
  lastUsedAt: number | null;
}

/** Apps by name: those that are blocked, those that are registered, and of the others those that were used last. */
export const listAppsOfPlatform = ({ db }: Deps): Promise<PlatformAppRow[]> =>
  query<PlatformAppRow>(db)`SELECT * FROM (SELECT ${APP}, ${stateIn(PLATFORM_TENANT)}, c.last_used_at AS lastUsedAt
      FROM oauth_clients c ORDER BY state IS NULL, c.kind <> 'registered', c.last_used_at DESC LIMIT ${MOST_LISTED})
    ORDER BY clientName, clientId`;

/** A tenant says something of so many apps at most. */
const MOST_RULES = 1_000;

/** What is said of an app, and by whom. */
interface NewRule {
  tenantId: string;
  clientId: string;
  state: AppState;
  actor: Actor;
}

/**
 * Says something of an app, which is recorded if it was not said before. A block ends the tokens that the app has; its
 * grants are kept, and refused while it lasts. Returns false if the tenant has no such app.
 */
export async function setRule(
  { db }: Deps,
  { tenantId, clientId, state, actor }: NewRule,
  nowMs: number,
): Promise<boolean> {
  const isOfPlatform = tenantId === PLATFORM_TENANT;
  // An app by its document is known by its URL, before anybody has used it.
  const isByUrl = clientId.startsWith("https://");
  const named = sql`c.id = ${clientId} AND ${isOfPlatform ? sql`true` : isForTenant(tenantId)}`;
  const key = isOfPlatform ? `c:${clientId}` : `c:${clientId}:${tenantId}`;
  const { found } = await atomically(db, {
    said:
      state === null
        ? sql`DELETE FROM oauth_rules WHERE tenant_id = ${tenantId} AND client_id = ${clientId}`
        : sql`INSERT INTO oauth_rules (tenant_id, client_id, state, updated_at)
            SELECT ${tenantId}, ${clientId}, ${state}, ${nowMs} WHERE (${
              isByUrl
                ? sql`true`
                : sql`EXISTS (SELECT 1
              FROM oauth_clients c WHERE ${named})`
            }) AND (SELECT count(*) FROM oauth_rules WHERE tenant_id = ${tenantId})
                < ${MOST_RULES}
            ON CONFLICT (tenant_id, client_id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
              WHERE state <> excluded.state`,
    recorded: auditIfChanged({
      tenantId,
      action: state === "blocked" ? "app.blocked" : "app.allowed",
      actor: isOfPlatform ? { ...actor, kind: "operator" } : actor,
      target: { kind: "app", id: clientId },
    }),
    revoked:
      state === "blocked"
        ? sql`INSERT OR IGNORE INTO revocations (at, key) SELECT ${Math.ceil(nowMs / 1000)}, ${key} WHERE changes() > 0`
        : undefined,
    found: rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE ${named}`),
  });
  return isByUrl || found.length === 1;
}
