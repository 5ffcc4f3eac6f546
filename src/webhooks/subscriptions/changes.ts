/** Creating and changing a subscription: both check it, and encrypt what is secret. */
import { isOnTrial } from "../../base/budgets/reserve";
import { newKeyPair } from "../../base/crypto/ed25519";
import { digest, encrypt } from "../../base/crypto/encryption";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import {
  AppError,
  changedMeanwhile,
  type ErrorDetail,
  emailNotVerified,
  notFound,
  orNotFound,
} from "../../base/errors";
import { capReached, KEPT_PER_USED, keptReached } from "../../base/limits/caps";
import type { ActingIn } from "../../base/schemas/actor";
import type { Principal, TenantStanding } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { feedLanes } from "../delivery/lanes/feed";
import { rescheduleWaiting } from "../delivery/throttling/defer";
import { sealHeaders } from "../options/headers";
import { secretOwner, signingKeyOwner } from "../signing/keys";
import { type Permitted, receivesAudit, refuseNewReader, refuseNewReceiver } from "./audit-readers";
import { type ChangedFields, changesLimits, type Held, updateSubscription } from "./change-store";
import { changesRules, countFiltered, MAX_FILTERED, raiseForFilters } from "./filter-store";
import { listenerUnchanged } from "./listener-unchanged";
import {
  checkAsked,
  checkState,
  differing,
  newState,
  type SubscriptionChange,
  type SubscriptionInput,
  type SubscriptionState,
  stateAfter,
  stateOf,
} from "./state";
import { countKept, findByExternalId, findSubscription, insertSubscription, type SubscriptionRow } from "./store";
import { type Ruled, warnOfUnknown } from "./unknown-types";

/** Somebody who creates or changes subscriptions. */
export type Changer = ActingIn & Permitted & Ruled & Pick<Principal, "userId">;

/** A subscription as it is saved, and what may be a mistake in it. A new one has its secret in plaintext. */
export type AdvisedRow = SubscriptionRow & { warnings: ErrorDetail[]; secret?: string };

/**
 * Creates a subscription and returns it. Throws FORBIDDEN for the audit log without audit.read, VALIDATION_FAILED for a
 * URL that may not be called, an event type that cannot be published or an option that this deployment does not allow,
 * and at the cap CONFLICT, or EMAIL_NOT_VERIFIED for a tenant without a verified owner.
 */
export async function createSubscription(
  deps: Deps,
  tenant: Changer & TenantStanding,
  input: SubscriptionInput,
): Promise<AdvisedRow> {
  const state = checkSubscription(deps, tenant, input);
  const warnings = await warnOfUnknown(deps, tenant, input.events);
  const id = newId();
  const { secret, headers, ...plain } = state;
  const sealed = {
    ...(await encryptSecret(deps, id, secret)),
    publicKey: await publicKeyFor(deps, id, state),
    headersSealed: await sealHeaders(deps, id, headers),
  };
  const subscription = { id, ...plain, ...sealed, setUpBy: userOf(tenant), onTrial: isOnTrial(deps, tenant) };
  if (state.filter) await raiseForFilters(deps, tenant);
  const row = await insertSubscription(deps, tenant, subscription, mostSubscriptions(deps, tenant), deps.now());
  if (!row) throw (await whyNoRoom(deps, tenant, id, state)) ?? (await whyFull(deps, tenant));
  tellOfReader(deps, tenant, row);
  return { ...row, warnings, secret };
}

/** The user behind a caller; null: a key that belongs to no user. */
const userOf = ({ userId }: Changer): string | null => userId || null;

/** What a subscription would be, whether it is created or only tried. Throws as `createSubscription` does. */
export function checkSubscription(deps: Deps, tenant: Permitted, input: SubscriptionInput): SubscriptionState {
  refuseNewReader(tenant, input.events);
  checkAsked(deps, input);
  const state = newState(input);
  checkState(state, input);
  return state;
}

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

/** The error for a tenant that has as many subscriptions as it may have, or too many with those that it has deleted. */
async function whyFull(deps: Deps, tenant: TenantRef & TenantStanding): Promise<AppError> {
  return (await keptTooMany(deps, tenant)) ?? tooManySubscriptions(deps, tenant);
}

/** The error for a tenant of which too many subscriptions are stored with the deleted ones; undefined for others. */
export async function keptTooMany(deps: Deps, tenant: TenantRef & TenantStanding): Promise<AppError | undefined> {
  const most = mostSubscriptions(deps, tenant);
  const kept = await countKept(deps, tenant);
  return kept < most * KEPT_PER_USED ? undefined : keptReached("tenant", most, "subscriptions and listeners");
}

/** Why the tenant has no room for the external id or the filter of a subscription; undefined if it has. */
async function whyNoRoom(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  { externalId, filter }: Pick<ChangedFields, "externalId" | "filter">,
): Promise<AppError | undefined> {
  const holder = externalId ? await findByExternalId(deps, tenant, externalId) : undefined;
  if (holder && holder.id !== id)
    return new AppError("CONFLICT", { message: "Another subscription has this externalId." });
  if (!filter || (await countFiltered(deps, tenant)) < MAX_FILTERED) return undefined;
  return new AppError("CONFLICT", {
    message: `A tenant can have at most ${MAX_FILTERED} subscriptions with a filter.`,
  });
}

