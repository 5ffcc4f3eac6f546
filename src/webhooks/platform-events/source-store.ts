/**
 * What the events of the platform are made of: audit events of all tenants, and today's records of whom they concern.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import { firstIdAtSql } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { ActorKind } from "../../base/schemas/audit-actions";
import type { PLATFORM_SOURCES } from "../../base/schemas/platform-events";
import type { Role } from "../../base/schemas/roles";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { IS_FOR_PLATFORM, IS_OF_APP } from "../../base/tables/audit";
import { SERVICE_LOG } from "../../tenancy/audit/record-store";
import { selectTenants, selectUsers, type TenantRow, type UserRow } from "../../tenancy/directory/records-store";
import { READERS_OF_PLATFORM } from "../plane/patterns-store";

/** An audit event that becomes events of the platform. */
export interface PlatformSourceRow {
  id: string;
  tenantId: string;
  action: keyof typeof PLATFORM_SOURCES;
  actorKind: ActorKind;
  actorId: string | null;
  targetKind: string | null;
  targetId: string | null;
  requestId: string | null;
  sessionId: string | null;
  /** JSON. */
  meta: string | null;
}

/**
 * Deletions are recorded in the log of the platform, because those of what is deleted end with it. An operator or a
 * platform key leaves a second event in a log of the service; the one in the log of the tenant or the person counts.
 */
const COUNTS = sql`iif(e.action IN ('auth.account_deleted', 'tenant.deleted'), e.tenant_id = ${PLATFORM_TENANT},
  e.tenant_id NOT IN (${PLATFORM_TENANT}, ${SERVICE_LOG}))`;

const AFTER_ALL_IDS = "~";

/**
 * Reads up to `limit` audit events of the feed, oldest first, from the id `fromId` on; null: from where the feed is.
 * `publishedTo` (Unix ms) is undefined when there is no feed; it ends when no subscription receives it any more.
 */
export async function readSources(
  { db }: Deps,
  fromId: string | null,
  limit: number,
): Promise<{ publishedTo: number | undefined; sources: PlatformSourceRow[] }> {
  const from = (index: "audit_events_for_platform" | "audit_events_of_apps", condition: SQL) =>
    sql`SELECT * FROM (SELECT e.id, e.tenant_id AS tenantId, e.action, e.actor_kind AS actorKind,
        e.actor_id AS actorId, e.target_kind AS targetKind, e.target_id AS targetId, e.request_id AS requestId,
        e.session_id AS sessionId, e.meta
      FROM audit_events e INDEXED BY ${sql.raw(index)}
      WHERE e.id >= coalesce((${feedStart}), ${AFTER_ALL_IDS}) AND e.${condition} AND ${COUNTS}
      ORDER BY e.id LIMIT ${limit})`;
  const feedStart = sql`SELECT coalesce(${fromId}, ${firstIdAtSql(sql`published_to`)}) FROM platform_feed WHERE id = 1`;
  const { feed, sources } = await atomically(db, {
    ended: sql`DELETE FROM platform_feed WHERE id = 1 AND NOT EXISTS (${READERS_OF_PLATFORM})`,
    feed: rows<{ publishedTo: number }>(sql`SELECT published_to AS publishedTo FROM platform_feed
      WHERE id = 1`),
    sources: rows<PlatformSourceRow>(sql`${from("audit_events_for_platform", IS_FOR_PLATFORM)}
      UNION ALL ${from("audit_events_of_apps", IS_OF_APP)} ORDER BY 1 LIMIT ${limit}`),
  });
  return { publishedTo: feed[0]?.publishedTo, sources };
}

/** Today's records, by id; those of deleted users and tenants are missing. */
export interface Records {
  users: ReadonlyMap<string, UserRow>;
  tenants: ReadonlyMap<string, TenantRow & { createdBy: string }>;
  /** By `memberKey`. */
  roles: ReadonlyMap<string, Role>;
  /** The names of apps, by their clients. */
  apps: ReadonlyMap<string, string>;
}

export const memberKey = (tenantId: string, userId: string): string => `${tenantId} ${userId}`;

/** Reads the records of these users and tenants, the roles of these members, and names of apps, across tenants. */
export async function readRecords(
  { db }: Deps,
  of: {
    userIds: readonly string[];
    tenantIds: readonly string[];
    members: readonly [string, string][];
    clientIds: readonly string[];
  },
): Promise<Records> {
  const {
    users,
    tenants,
    makers,
    members,
    apps = [],
  } = await atomically(db, {
    users: selectUsers(sql`r.id IN (SELECT value FROM json_each(${jsonList(of.userIds)}))`),
    tenants: selectTenants(sql`r.id IN (SELECT value FROM json_each(${jsonList(of.tenantIds)}))`),
    makers: rows<{ id: string; createdBy: string }>(sql`SELECT t.id, t.created_by AS createdBy FROM tenants t
      WHERE t.id IN (SELECT value FROM json_each(${jsonList(of.tenantIds)}))`),
    members: rows<{ tenantId: string; userId: string; role: Role }>(sql`SELECT m.tenant_id AS tenantId,
        m.user_id AS userId, m.role
      FROM json_each(${jsonList(of.members)}) j CROSS JOIN memberships m
        ON m.tenant_id = j.value ->> 0 AND m.user_id = j.value ->> 1`),
    apps:
      of.clientIds.length === 0
        ? undefined
        : rows<{ id: string; name: string }>(sql`SELECT c.id, c.name FROM oauth_clients c
            WHERE c.id IN (SELECT value FROM json_each(${jsonList(of.clientIds)}))`),
  });
  const makerOf = new Map(makers.map(({ id, createdBy }) => [id, createdBy]));
  return {
    users: new Map(users.map((row) => [row.id, row])),
    tenants: new Map(tenants.map((row) => [row.id, { ...row, createdBy: makerOf.get(row.id) ?? "" }])),
    apps: new Map(apps.map(({ id, name }) => [id, name])),
    roles: new Map(members.map(({ tenantId, userId, role }) => [memberKey(tenantId, userId), role])),
  };
}
