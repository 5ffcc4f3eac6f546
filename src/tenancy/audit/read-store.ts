/** Reading the audit log, newest first, from one database. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, query, rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { ActorKind, AuditAction, TargetKind } from "../../base/schemas/audit-actions";

/** An event as it is stored. */
export interface AuditRow {
  id: string;
  action: AuditAction;
  actorKind: ActorKind;
  actorId: string | null;
  actorName: string | null;
  targetKind: TargetKind | null;
  targetId: string | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
  sessionId: string | null;
  /** JSON. */
  meta: string | null;
}

/** Which events to read. */
export interface AuditFilter {
  /** An action, or a group such as `webhook.*`. */
  action?: string | undefined;
  /** The id of a user or an API key, or the address or name that it had. */
  actor?: string | undefined;
  /** The id of what was changed. */
  target?: string | undefined;
  ip?: string | undefined;
  /** Unix ms. */
  since?: number | undefined;
  /** Unix ms, exclusive. */
  until?: number | undefined;
}

const COLUMNS = sql`e.id, e.action, e.actor_kind AS actorKind, e.actor_id AS actorId, e.actor_name AS actorName,
  e.target_kind AS targetKind,
  e.target_id AS targetId, e.ip, e.user_agent AS userAgent, e.request_id AS requestId, e.session_id AS sessionId,
    e.meta`;

const all = (conditions: (SQL | false)[]): SQL =>
  sql.join(
    conditions.filter((condition) => condition !== false),
    sql` AND `,
  );

function wantedBy({ action, actor, target, ip }: AuditFilter): SQL[] {
  const group = action?.endsWith(".*") ? action.slice(0, -1) : undefined;
  return [
    ...(group === undefined ? [] : [sql`substr(action, 1, ${group.length}) = ${group}`]),
    ...(action === undefined || group !== undefined ? [] : [sql`action = ${action}`]),
    ...(actor === undefined ? [] : [sql`(actor_id = ${actor} OR lower(actor_name) = lower(${actor}))`]),
    ...(target === undefined ? [] : [sql`target_id = ${target}`]),
    ...(ip === undefined ? [] : [sql`ip = ${ip}`]),
  ];
}

/** What was found in one database. */
export interface AuditPage {
  /** Newest first, at most one more than was asked for. */
  rows: AuditRow[];
  /** Events that are older than the one with this id were not examined; null when all were. */
  reached: string | null;
}

/**
 * Reads up to `limit` + 1 events of a tenant that are older than `cursor`. Filters other than the time examine at most
 * `examined` events.
 */
export async function readAuditRows(
  db: Db,
  tenantId: string,
  filter: AuditFilter & { cursor?: string | undefined },
  { limit, examined }: { limit: number; examined: number },
): Promise<AuditPage> {
  const { cursor, since, until } = filter;
  const wanted = wantedBy(filter);
  const examinedRows = wanted.length === 0 ? limit + 1 : examined;
  const range = all([
    sql`tenant_id = ${tenantId}`,
    cursor !== undefined && sql`id < ${cursor}`,
    since !== undefined && sql`id >= ${firstIdAt(since)}`,
    until !== undefined && sql`id < ${firstIdAt(until)}`,
  ]);
  const found = await query<(AuditRow | { id: null }) & { reached: string | null }>(db)`WITH examined AS MATERIALIZED (
      SELECT id, action, actor_id, actor_name, target_id, ip FROM audit_events WHERE ${range} ORDER BY id DESC
        LIMIT ${examinedRows}),
    page AS (SELECT id FROM examined WHERE ${all([sql`true`, ...wanted])} ORDER BY id DESC LIMIT ${limit + 1}),
    reach AS (SELECT CASE WHEN count(*) = ${examinedRows} THEN min(id) END AS reached FROM examined)
    SELECT reach.reached, ${COLUMNS} FROM reach LEFT JOIN page ON true
      LEFT JOIN audit_events e ON e.tenant_id = ${tenantId} AND e.id = page.id ORDER BY e.id DESC`;
  return { rows: found.filter((row) => row.id !== null), reached: found[0]?.reached ?? null };
}

/** A place in the audit log of a tenant. */
export interface FromId {
  tenantId: string;
  /** The id of the first event to read, or a prefix of it. */
  fromId: string;
}

/** Reads up to `limit` events of each of some tenants, oldest first, in one round trip. */
export async function readAuditRowsFrom(
  db: Db,
  places: readonly FromId[],
  limit: number,
): Promise<(AuditRow & { tenantId: string })[]> {
  const { found } = await atomically(db, {
    found: places.map(({ tenantId, fromId }) =>
      rows<AuditRow & { tenantId: string }>(sql`SELECT e.tenant_id AS tenantId, ${COLUMNS} FROM audit_events e
        WHERE e.tenant_id = ${tenantId} AND e.id >= ${fromId} ORDER BY e.id LIMIT ${limit}`),
    ),
  });
  return found;
}

/**
 * Reads the newest events of an account in all tenants of a database, or in `only` one: what its user did, and what
 * strangers did to it.
 */
export async function readAuditRowsOfAccount(
  db: Db,
  { userId, only }: { userId: string; only: string | null },
  limit: number,
): Promise<AuditRow[]> {
  return query<AuditRow>(db)`SELECT ${COLUMNS} FROM audit_events e WHERE coalesce(e.actor_id, e.target_id) = ${userId}
    AND (${only} IS NULL OR e.tenant_id = ${only})
    ORDER BY e.id DESC LIMIT ${limit}`;
}
