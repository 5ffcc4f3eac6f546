/**
 * Publishing events. Events and their deliveries are rows in D1 before the call returns; the queue only carries keys.
 */

import { reserve } from "../../base/budgets/reserve";
import { refuseWhenFull } from "../../base/budgets/storage";
import { sha256Hex, utf8 } from "../../base/crypto/encoding";
import { newIdAt, newIdsAt } from "../../base/db/ids";
import { StaleCaller } from "../../base/db/recheck";
import { toStored } from "../../base/db/stored-text";
import type { Deps } from "../../base/deps";
import { AppError, refuseInvalid, unavailable } from "../../base/errors";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { type CheckedEvents, checkEvents, countWarned } from "../event-types/rules";
import { forgetRules } from "../event-types/rules-cache";
import { acceptWithin, type Publisher, StaleRules } from "./accept";
import type { Published } from "./publication";
import { publishedIn } from "./repeats";

/** How often the rules are read again because they have changed meanwhile. */
const MAX_TRIES = 3;
const MAX_REFUSALS = 10;

export interface EventInput {
  type: string;
  /** The exact body that subscribers receive. */
  payload: string;
  correlationId: string | null;
  idempotencyKey: string | null;
  /** Numbers the event among those with the same key; without one it has no number. */
  orderKey?: string | null;
  /** How many of our own sources it has come through. */
  hops?: number;
  /** What a repeat with the same key must equal; by default a hash of the event. */
  requestHash?: string;
  /** The version of its type's schema that it must fit; by default the newest one. */
  schemaVersion?: number | null;
  /** What the paths of errors begin with: "events.3." in a batch. */
  path?: string;
}

/** What was published. */
export type PublishedOrRepeat = Published & {
  /** By an earlier call with the same Idempotency-Key. */
  isRepeat: boolean;
  /** Since when its type is deprecated, Unix ms. */
  deprecatedSince?: number;
};

/**
 * Publishes all of the events or none, each to every enabled subscription of the tenant that receives its type.
 * `countedEvents` is how many of them the route's own limit has already counted. Throws CONFLICT when an
 * Idempotency-Key was used with another event within 24 hours, VALIDATION_FAILED when the tenant's rules refuse an
 * event, RATE_LIMITED when a budget of the tenant is used up or it stores too much, EMAIL_NOT_VERIFIED when a trial
 * tenant has used up its events, bytes or deliveries of the day, FORBIDDEN in the tenant of the platform, and
 * SERVICE_UNAVAILABLE when its database is full.
 * Throws StaleCaller for a remembered caller who must be read.
 */
export async function publishEvents(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  countedEvents: number,
): Promise<Published[]> {
  const published = await publishOrFind(deps, tenant, inputs, countedEvents);
  return published.map(shown);
}

/** What the publisher is shown. */
export const shown = ({ isRepeat: _, deprecatedSince: __, ...event }: PublishedOrRepeat): Published => event;

/** Publishes as `publishEvents` does, and says which of the events were published before. */
export async function publishOrFind(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  countedEvents: number,
): Promise<PublishedOrRepeat[]> {
  // Products act on platform events, such as a deleted user: only the service itself may say that they happened.
  if (tenant.tenantId === PLATFORM_TENANT)
    throw new AppError("FORBIDDEN", { message: "Only the service publishes here." });
  refuseWhenFull(deps, tenant);
  const hashes = await Promise.all(inputs.map(hashOf));
  for (let tries = 1; ; tries += 1) {
    try {
      return await publishOnce(deps, tenant, inputs, hashes, countedEvents);
    } catch (error) {
      if (!(error instanceof StaleRules)) throw error;
      forgetRules(tenant.tenantId);
      if (tries >= MAX_TRIES) throw unavailable({ cause: error });
    }
  }
}

/** Publishes the events that were not published before, if the rules allow them. Throws StaleRules. */
async function publishOnce(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  hashes: readonly (string | null)[],
  countedEvents: number,
): Promise<PublishedOrRepeat[]> {
  const { tenantId, shard, formerShard } = tenant;
  // Nothing is published in the former database any more, so what it answers stays true.
  const before =
    typeof formerShard === "number" ? await publishedIn(deps, tenantId, formerShard, inputs, hashes) : NONE;
  if (before.size > 0) return publishOthers(deps, notMoved(tenant), inputs, before, countedEvents);
  const checked = await checkEvents(deps, tenant, inputs);
  const refused = (checked?.results ?? []).flatMap(({ refusals }, position) => (refusals.length > 0 ? [position] : []));
  if (refused.length > 0) {
    if (tenant.recheck) throw new StaleCaller("only what is read refuses");
    // A repeat is answered as it was first, whatever the rules are now.
    const repeated = await publishedIn(deps, tenantId, shard, inputs, hashes);
    const details = refusalsOf(
      inputs,
      checked,
      refused.filter((position) => !repeated.has(position)),
    );
    refuseInvalid(details);
    return publishOthers(deps, tenant, inputs, repeated, countedEvents);
  }
  const published = await publishNew(deps, tenant, inputs, hashes, countedEvents, checked);
  return checked === null ? published : withWarnings(deps, tenant, published, checked);
}

