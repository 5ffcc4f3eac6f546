/** Subscriptions in the delivery database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { auditOf, auditWebhooks } from "../../tenancy/audit/record-store";
import type { FilterObject } from "../filters/filter";
import { type DeliveryOptions, parseOptions } from "../options/delivery-options";
import type { StoredOptions } from "../options/stored-options";
import { failureCountOf } from "../plane/hours-store";
import { indexSubscription, unindexEventTypes } from "../plane/index-store";
import { assign, END_LANE, initialLane } from "../plane/lane-store";
import { hasUrl, IS_SHOWN, isLive, keepsFew } from "../plane/live-store";
import { sendOperational } from "../plane/operational";
import { publishOperational } from "../plane/operational-store";
import { writeBatch } from "../plane/write";
import { deleteKeys, ensurePublicKey, type NewPublicKey } from "../signing/store";
import { hasRoomForFilter, nextForFilters } from "./filter-store";
import { mirrorChange } from "./mirror";

export interface SubscriptionRow {
  id: string;
  tenantId: string;
  /** The id that the tenant's own system gave it. */
  externalId: string | null;
  name: string;
  url: string;
  events: string[];
  secretSealed: string;
  enabled: boolean;
  /** Why and when (Unix ms) the service disabled it; both null if it did not. */
  disabledReason: "failing" | "gone" | null;
  disabledAt: number | null;
  /** When the failures that led to its being disabled began, Unix ms; null if it was not disabled. */
  failingSince: number | null;
  /** The delivery options that are set, with the filter; null when none is. */
  options: DeliveryOptions | null;
  /** Its own headers, encrypted. */
  headersSealed: string | null;
  version: number;
  createdAt: number;
  updatedAt: number;
  /** When the last attempt started, Unix ms. */
  lastTriggeredAt: number | null;
  /** Failed attempts since the last success. */
  failureCount: number;
  /** Whether it is a listener, which only its own routes change. */
  isListener: boolean;
}

type StoredRow = Omit<SubscriptionRow, "events" | "enabled" | "options" | "isListener"> & {
  events: string;
  enabled: 0 | 1;
  isListener: 0 | 1;
  options: string | null;
  filter: string | null;
};

/**
 * When the last attempt of the subscription `s` started, as SQL. Reads 20, because attempt ids are only roughly in
 * starting order.
 */
export const LAST_TRIGGERED_AT = sql.raw(
  "(SELECT max(attempted_at) FROM (SELECT a.attempted_at FROM attempts a WHERE a.subscription_id = s.id ORDER BY " +
    "a.id DESC LIMIT 20))",
);

const COLUMNS = sql`s.id, s.tenant_id AS tenantId, s.external_id AS externalId, s.name, s.url, s.events, s.secret_sealed
  AS secretSealed, s.enabled, s.listener_of IS NOT NULL AS isListener,
  s.disabled_reason AS disabledReason,
  s.disabled_at AS disabledAt, iif(s.disabled_at IS NULL, NULL, coalesce((SELECT failing_since FROM episodes
    WHERE subscription_id = s.id),
    s.gone_since, s.disabled_at)) AS failingSince, s.options, s.filter, s.headers_sealed AS headersSealed, s.version,
  s.created_at AS createdAt, s.updated_at AS updatedAt, ${LAST_TRIGGERED_AT} AS lastTriggeredAt,
  ${failureCountOf(sql.raw("s.id"))} AS failureCount`;

/** Returns the statement that reads a subscription. */
export const liveRow = (tenant: TenantRef, id: string) =>
  rows<StoredRow>(sql`SELECT ${COLUMNS} FROM subscriptions s WHERE ${isLive(tenant, id)}`);

/** Decodes a row as D1 returns it. */
export const parsed = ({ filter, ...row }: StoredRow): SubscriptionRow => ({
  ...row,
  events: JSON.parse(row.events) as string[],
  enabled: row.enabled === 1,
  isListener: row.isListener === 1,
  options: parseOptions(row.options, filter),
});

