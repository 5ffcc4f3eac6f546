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
import type { OptionsPatch } from "../options/delivery-options";
import { formerStates } from "../plane/former-states-store";
import { indexSubscription, unindexEventTypes } from "../plane/index-store";
import { disable, END_COOLDOWN, enable } from "../plane/lane-store";
import { hasUrl } from "../plane/live-store";
import { sendOperational } from "../plane/operational";
import { publishOperational } from "../plane/operational-store";
import { writeBatch } from "../plane/write";
import { endFormerSecrets, ensurePublicKey, HAS_FORMER, keepFormerSecret, pruneEnded } from "../signing/store";
import { allowedIf, type ChangeCondition, profileIn } from "./condition-store";
import { revisionAfter } from "./filter-store";
import { mirrorChange } from "./mirror";
import { findSubscription, liveRow, type NewSubscription, parsed, patchedOptions, type SubscriptionRow } from "./store";

/** The columns to change. A field that is left out keeps its value. */
type SubscriptionChange = Partial<Omit<NewSubscription, "id">> & {
  /** Whether the held deliveries of a subscription that is enabled are sent (the default) or dropped. */
  held?: "send" | "drop" | undefined;
};

/** A subscription after a change. */
export interface Updated {
  row: SubscriptionRow;
  /** Whether the change has changed its rate limit or its concurrency limit. */
  limitsChanged: boolean;
  /** Whether the change has changed its URL or its event types. */
  isRedirected: boolean;
}

/**
 * Applies a change and returns the subscription, or undefined when the tenant has none with this id. The version
 * increases only if a value differs.
 */
