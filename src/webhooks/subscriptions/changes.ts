/** Creating and changing a subscription: both check the URL and encrypt the secret. */

import { isOnTrial } from "../../base/budgets/reserve";
import { newKeyPair } from "../../base/crypto/ed25519";
import { decrypt, digest, encrypt } from "../../base/crypto/encryption";
import { isBase64Key } from "../../base/crypto/webhook-signature";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import {
  AppError,
  changedMeanwhile,
  emailNotVerified,
  invalidField,
  notFound,
  orNotFound,
  refuseInvalid,
} from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import type { ActingIn } from "../../base/schemas/actor";
import { OPERATIONAL_PREFIX } from "../../base/schemas/event-type";
import type { Principal, TenantStanding } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { refuseTarget } from "../delivery/target";
import { rescheduleWaiting } from "../delivery/throttling/defer";
import type { FilterObject } from "../filters/filter";
import { type DeliveryChange, filterAfter, optionsPatch, refuseOptions } from "../options/delivery-options";
import { mergeHeaders, refuseHeaders } from "../options/header-options";
import { headersAfter, isSame, openHeaders, sealHeaders } from "../options/headers";
import { needsBase64Secret, refuseCombination } from "../options/signature-profile";
import { secretOwner, signingKeyOwner } from "../signing/keys";
import { type Permitted, receivesAudit, refuseNewReader, refuseReader } from "./audit-readers";
import { type Updated, updateSubscription } from "./change-store";
import type { ChangeCondition } from "./condition-store";
import { countFiltered, MAX_FILTERED, raiseForFilters } from "./filter-store";
import { listenerUnchanged } from "./listener-unchanged";
import { findByExternalId, findSubscription, insertSubscription, type SubscriptionRow } from "./store";

export interface SubscriptionInput {
  externalId?: string | null | undefined;
  name: string;
  url: string;
  events: string[];
  secret: string;
  enabled: boolean;
  delivery?: DeliveryChange | null | undefined;
}

/** Somebody who creates or changes subscriptions. */
export type Changer = ActingIn & Permitted & Pick<Principal, "userId" | "rulesRevision">;

/**
 * Creates a subscription and returns it. Throws FORBIDDEN for the audit log without audit.read, VALIDATION_FAILED for a
 * URL that may not be called or an option that this deployment does not allow, and at the cap CONFLICT, or
 * EMAIL_NOT_VERIFIED for a tenant without a verified owner.
 */
export async function createSubscription(
  deps: Deps,
  tenant: Changer & TenantStanding,
  input: SubscriptionInput,
): Promise<SubscriptionRow> {
  checkSubscription(deps, tenant, input);
  const id = newId();
  const { externalId, name, url, enabled } = input;
  const options = input.delivery ? optionsPatch(input.delivery) : undefined;
  const secret = await encryptSecret(deps, id, input.secret);
  const publicKey = await publicKeyFor(deps, id, input.delivery);
  const headersSealed = await sealHeaders(deps, id, headersOf(input));
  const filter = filterAfter(input.delivery);
  const columns = { ...secret, enabled, options, filter, publicKey, headersSealed, onTrial: isOnTrial(deps, tenant) };
  const subscription = { id, externalId, name, url, setUpBy: userOf(tenant), events: input.events, ...columns };
  if (filter) await raiseForFilters(deps, tenant);
  const row = await insertSubscription(deps, tenant, subscription, mostSubscriptions(deps, tenant), deps.now());
  if (!row) throw await whyNotCreated(deps, tenant, input);
  tellOfReader(deps, tenant, row);
  return row;
}

/** The user behind a caller; null: a key that belongs to no user. */
const userOf = ({ userId }: Changer): string | null => userId || null;

/** What a subscription must be, whether it is created or only tried. Throws as `createSubscription` does. */
export function checkSubscription(deps: Deps, tenant: Permitted, input: SubscriptionInput): void {
  refuseNewReader(tenant, input.events);
  checkTarget(deps, input.url);
  checkOptions(deps, input.delivery);
  const headers = headersOf(input);
  refuseInvalid(refuseHeaders(headers));
  checkCombination({ profile: input.delivery?.signatureProfile, headers, secret: input.secret }, input);
  checkFilter(filterAfter(input.delivery), input.events, "delivery.filter");
}

const headersOf = ({ delivery }: SubscriptionInput) => mergeHeaders({}, delivery?.headers ?? {});

/** Why a subscription with this id was not changed: the tenant has none, or it is a listener. */
export async function whyUnchanged(deps: Deps, tenant: TenantRef, id: string): Promise<AppError> {
  return (await findSubscription(deps, tenant, id))?.isListener ? listenerUnchanged() : notFound("Webhook");
}

/** How many subscriptions the tenant may have. */
export function mostSubscriptions(deps: Deps, tenant: TenantStanding): number {
  const { caps } = deps.config;
  return isOnTrial(deps, tenant) ? Math.min(caps.trialSubscriptions, caps.subscriptions) : caps.subscriptions;
}