/** The delivery database of a tenant. */
const dbOf = (deps: Pick<Deps, "shards">, tenant: TenantRef): Db => deps.shards.db(tenant.shard);

export interface NewSubscription {
  id: string;
  externalId?: string | null | undefined;
  name: string;
  url: string;
  /** The user who chooses the URL; null: a program that belongs to no user. */
  setUpBy?: string | null | undefined;
  events: readonly string[];
  secretSealed: string;
  secretDigest: string;
  enabled: boolean;
  options?: StoredOptions | null | undefined;
  filter?: FilterObject | null | undefined;
  /** The Ed25519 key for a subscription whose options ask for one and that has none. */
  publicKey?: NewPublicKey | undefined;
  /** Null: no headers. */
  headersSealed?: string | null | undefined;
  /** Whether the tenant has no verified owner. */
  onTrial?: boolean | undefined;
}

/**
 * Inserts the subscription and its rows in the fan-out index, and returns it. Returns undefined when the tenant has
 * `most` already, or too many with those that it has deleted.
 */
export async function insertSubscription(
  deps: Deps,
  tenant: ActingIn,
  subscription: NewSubscription,
  most: number,
  nowMs: number,
): Promise<SubscriptionRow | undefined> {
  const {
    id,
    externalId = null,
    name,
    url,
    setUpBy = null,
    events,
    secretSealed,
    secretDigest,
    enabled,
    options = null,
    filter = null,
    publicKey,
    headersSealed = null,
    onTrial = false,
  } = subscription;
  const lane = initialLane(!enabled && options?.onPause === "hold");
  const { written, created } = await writeBatch(deps, tenant, {
    inserted: sql`INSERT INTO subscriptions (id, tenant_id, external_id, name, url, set_up_by, events,
      secret_sealed, secret_digest, enabled, options, filter, headers_sealed, released_to, has_backlog,
        on_trial, created_at, updated_at)
      SELECT ${id}, ${tenant.tenantId}, ${externalId}, ${name}, ${url}, ${setUpBy}, ${jsonList(events)},
        ${secretSealed}, ${secretDigest}, ${enabled ? 1 : 0}, ${options && JSON.stringify(options)},
        ${filter && JSON.stringify(filter)}, ${headersSealed}, ${lane.releasedTo}, ${lane.hasBacklog},
          ${onTrial ? 1 : 0}, ${nowMs}, ${nowMs}
      WHERE (SELECT count(*) FILTER (WHERE s.is_deleted = 0 AND s.listener_of IS NULL AND ${IS_SHOWN}) < ${most}
          AND ${keepsFew(most)} FROM subscriptions s WHERE s.tenant_id = ${tenant.tenantId})
        AND ${externalId === null ? sql`true` : sql`NOT EXISTS (${ofExternalId(tenant, externalId)})`}
        AND ${filter === null ? sql`true` : hasRoomForFilter(tenant)}`,
    recorded: auditOf(tenant, "webhook.created", { kind: "webhook", id }),
    revision: filter ? nextForFilters(tenant) : undefined,
    indexed: indexSubscription(tenant, id, nowMs),
    publicKey: publicKey && ensurePublicKey(tenant, id, publicKey, nowMs),
    created: publishOperational("postern.webhook.created", sql`subscriptions s WHERE ${isLive(tenant, id)}`, nowMs),
    written: liveRow(tenant, id),
  });
  await mirrorChange(deps, tenant, id);
  sendOperational(deps, tenant.shard, created);
  return written[0] && parsed(written[0]);
}

/**
 * Marks the subscription as deleted and erases its secrets; nothing more is sent to it. Returns false when the tenant
 * has no such one.
 */
