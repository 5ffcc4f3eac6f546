/**
 * Listeners: subscriptions whose deliveries go to a program over a socket. While there is none, their lanes hold; see
 * `plane/lane.ts`.
 */
import { type SQL, sql } from "drizzle-orm";
import { type Db, jsonList, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { auditOf } from "../../tenancy/audit/record-store";
import { indexSubscription, unindexEventTypes } from "../plane/index-store";
import { assign, attach, detach, END_LANE, initialLane } from "../plane/lane-store";
import { isLive, keepsFew } from "../plane/live-store";
import { writeBatch } from "../plane/write";
import { mirrorChange } from "../subscriptions/mirror";

/** Where the deliveries of a listener would go if something sent them over HTTP: to a name that never resolves. */
const NO_URL = "https://listener.invalid/";

export interface ListenerRow {
  id: string;
  /** Its user, or the key of a program without one. */
  ownerId: string;
  name: string;
  events: string[];
  isConnected: boolean;
  /** Unix ms. */
  createdAt: number;
  /** Since when it is connected or not, Unix ms. */
  changedAt: number;
}

type StoredRow = Omit<ListenerRow, "events" | "isConnected"> & { events: string; isConnected: 0 | 1 };

const COLUMNS = sql`s.id, s.listener_of AS ownerId, s.name, s.events, s.enabled AS isConnected,
  s.created_at AS createdAt, s.updated_at AS changedAt`;

const parsed = (row: StoredRow): ListenerRow => ({
  ...row,
  events: JSON.parse(row.events) as string[],
  isConnected: row.isConnected === 1,
});

/** Whether the listener `s` is that of `ownerId`, or anybody's if that is null. */
const isOf = (ownerId: string | null): SQL =>
  ownerId === null ? sql`s.listener_of IS NOT NULL` : sql`s.listener_of = ${ownerId}`;

/** The listener `s` with this id. */
const isListener = (tenant: TenantRef, id: string) => sql`${isLive(tenant, id)} AND s.listener_of IS NOT NULL`;

/** What to store of a new listener. `ownerId` is its user, or the key of a program without one. */
export interface NewRow {
  id: string;
  ownerId: string;
  name: string;
  events: readonly string[];
  secretSealed: string;
  secretDigest: string;
}

/**
 * Inserts a listener that holds, unless its owner has `most` in the tenant, or the tenant has too many subscriptions
 * with those that it has deleted. Returns whether it has.
 */
export async function insertListener(
  deps: Deps,
  tenant: ActingIn,
  { id, ownerId, name, events, secretSealed, secretDigest }: NewRow,
  { most, mostSubscriptions }: { most: number; mostSubscriptions: number },
  nowMs: number,
): Promise<boolean> {
  const { tenantId } = tenant;
  const lane = initialLane(true);
  const { inserted } = await writeBatch(deps, tenant, {
    inserted: rows<{ id: string }>(sql`INSERT INTO subscriptions (id, tenant_id, listener_of, name, url, events,
        secret_sealed, secret_digest, enabled, released_to, has_backlog, created_at, updated_at)
      SELECT ${id}, ${tenantId}, ${ownerId}, ${name}, ${NO_URL}, ${jsonList(events)}, ${secretSealed},
        ${secretDigest}, 0, ${lane.releasedTo}, ${lane.hasBacklog}, ${nowMs}, ${nowMs}
      WHERE (SELECT count(*) FILTER (WHERE listener_of = ${ownerId} AND is_deleted = 0) < ${most}
        AND ${keepsFew(mostSubscriptions)} FROM subscriptions s WHERE s.tenant_id = ${tenantId}) RETURNING id`),
    recorded: auditOf(tenant, "listen.opened", { kind: "webhook", id }),
    indexed: indexSubscription(tenant, id, nowMs),
  });
  await mirrorChange(deps, tenant, id);
  return inserted.length === 1;
}

/** An owner's listeners in the tenant, or all of the tenant if that is null; newest first. */
export async function listListeners(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  ownerId: string | null,
): Promise<ListenerRow[]> {
  const found = await query<StoredRow>(shards.db(shard))`SELECT ${COLUMNS} FROM subscriptions s
    WHERE s.tenant_id = ${tenantId} AND ${isOf(ownerId)} AND s.is_deleted = 0 ORDER BY s.id DESC`;
  return found.map(parsed);
}

/** Deletes a listener: that of `ownerId`, or anybody's if that is null. Returns false when there is none. */
export async function deleteListener(
  deps: Deps,
  tenant: ActingIn,
  { id, ownerId }: { id: string; ownerId: string | null },
  nowMs: number,
): Promise<boolean> {
  const isOwn = sql`${isListener(tenant, id)} AND ${isOf(ownerId)}`;
  const { deleted } = await writeBatch(deps, tenant, {
    unindexed: unindexEventTypes(tenant, id, isOwn),
    deleted: rows<{ id: string }>(sql`UPDATE subscriptions AS s SET is_deleted = 1, secret_sealed = '',
        secret_digest = '', ${assign(END_LANE)}, version = version + 1, updated_at = ${nowMs}
      WHERE ${isOwn} RETURNING id`),
    recorded: auditOf(tenant, "listen.closed", { kind: "webhook", id }),
  });
  if (deleted.length > 0) await mirrorChange(deps, tenant, id);
  return deleted.length > 0;
}

/**
 * Lets the lane of a listener follow whether it has a socket. Writes nothing if it does already. Returns whether there
 * is such a listener, and whether its lane has changed.
 */
export async function noteConnection(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  isConnected: boolean,
  nowMs: number,
): Promise<{ isFound: boolean; isChanged: boolean }> {
  const lane = isConnected ? attach(nowMs) : detach(nowMs);
  const { changed, found } = await writeBatch(deps, tenant, {
    changed: rows<{ id: string }>(sql`UPDATE subscriptions AS s SET ${assign(lane)}
      WHERE ${isListener(tenant, id)} AND s.enabled <> ${Number(isConnected)} RETURNING id`),
    found: rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${isListener(tenant, id)}`),
  });
  if (changed.length > 0) await mirrorChange(deps, tenant, id);
  return { isFound: found.length > 0, isChanged: changed.length > 0 };
}

/** The listeners of a database, across its tenants, that have had no socket since `before` (Unix ms). */
export async function readIdleListeners(
  db: Db,
  before: number,
  limit: number,
): Promise<{ id: string; tenantId: string }[]> {
  return query<{ id: string; tenantId: string }>(db)`SELECT s.id, s.tenant_id AS tenantId FROM subscriptions s
    WHERE s.tenant_id >= '' AND s.listener_of IS NOT NULL AND s.is_deleted = 0 AND s.enabled = 0
      AND s.updated_at < ${before}
    LIMIT ${limit}`;
}