/** The error for a tenant that has as many subscriptions as it may have. */
export const tooManySubscriptions = (deps: Deps, tenant: TenantStanding): AppError =>
  isOnTrial(deps, tenant) ? emailNotVerified() : capReached("subscriptions", deps.config.caps);

async function whyNotCreated(
  deps: Deps,
  tenant: TenantRef & TenantStanding,
  { externalId, delivery }: SubscriptionInput,
): Promise<AppError> {
  if (externalId && (await findByExternalId(deps, tenant, externalId))) return externalIdTaken();
  if (filterAfter(delivery) && (await countFiltered(deps, tenant)) >= MAX_FILTERED) return tooManyFiltered();
  return tooManySubscriptions(deps, tenant);
}

const tooManyFiltered = () =>
  new AppError("CONFLICT", { message: `A tenant can have at most ${MAX_FILTERED} subscriptions with a filter.` });

const externalIdTaken = () => new AppError("CONFLICT", { message: "Another subscription has this externalId." });

type Change = { [K in keyof SubscriptionInput]?: SubscriptionInput[K] | undefined } & {
  /** Whether the held deliveries of a subscription that is enabled are sent (the default) or dropped. */
  held?: "send" | "drop" | undefined;
};

/**
 * Changes the given fields, and the given members of `delivery`. Returns the whole subscription. Throws NOT_FOUND,
 * FORBIDDEN and VALIDATION_FAILED like `createSubscription`, VALIDATION_FAILED also for a URL of another origin if its
 * headers are not given again, and CONFLICT when somebody else changes URL or headers at the same time.
 */
export async function changeSubscription(
  deps: Deps,
  tenant: Changer,
  id: string,
  change: Change,
): Promise<SubscriptionRow> {
  await refuseReader(deps, tenant, id, change);
  const { url, delivery } = change;
  if (url !== undefined) checkTarget(deps, url);
  checkOptions(deps, delivery);
  const columns = { ...(await columnsFor(deps, id, change)), setUpBy: userOf(tenant) };
  if (changesRules(tenant, change)) await raiseForFilters(deps, tenant);
  if (delivery !== null && delivery?.headers === undefined && !delivery?.signatureProfile) {
    // Most subscriptions have neither headers nor a signature profile. For them, nothing needs to be read first.
    const updated = await updateSubscription(deps, tenant, id, columns, deps.now(), conditionOf(change));
    if (updated === undefined) throw notFound("Webhook");
    if (updated !== "changed meanwhile") return afterUpdate(deps, tenant, updated);
  }
  const before = orNotFound(await findSubscription(deps, tenant, id), "Webhook");
  await checkFilterAfter(deps, tenant, before, change);
  const headersSealed = await headersFor(deps, before, change);
  const sealed = headersSealed === undefined ? {} : { headersSealed };
  const { externalId, events } = change;
  const asked = conditionOf({ externalId, events, delivery: delivery && { filter: delivery.filter } });
  const condition = { ...asked, expected: before };
  const updated = await updateSubscription(deps, tenant, id, { ...columns, ...sealed }, deps.now(), condition);
  if (updated === "changed meanwhile") {
    const holder = change.externalId && (await findByExternalId(deps, tenant, change.externalId));
    if (holder && holder.id !== id) throw externalIdTaken();
    throw changedMeanwhile("subscription");
  }
  if (!updated) throw notFound("Webhook");
  return afterUpdate(deps, tenant, updated);
}

/** What must hold of the subscription so that a change without headers and without a profile can be written unread. */
const conditionOf = ({ externalId, url, secret, events, delivery }: Change): ChangeCondition => ({
  ...filterConditionOf(filterAfter(delivery), events),
  ...(externalId ? { hasFree: externalId } : {}),
  ...(url === undefined ? {} : { withoutHeadersOr: url }),
  ...(secret === undefined || isBase64Key(secret) ? {} : { takesAnySecret: true }),
});

/** What must hold of the subscription so that its filter and its event types fit each other after a change. */
const filterConditionOf = (filter: FilterObject | null | undefined, events: string[] | undefined): ChangeCondition => ({
  ...(filter ? { hasRoomForFilter: true } : {}),
  ...(filter && events === undefined ? { withoutOperational: true } : {}),
  ...(filter === undefined && events?.some(isOperational) ? { withoutFilter: true } : {}),
});

/** Whether a change can change what publishing obeys. */
const changesRules = ({ rulesRevision = null }: Changer, { events, delivery }: Change): boolean => {
  const filter = filterAfter(delivery);
  return Boolean(filter) || (rulesRevision !== null && (filter === null || events !== undefined));
};

