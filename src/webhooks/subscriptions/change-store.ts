/** Changing a subscription in the delivery database of its tenant: one batch, which does all or nothing. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList, rows } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import type { OperationalType } from "../../base/schemas/event-type";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { auditWebhooks } from "../../tenancy/audit/record-store";
import { restartFailing } from "../auto-disable/marks-store";
import { isSameOptions, type StoredOptions } from "../options/stored-options";
import { withFormerState } from "../plane/former-states-store";
import { indexSubscription, unindexEventTypes } from "../plane/index-store";
import { type Columns, disable, END_COOLDOWN, enable } from "../plane/lane-store";
import { hasUrl } from "../plane/live-store";
import { sendOperational } from "../plane/operational";
import { publishOperational } from "../plane/operational-store";
import { writeBatch } from "../plane/write";
import { endFormerSecrets, ensurePublicKey, HAS_FORMER, keepFormerSecret, pruneEnded } from "../signing/store";
import { changesRules, hasRoomForFilter, nextForFilters } from "./filter-store";
import { mirrorChange } from "./mirror";
import { liveRow, type NewSubscription, ofExternalId, parsed, type SubscriptionRow } from "./store";

/** The fields that differ from what was read. A field that is left out keeps its value. */
export type ChangedFields = Partial<Omit<NewSubscription, "id" | "onTrial">>;

/** Whether the held deliveries of a subscription that is enabled are sent (the default) or dropped. */
export type Held = "send" | "drop";

/** The options that limit how much is sent. */
const LIMITS = ["rateLimit", "maxConcurrent"] as const;
/** The options that decide which signatures and which body an attempt has. */
const WIRE_FORMAT = ["signature", "format", "signatureProfile"] as const;

const changesOptions = (
  before: SubscriptionRow,
  { options }: ChangedFields,
  names: readonly (keyof StoredOptions)[],
): boolean => options !== undefined && !isSameOptions(before.options, options, names);

/** Whether a change changes the rate limit or the concurrency limit. */
export const changesLimits = (before: SubscriptionRow, changed: ChangedFields): boolean =>
  changesOptions(before, changed, LIMITS);

interface Update {
  before: SubscriptionRow;
  changed: ChangedFields;
  held?: Held | undefined;
  /** Whether it is written to any version that is still enabled. */
  isForced?: boolean;
}

/**
 * Writes a change of at least one field as the next version, and returns the subscription. Returns undefined and
 * changes nothing if `before` is no longer what is stored, or the tenant has no room for the external id or the filter.
 */
export async function updateSubscription(
  deps: Deps,
  tenant: ActingIn,
  { before, changed, held, isForced = false }: Update,
  nowMs: number,
): Promise<SubscriptionRow | undefined> {
  const { id } = before;
  const isSame = isForced ? sql`s.enabled = 1` : sql`s.version = ${before.version}`;
  const asRead = sql`${hasUrl(tenant, id)} AND ${isSame} AND ${hasRoom(tenant, before, changed)}`;
  const isAsRead = sql`EXISTS (SELECT 1 FROM subscriptions s WHERE ${asRead})`;
  const columns = columnsOf(before, changed, held, nowMs);
  const assigned = Object.entries(columns).map(([column, value]) => sql`${sql.identifier(column)} = ${value}`);
  const movesInIndex = changed.events !== undefined || changed.enabled !== undefined;
  const { updated, written, ...told } = await writeBatch(deps, tenant, {
    // Before the update, because these statements look for the version that was read.
    ...recordedChanges(tenant, changed, asRead, nowMs),
    ...(changed.enabled ? restartFailing(id, isAsRead, nowMs) : {}),
    unindexed: movesInIndex ? unindexEventTypes(tenant, id, asRead) : undefined,
    // Unlike a rotation, a change of the secret ends the old secrets at once.
    ...(changed.secretDigest === undefined ? {} : endSecrets(tenant, id, asRead, nowMs)),
    revision: changesRules(before, changed)
      ? nextForFilters(tenant, sql`FROM subscriptions s WHERE ${asRead}`)
      : undefined,
    updated: rows<{ id: string }>(sql`UPDATE subscriptions AS s SET ${sql.join(assigned, sql`, `)},
      version = version + 1, updated_at = ${nowMs} WHERE ${asRead} RETURNING id`),
    indexed: movesInIndex ? indexSubscription(tenant, id, nowMs) : undefined,
    publicKey: changed.publicKey && ensurePublicKey(tenant, id, changed.publicKey, nowMs),
    written: liveRow(tenant, id),
  });
  if (updated.length === 0) return undefined;
  await mirrorChange(deps, tenant, id);
  sendOperational(deps, tenant.shard, told.toldUpdated, told.toldSecret, told.toldSwitched);
  return written[0] && parsed(written[0]);
}

/** Whether the external id is free, and the tenant may have one more filter, for a change of the subscription `s`. */
function hasRoom(tenant: TenantRef, before: SubscriptionRow, { externalId, filter }: ChangedFields): SQL {
  const isFree = externalId ? sql`NOT EXISTS (${ofExternalId(tenant, externalId)} AND o.id <> s.id)` : sql`true`;
  return sql`${isFree} AND ${filter && !before.options?.filter ? hasRoomForFilter(tenant) : sql`true`}`;
}