export async function updateSubscription(
  deps: Deps,
  tenant: ActingIn,
  id: string,
  change: SubscriptionChange,
  nowMs: number,
  condition: ChangeCondition = {},
): Promise<Updated | "changed meanwhile" | undefined> {
  const columns = columnsOf(change, nowMs);
  if (columns.length === 0) {
    const row = await findSubscription(deps, tenant, id);
    return row && { row, limitsChanged: false, isRedirected: false };
  }
  const differs = columns
    .filter(({ isCompared }) => isCompared)
    .map(({ column, value }) => sql`s.${sql.identifier(column)} IS NOT ${value}`);
  const isAllowed = sql`(${allowedIf(tenant, condition)})`;
  const isChanged = sql`(${sql.join(differs, sql` OR `)}) AND ${isAllowed}`;
  const assigned = columns.map(({ column, value }) => sql`${sql.identifier(column)} = ${value}`);
  const movesInIndex = change.events !== undefined || change.enabled !== undefined;
  const aims = columns.filter(({ column }) => column === "url" || column === "events");
  const { refused, redirected, limitsChanged, written, ...told } = await writeBatch(deps, tenant, {
    refused:
      Object.keys(condition).length === 0
        ? undefined
        : rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${hasUrl(tenant, id)} AND NOT ${isAllowed}`),
    // Before the update, because these statements compare the change with the stored values.
    ...recordedChanges(tenant, id, { columns, enabled: change.enabled }, isAllowed, nowMs),
    ...(change.enabled === true ? restartFailing(id, becomesEnabled(tenant, id, isAllowed), nowMs) : {}),
    unindexed: movesInIndex ? unindexEventTypes(tenant, id, isChanged) : undefined,
    // Unlike a rotation, a change of the secret ends the old secrets at once.
    ...endSecrets(tenant, id, change.secretDigest, isAllowed, nowMs),
    redirected:
      aims.length === 0
        ? undefined
        : sql`SELECT 1 FROM subscriptions s WHERE ${hasUrl(tenant, id)} AND ${isAllowed}
          AND (${sql.join(
            aims.map(({ column, value }) => sql`s.${sql.identifier(column)} IS NOT ${value}`),
            sql` OR `,
          )})`,
    revision: revisionAfter(tenant, id, { filter: change.filter, events: eventsOf(change) }, isAllowed),
    limitsChanged: change.options && changesLimits(tenant, id, change.options, isAllowed),
    updated: sql`UPDATE subscriptions AS s SET ${sql.join(assigned, sql`, `)}, version = version + 1, updated_at =
      ${nowMs}
      WHERE ${hasUrl(tenant, id)} AND ${isChanged}`,
    indexed: movesInIndex ? indexSubscription(tenant, id, nowMs) : undefined,
    publicKey: change.publicKey && ensurePublicKey(tenant, id, change.publicKey, nowMs),
    written: liveRow(tenant, id),
  });
  await mirrorChange(deps, tenant, id);
  sendOperational(deps, tenant.shard, told.toldUpdated, told.toldSecret, told.toldSwitched);
  if (refused.length > 0) return "changed meanwhile";
  return (
    written[0] && {
      row: parsed(written[0]),
      limitsChanged: limitsChanged.length > 0,
      isRedirected: redirected.length > 0,
    }
  );
}

/** The API names of the columns whose change counts as an update. The secret and `enabled` have events of their own. */
const UPDATED_FIELDS: Readonly<Record<string, string>> = {
  external_id: "externalId",
  name: "name",
  url: "url",
  events: "events",
  headers_sealed: "delivery",
  options: "delivery",
  filter: "delivery",
};

/** Returns the statements that publish a change as operational events, and those that record it in the audit log. */
function recordedChanges(
  tenant: ActingIn,
  id: string,
  { columns, enabled }: { columns: readonly ChangedColumn[]; enabled: boolean | undefined },
  isAllowed: SQL,
  nowMs: number,
) {
  const differing = (condition: SQL) =>
    sql`subscriptions s WHERE ${hasUrl(tenant, id)} AND ${isAllowed} AND ${condition}`;
  const told = (type: OperationalType, condition: SQL, data?: SQL) =>
    publishOperational(type, differing(condition), nowMs, data ? { data } : {});
  const audited = (action: Parameters<typeof auditWebhooks>[0], condition: SQL, data?: SQL) =>
    auditWebhooks(action, tenant.actor, differing(condition), nowMs, data);
  const updated = columns.filter(({ column }) => column in UPDATED_FIELDS);
  const fields = updated.map(
    ({ column, value }) => sql`iif(s.${sql.identifier(column)} IS NOT ${value}, ${UPDATED_FIELDS[column]}, NULL)`,
  );
  const changed = sql`(SELECT json_group_array(DISTINCT f.value)
    FROM json_each(json_array(${sql.join(fields, sql`, `)})) f
    WHERE f.value IS NOT NULL)`;
  const digest = columns.find(({ column }) => column === "secret_digest")?.value;
  const isUpdated = fields.length === 0 ? undefined : sql`${changed} <> '[]'`;
  const isRotated = digest === undefined ? undefined : sql`s.secret_digest <> ${digest}`;
  const isSwitched = enabled === undefined ? undefined : sql`s.enabled <> ${Number(enabled)}`;
  const [switchedType, action, reason] = enabled
    ? (["postern.webhook.enabled", "webhook.resumed", undefined] as const)
    : (["postern.webhook.disabled", "webhook.paused", sql`'reason', 'manual'`] as const);
  const [fieldNames, kind] = [sql`'changed', json(${changed})`, sql`'kind', 'v1'`];
  return {
    toldUpdated: isUpdated && told("postern.webhook.updated", isUpdated, fieldNames),
    auditedUpdate: isUpdated && audited("webhook.updated", isUpdated, fieldNames),
    toldSecret: isRotated && told("postern.webhook.secret_rotated", isRotated, kind),
    auditedSecret: isRotated && audited("webhook.secret_rotated", isRotated, kind),
    toldSwitched: isSwitched && told(switchedType, isSwitched, reason),
    auditedSwitch: isSwitched && audited(action, isSwitched),
  };
}

const becomesEnabled = (tenant: TenantRef, id: string, isAllowed: SQL) =>
  sql`EXISTS (SELECT 1 FROM subscriptions s WHERE ${hasUrl(tenant, id)} AND s.enabled = 0 AND ${isAllowed})`;

/**
 * Ends all secrets of the subscription if `digest` belongs to a different secret. If there are former secrets, the
 * present one is kept as a row without its ciphertext, because the log must know when it signed. Otherwise the time of
 * the change is enough.
 */
function endSecrets(tenant: TenantRef, id: string, digest: string | undefined, isAllowed: SQL, nowMs: number) {
  if (digest === undefined) return {};
  const differs = sql`s.secret_digest <> ${digest} AND ${isAllowed}`;
  return {
    endedSecrets: endFormerSecrets(tenant, id, differs, nowMs),
    endedSecret: keepFormerSecret(
      tenant,
      id,
      { id: newId(), sealed: "", expiresAt: nowMs },
      sql`${differs} AND ${HAS_FORMER}`,
    ),
    prunedKeys: pruneEnded(tenant, id),
  };
}

/** The columns of its lane: paused, it holds its deliveries if its options say so; enabled, it sends or drops them. */
function laneColumns(enabled: boolean, held: SubscriptionChange["held"], options: SQL, nowMs: number): ChangedColumn[] {
  const columns = enabled
    ? enable(held ?? "send", nowMs)
    : disable({ reason: null, atMs: nowMs, holds: sql`coalesce(${options} ->> '$.onPause' = 'hold', 0)` });
  return Object.entries(columns).map(([column, value]) => ({ column, value, isCompared: column === "enabled" }));
}

/** The options that decide which signatures and which body an attempt has, as SQL. */
const wireFormat = (options: SQL) =>
  sql`json_array(${options} ->> '$.signature', ${options} ->> '$.format', ${profileIn(options)})`;

interface ChangedColumn {
  column: string;
  value: SQL | string | number | null;
  isCompared: boolean;
}

/**
 * Returns the columns that a change sets. The secret is compared by its digest, because each encryption of the same
 * secret differs.
 */
function columnsOf(change: SubscriptionChange, nowMs: number): ChangedColumn[] {
  const { externalId, name, url, secretSealed, secretDigest, enabled, options, headersSealed } = change;
  const [events, filter] = [eventsOf(change), change.filter && JSON.stringify(change.filter)];
  const patched = options && patchedOptions(sql`s.options`, options);
  const given = (column: string, value: SQL | string | number | null | undefined, isCompared = true) =>
    value === undefined ? [] : [{ column, value, isCompared }];
  return [
    ...given("external_id", externalId),
    ...given("name", name),
    ...given("url", url),
    ...given("set_up_by", url && sql`iif(s.url IS NOT ${url}, ${change.setUpBy ?? null}, s.set_up_by)`, false),
    ...given("events", events),
    ...given("secret_sealed", secretSealed, false),
    ...given("secret_digest", secretDigest),
    ...given("headers_sealed", headersSealed),
    ...given(
      "secret_since",
      secretDigest && sql`iif(s.secret_digest <> ${secretDigest}, ${nowMs}, s.secret_since)`,
      false,
    ),
    ...given("former_states", formerStates(events, enabled, nowMs), false),
    // A new URL clears an earlier 410, unless that 410 disabled the subscription: the view tells since when.
    ...given(
      "gone_since",
      enabled ? undefined : url && sql`iif(s.disabled_at IS NULL AND s.url <> ${url}, NULL, s.gone_since)`,
      false,
    ),
    ...(enabled === undefined ? [] : laneColumns(enabled, change.held, patched ?? sql`s.options`, nowMs)),
    ...(url !== undefined || options !== undefined ? given("held_until", END_COOLDOWN, false) : []),
    // After a change of the limits, the old far starts are void.
    ...given("throttled_until", patched && sql`iif(${sameLimits(patched)}, s.throttled_until, 0)`, false),
    ...given("options", patched),
    ...given("filter", filter),
    ...given(
      "filter_since",
      filter === undefined ? undefined : sql`iif(s.filter IS NOT ${filter}, ${nowMs}, s.filter_since)`,
      false,
    ),
    ...given(
      "format_since",
      patched && sql`iif(${wireFormat(sql`s.options`)} <> ${wireFormat(patched)}, ${nowMs}, s.format_since)`,
      false,
    ),
  ];
}

const eventsOf = ({ events }: SubscriptionChange): string | undefined => events && jsonList(events);

const limitsOf = (options: SQL) => sql`json_array(${options} ->> '$.rateLimit', ${options} ->> '$.maxConcurrent')`;

/** Whether the options of the subscription `s` set the same limits as `options`, as SQL. */
const sameLimits = (options: SQL) => sql`${limitsOf(sql`s.options`)} IS ${limitsOf(options)}`;

/**
 * Returns the statement that reads whether `patch` changes the limits; undefined if it sets none. Run it before the
 * change.
 */
function changesLimits(tenant: TenantRef, id: string, patch: OptionsPatch, isAllowed: SQL) {
  if (!("rateLimit" in patch || "maxConcurrent" in patch)) return undefined;
  return rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${hasUrl(tenant, id)} AND ${isAllowed}
    AND NOT (${sameLimits(patchedOptions(sql`s.options`, patch))})`);
}