/** How often a change is decided again because somebody else has changed the subscription meanwhile. */
const MAX_TRIES = 10;

/**
 * Changes the given fields, and the given members of `delivery`. Returns the whole subscription. Throws NOT_FOUND,
 * FORBIDDEN and VALIDATION_FAILED like `createSubscription`, VALIDATION_FAILED also for a URL of another origin if its
 * headers are not given again, and CONFLICT when others keep changing the subscription at the same time.
 */
export async function changeSubscription(
  deps: Deps,
  tenant: Changer,
  id: string,
  { held, ...change }: SubscriptionChange & { held?: Held | undefined },
): Promise<AdvisedRow> {
  checkAsked(deps, change);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = orNotFound(await findSubscription(deps, tenant, id), "Webhook");
    if (before.isListener) throw listenerUnchanged();
    const changed = await decide(deps, tenant, before, change);
    if (Object.keys(changed).length === 0) return { ...before, warnings: [] };
    const warnings = await warnOfUnknown(deps, tenant, changed.events ?? [], before.events);
    if (changesRules(before, changed)) await raiseForFilters(deps, tenant);
    const row = await updateSubscription(deps, tenant, { before, changed, held }, deps.now());
    if (row) return { ...afterUpdate(deps, tenant, before, changed, row), warnings };
    const refusal = await whyNoRoom(deps, tenant, id, before.options?.filter ? { ...changed, filter: null } : changed);
    if (refusal) throw refusal;
  }
  throw changedMeanwhile("subscription");
}

/** Decides about a change, and returns what is stored of the fields that differ. */
async function decide(
  deps: Deps,
  tenant: Changer,
  before: SubscriptionRow,
  change: SubscriptionChange,
): Promise<ChangedFields> {
  refuseNewReceiver(tenant, before, change);
  const stored = await stateOf(deps, before);
  const after = stateAfter(stored, change);
  checkState(after, change);
  return changedFields(deps, tenant, before.id, stored, after);
}

/**
 * Pauses a subscription, if the tenant has it, for somebody who undoes what was not them. Whoever keeps changing it
 * cannot prevent that.
 */
export async function pauseSubscription(deps: Deps, tenant: ActingIn, id: string): Promise<void> {
  const before = await findSubscription(deps, tenant, id);
  if (!before) return;
  await updateSubscription(deps, tenant, { before, changed: { enabled: false }, isForced: true }, deps.now());
}

function afterUpdate(
  deps: Deps,
  tenant: ActingIn,
  before: SubscriptionRow,
  changed: ChangedFields,
  row: SubscriptionRow,
): SubscriptionRow {
  if (changed.url !== undefined || changed.events !== undefined) tellOfReader(deps, tenant, row);
  if (changesLimits(before, changed)) {
    deps.background("reschedule waiting deliveries", rescheduleWaiting(deps, tenant, row.id));
  }
  // What it holds does not wait for the sweep.
  if (changed.enabled) {
    const lane = { tenantId: tenant.tenantId, subscriptionId: row.id };
    deps.background("feed lane", feedLanes(deps, tenant.shard, [lane]));
  }
  return row;
}

/** Returns what is stored of the fields that differ. */
async function changedFields(
  deps: Deps,
  tenant: Changer,
  id: string,
  before: SubscriptionState,
  after: SubscriptionState,
): Promise<ChangedFields> {
  const names = differing(before, after);
  const plain = ["externalId", "name", "url", "events", "enabled", "options", "filter"] as const;
  const signsAnew = names.has("options") && before.options?.signature !== after.options?.signature;
  return {
    ...Object.fromEntries(plain.filter((name) => names.has(name)).map((name) => [name, after[name]])),
    ...(names.has("url") ? { setUpBy: userOf(tenant) } : {}),
    ...(names.has("secret") ? await encryptSecret(deps, id, after.secret) : {}),
    ...(names.has("headers") ? { headersSealed: await sealHeaders(deps, id, after.headers) } : {}),
    ...(signsAnew ? { publicKey: await publicKeyFor(deps, id, after) } : {}),
  };
}

/** Tells the owners where the audit log of their tenant goes, if it goes there. */
function tellOfReader(deps: Deps, { tenantId, actor }: ActingIn, { name, url, events }: SubscriptionRow): void {
  if (!receivesAudit(events)) return;
  const host = URL.parse(url)?.host ?? "";
  tellOwners(deps, tenantId, { what: "auditReader", by: actor.name ?? "Somebody", subscription: name, host });
}

/** Returns the columns of a subscription that store its secret: the ciphertext and the digest. */
export async function encryptSecret(deps: Deps, id: string, secret: string) {
  const owner = secretOwner(id);
  return {
    secretSealed: await encrypt(deps.keys, owner, secret),
    secretDigest: await digest(deps.keys, owner, secret),
  };
}

/** Returns a new Ed25519 key for options that ask for one. The store ignores it if the subscription already has one. */
async function publicKeyFor(deps: Deps, subscriptionId: string, { options }: SubscriptionState) {
  if (options?.signature !== "v1+v1a") return undefined;
  const { privateKey, publicKey } = await newKeyPair();
  const id = newId();
  return { id, sealed: await encrypt(deps.keys, signingKeyOwner(subscriptionId, id), privateKey), publicKey };
}