export async function deleteSubscription(deps: Deps, tenant: ActingIn, id: string, nowMs: number): Promise<boolean> {
  const live = hasUrl(tenant, id);
  const { deleted, told } = await writeBatch(deps, tenant, {
    told: publishOperational("postern.webhook.deleted", sql`subscriptions s WHERE ${live}`, nowMs),
    recorded: auditWebhooks("webhook.deleted", tenant.actor, sql`subscriptions s WHERE ${live}`, nowMs),
    unindexed: unindexEventTypes(tenant, id, live),
    keys: deleteKeys(tenant, id),
    deleted: rows<{ id: string }>(
      sql`UPDATE subscriptions AS s SET is_deleted = 1, secret_sealed = '', secret_digest = '', headers_sealed = NULL,
        filter = NULL, ${assign(END_LANE)}, version = version + 1,
        updated_at = ${nowMs} WHERE ${live} RETURNING id`,
    ),
  });
  if (deleted.length > 0) await mirrorChange(deps, tenant, id);
  sendOperational(deps, tenant.shard, told);
  return deleted.length > 0;
}

/** The live subscription with this external id, as SQL. */
export const ofExternalId = ({ tenantId }: TenantRef, externalId: string): SQL =>
  sql`SELECT o.id FROM subscriptions o WHERE o.tenant_id = ${tenantId} AND o.external_id = ${externalId}
    AND o.is_deleted = 0`;

/** Returns the live subscription with this external id. */
export async function findByExternalId(
  deps: Deps,
  tenant: TenantRef,
  externalId: string,
): Promise<SubscriptionRow | undefined> {
  const found = await queryFirst<StoredRow>(dbOf(deps, tenant))`SELECT ${COLUMNS} FROM subscriptions s
    WHERE s.id = (${ofExternalId(tenant, externalId)})`;
  return found && parsed(found);
}

/** Returns how many subscriptions the tenant has. */
export async function countSubscriptions(deps: Deps, tenant: TenantRef): Promise<number> {
  const counted = await queryFirst<{ count: number }>(dbOf(deps, tenant))`SELECT count(*) AS count FROM subscriptions s
    WHERE s.tenant_id = ${tenant.tenantId} AND s.is_deleted = 0 AND s.listener_of IS NULL AND ${IS_SHOWN}`;
  return counted?.count ?? 0;
}

/** How many subscriptions and listeners are stored of the tenant, with those that were deleted. */
export async function countKept(deps: Deps, tenant: TenantRef): Promise<number> {
  const counted = await queryFirst<{ count: number }>(dbOf(deps, tenant))`SELECT count(*) AS count FROM subscriptions s
    WHERE s.tenant_id = ${tenant.tenantId} AND ${IS_SHOWN}`;
  return counted?.count ?? 0;
}

/** Returns the tenant's subscriptions, newest first: those with an external id, or those that a user has set up. */
export async function listSubscriptions(
  deps: Deps,
  tenant: TenantRef,
  { externalId, setUpBy }: { externalId?: string | undefined; setUpBy?: string | undefined } = {},
): Promise<SubscriptionRow[]> {
  const isAsked = sql`${externalId === undefined ? sql`true` : sql`s.external_id = ${externalId}`}
    AND ${setUpBy === undefined ? sql`true` : sql`s.set_up_by = ${setUpBy}`}`;
  const listed = await query<StoredRow>(dbOf(deps, tenant))`SELECT ${COLUMNS} FROM subscriptions s
    WHERE s.tenant_id = ${tenant.tenantId} AND s.is_deleted = 0 AND s.listener_of IS NULL AND ${IS_SHOWN} AND ${isAsked}
    ORDER BY s.created_at DESC, s.id DESC`;
  return listed.map(parsed);
}

/** Returns the subscription; undefined when the tenant has none with this id. */
export async function findSubscription(
  deps: Deps,
  tenant: TenantRef,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const { found } = await atomically(dbOf(deps, tenant), { found: liveRow(tenant, id) });
  return found[0] && parsed(found[0]);
}