/** The names in the API of the fields whose change is an update. The secret and `enabled` have events of their own. */
const UPDATED_FIELDS: Readonly<Partial<Record<keyof ChangedFields, string>>> = {
  externalId: "externalId",
  name: "name",
  url: "url",
  events: "events",
  headersSealed: "delivery",
  options: "delivery",
  filter: "delivery",
};

/** Returns the statements that publish a change as operational events, and those that record it in the audit log. */
function recordedChanges(tenant: ActingIn, changed: ChangedFields, asRead: SQL, nowMs: number) {
  const from = sql`subscriptions s WHERE ${asRead}`;
  const told = (type: OperationalType, data?: SQL) => publishOperational(type, from, nowMs, data ? { data } : {});
  const audited = (action: Parameters<typeof auditWebhooks>[0], data?: SQL) =>
    auditWebhooks(action, tenant.actor, from, nowMs, data);
  const updated = Object.entries(UPDATED_FIELDS).flatMap(([field, name]) => (field in changed ? [name] : []));
  const names = sql`'changed', json(${jsonList([...new Set(updated)])})`;
  const [isUpdated, isRotated] = [updated.length > 0, changed.secretDigest !== undefined];
  const isSwitched = changed.enabled !== undefined;
  const [switchedType, action, reason] = changed.enabled
    ? (["postern.webhook.enabled", "webhook.resumed", undefined] as const)
    : (["postern.webhook.disabled", "webhook.paused", sql`'reason', 'manual'`] as const);
  return {
    toldUpdated: isUpdated ? told("postern.webhook.updated", names) : undefined,
    auditedUpdate: isUpdated ? audited("webhook.updated", names) : undefined,
    toldSecret: isRotated ? told("postern.webhook.secret_rotated", sql`'kind', 'v1'`) : undefined,
    auditedSecret: isRotated ? audited("webhook.secret_rotated", sql`'kind', 'v1'`) : undefined,
    toldSwitched: isSwitched ? told(switchedType, reason) : undefined,
    auditedSwitch: isSwitched ? audited(action) : undefined,
  };
}

/**
 * Ends all secrets of the subscription. If there are former secrets, the present one is kept as a row without its
 * ciphertext, because the log must know when it signed. Otherwise the time of the change is enough.
 */
function endSecrets(tenant: TenantRef, id: string, asRead: SQL, nowMs: number) {
  const kept = { id: newId(), sealed: "", expiresAt: nowMs };
  return {
    endedSecrets: endFormerSecrets(tenant, id, asRead, nowMs),
    endedSecret: keepFormerSecret(tenant, id, kept, sql`${asRead} AND ${HAS_FORMER}`),
    prunedKeys: pruneEnded(tenant, id),
  };
}

/** Returns the columns that a change sets, with what follows from the fields that differ. */
function columnsOf(before: SubscriptionRow, changed: ChangedFields, held: Held | undefined, nowMs: number) {
  const { enabled, options = before.options, filter } = changed;
  const isRedirected = changed.url !== undefined;
  const lane =
    enabled === undefined
      ? {}
      : enabled
        ? enable(held ?? "send", nowMs)
        : disable({ reason: null, atMs: nowMs, holds: sql`${Number(options?.onPause === "hold")}` });
  const columns: Record<string, SQL | string | number | null | undefined> = {
    external_id: changed.externalId,
    name: changed.name,
    url: changed.url,
    set_up_by: changed.setUpBy,
    events: changed.events && jsonList(changed.events),
    secret_sealed: changed.secretSealed,
    secret_digest: changed.secretDigest,
    secret_since: changed.secretDigest === undefined ? undefined : nowMs,
    headers_sealed: changed.headersSealed,
    options: changed.options && JSON.stringify(changed.options),
    filter: filter && JSON.stringify(filter),
    filter_since: filter === undefined ? undefined : nowMs,
    format_since: changesOptions(before, changed, WIRE_FORMAT) ? nowMs : undefined,
    former_states: formerState(changed, nowMs),
    // A new URL clears an earlier 410, unless that 410 disabled the subscription: the view tells since when.
    gone_since: isRedirected && before.disabledAt === null ? null : undefined,
    held_until: isRedirected || changed.options !== undefined ? END_COOLDOWN : undefined,
    // After a change of the limits, the old far starts are void.
    throttled_until: changesLimits(before, changed) ? 0 : undefined,
    ...(lane satisfies Columns),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/** The former values of `enabled` and the event types, if they change. */
const formerState = ({ enabled, events }: ChangedFields, nowMs: number): SQL | undefined =>
  enabled === undefined && events === undefined
    ? undefined
    : withFormerState(nowMs, {
        enabled: enabled === undefined ? sql`NULL` : sql`s.enabled`,
        events: events === undefined ? sql`NULL` : sql`s.events`,
      });