/** Throws VALIDATION_FAILED for a filter beside operational events, and CONFLICT for one too many. */
async function checkFilterAfter(deps: Deps, tenant: TenantRef, before: SubscriptionRow, change: Change): Promise<void> {
  const filter = filterAfter(change.delivery);
  const stored = before.options?.filter ?? null;
  const after = filter === undefined ? stored : filter;
  checkFilter(after, change.events ?? before.events, filter === undefined ? "events" : "delivery.filter");
  if (filter && stored === null && (await countFiltered(deps, tenant)) >= MAX_FILTERED) throw tooManyFiltered();
}

const isOperational = (type: string): boolean => type.startsWith(OPERATIONAL_PREFIX);

/** Operational events are sent without a look at filters. */
function checkFilter(filter: FilterObject | null | undefined, events: readonly string[], path: string): void {
  if (!filter || !events.some(isOperational)) return;
  const message = "A subscription with a filter must not list operational events (postern.…)";
  throw invalidField(path, message);
}

/**
 * Returns the column of the headers after a change; undefined when it stays as it is. Throws VALIDATION_FAILED for
 * headers, a profile and a secret that do not fit each other.
 */
async function headersFor(deps: Deps, before: SubscriptionRow, change: Change): Promise<string | null | undefined> {
  const { url, delivery } = change;
  const headers = await openHeaders(deps, before);
  const after = headersAfter(headers, before, url, delivery === null ? null : delivery?.headers);
  const profile = delivery === null ? null : profileAfter(before, delivery);
  const secret = change.secret ?? (needsBase64Secret(profile) ? await openSecret(deps, before) : undefined);
  checkCombination({ profile, headers: after, secret }, change);
  return isSame(headers, after) ? undefined : sealHeaders(deps, before.id, after);
}

const profileAfter = ({ options }: SubscriptionRow, delivery: DeliveryChange | undefined) =>
  delivery?.signatureProfile === undefined ? options?.signatureProfile : delivery.signatureProfile;

const openSecret = ({ keys }: Deps, { id, secretSealed }: SubscriptionRow) =>
  decrypt(keys, secretOwner(id), secretSealed);

/** Tells the owners where the audit log of their tenant goes, if it goes there. */
function tellOfReader(deps: Deps, { tenantId, actor }: ActingIn, { name, url, events }: SubscriptionRow): void {
  if (!receivesAudit(events)) return;
  const host = URL.parse(url)?.host ?? "";
  tellOwners(deps, tenantId, { what: "auditReader", by: actor.name ?? "Somebody", subscription: name, host });
}

function afterUpdate(deps: Deps, tenant: ActingIn, { row, limitsChanged, isRedirected }: Updated): SubscriptionRow {
  // The statements leave listeners as they are.
  if (row.isListener) throw listenerUnchanged();
  if (isRedirected) tellOfReader(deps, tenant, row);
  if (limitsChanged) deps.background("reschedule waiting deliveries", rescheduleWaiting(deps, tenant, row.id));
  return row;
}

/** Returns what a change writes, except the headers. */
async function columnsFor(deps: Deps, id: string, { secret, delivery, ...fields }: Change) {
  const options = delivery === undefined ? undefined : optionsPatch(delivery);
  const filter = filterAfter(delivery);
  const publicKey = await publicKeyFor(deps, id, delivery);
  const encrypted = secret === undefined ? {} : await encryptSecret(deps, id, secret);
  const given = Object.entries({ ...fields, options, filter, publicKey }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...encrypted };
}

/** Returns the columns of a subscription that store its secret: the ciphertext and the digest. */
export async function encryptSecret(deps: Deps, id: string, secret: string) {
  const owner = secretOwner(id);
  return {
    secretSealed: await encrypt(deps.keys, owner, secret),
    secretDigest: await digest(deps.keys, owner, secret),
  };
}

/** Returns a new Ed25519 key if the change asks for one. The store ignores it if the subscription already has one. */
async function publicKeyFor(deps: Deps, subscriptionId: string, change: DeliveryChange | null | undefined) {
  if (change?.signature !== "v1+v1a") return undefined;
  const { privateKey, publicKey } = await newKeyPair();
  const id = newId();
  return { id, sealed: await encrypt(deps.keys, signingKeyOwner(subscriptionId, id), privateKey), publicKey };
}

function checkTarget(deps: Deps, url: string): void {
  const refusal = refuseTarget(url, deps.config.webhookEgress, deps.ownHosts);
  if (refusal) throw invalidField("url", refusal);
}

function checkCombination(combination: Parameters<typeof refuseCombination>[0], { delivery }: Change): void {
  const changed = { profile: Boolean(delivery?.signatureProfile), headers: delivery?.headers !== undefined };
  refuseInvalid(refuseCombination(combination, changed));
}

function checkOptions(deps: Deps, change: DeliveryChange | null | undefined): void {
  if (change) refuseInvalid(refuseOptions(change, deps.config.retentionDays));
}