/** What is wrong with the events at these positions. */
const refusalsOf = (inputs: readonly EventInput[], checked: CheckedEvents | null, positions: readonly number[]) =>
  positions
    .flatMap((position) =>
      (checked?.results[position]?.refusals ?? []).map(({ path, message }) => ({
        path: `${inputs[position]?.path ?? ""}${path}`,
        message,
      })),
    )
    .slice(0, MAX_REFUSALS);

/** Publishes the events that are not among those that were published before, and returns both in order. */
async function publishOthers(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  before: ReadonlyMap<number, Published>,
  countedEvents: number,
): Promise<PublishedOrRepeat[]> {
  const others = inputs.filter((_, position) => !before.has(position));
  const published =
    others.length === 0 ? [] : await publishOrFind(deps, tenant, others, Math.min(countedEvents, others.length));
  return inputs
    .map((_, position) => {
      const repeated = before.get(position);
      return repeated ? { ...repeated, isRepeat: true } : published.shift();
    })
    .filter((one) => one !== undefined);
}

/** Adds what the rules warn of to the events that are new. */
function withWarnings(
  deps: Deps,
  tenant: Publisher,
  published: readonly PublishedOrRepeat[],
  { results }: CheckedEvents,
): PublishedOrRepeat[] {
  const told = published.map((event, position): PublishedOrRepeat => {
    const { warnings = [], deprecatedSince = null } = results[position] ?? {};
    if (event.isRepeat || warnings.length === 0) return event;
    return { ...event, warnings, ...(deprecatedSince === null ? {} : { deprecatedSince }) };
  });
  const warned = told.filter(({ warnings = [] }) => warnings.some(({ path }) => path !== "type"));
  countWarned(
    deps,
    tenant,
    warned.map(({ type }) => type),
  );
  return told;
}

/** Reserves budgets for the events and accepts them. Gives back what it does not use. Throws StaleRules. */
async function publishNew(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  hashes: readonly (string | null)[],
  countedEvents: number,
  checked: CheckedEvents | null,
): Promise<PublishedOrRepeat[]> {
  const sizes = inputs.map(({ payload }) => utf8(payload).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const amounts = {
    published: inputs.length,
    events: inputs.length - countedEvents,
    bytes,
    deliveries: deliveriesFor(checked),
  };
  const budget = await reserve(deps, tenant, amounts);
  const compresses = deps.now() >= (tenant.compressesFrom ?? Infinity);
  const payloads = await Promise.all(
    inputs.map(({ payload }) => (compresses ? toStored(payload) : { short: payload })),
  );
  const makeEvents = (nowMs: number) => {
    const ids = newIdsAt(nowMs, inputs.length);
    return inputs.map((input, position) => ({
      ...input,
      id: ids[position] ?? newIdAt(nowMs),
      payload: payloads[position] ?? { short: input.payload },
      bytes: sizes[position] ?? 0,
      requestHash: hashes[position] ?? null,
      ...(checked === null ? {} : { fitting: checked.results[position]?.fitting ?? null }),
    }));
  };
  try {
    return await acceptWithin(deps, tenant, makeEvents, checked);
  } catch (error) {
    const isNothingWritten = error instanceof AppError || error instanceof StaleRules || error instanceof StaleCaller;
    if (isNothingWritten) await budget.giveBack(amounts);
    throw error;
  }
}

/** What filters keep back is no delivery, but so many of them count as one: each was evaluated. */
const FILTERED_PER_DELIVERY = 10;

const deliveriesFor = (checked: CheckedEvents | null): number => {
  const filtered = checked?.results.reduce((sum, { fitting }) => sum + (fitting?.excluded.length ?? 0), 0) ?? 0;
  return Math.floor(filtered / FILTERED_PER_DELIVERY);
};

const NONE: ReadonlyMap<number, Published> = new Map();
const notMoved = (tenant: Publisher): Publisher => ({ ...tenant, formerShard: null });

/** The hash of an event without an `orderKey` is what it was before there were any. */
const hashOf = ({ idempotencyKey, requestHash, type, payload, correlationId, orderKey = null }: EventInput) =>
  idempotencyKey === null
    ? null
    : (requestHash ??
      sha256Hex(JSON.stringify([type, payload, correlationId, ...(orderKey === null ? [] : [orderKey])])));
