/**
 * Publishing events. Events and their deliveries are rows in D1 before the call returns; the queue only carries keys.
 */
import { sha256Hex, utf8 } from "../../platform/crypto/encoding";
import { violates } from "../../platform/db/client";
import { newIdAt } from "../../platform/db/ids";
import { toStored } from "../../platform/db/stored-text";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { isOnTrial, type Reservation, reserve } from "../../platform/limits/reserve";
import { refuseWhenFull } from "../../platform/limits/storage";
import type { TenantStanding } from "../../platform/schemas/principal";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { enqueueDue } from "../delivery/enqueue";
import type { AcceptedEvent } from "./accept-statements-store";
import { acceptEvents, findPublished, type NewEvent } from "./accept-store";
import { expectedDeliveries, noteDeliveries } from "./expected-deliveries";
import { enqueueFanOut } from "./fan-out";
import type { Published } from "./publication";

/**
 * How often events are tried, because a delivery id that is made from an event's id may already be taken, and because
 * subscriptions can change between the round trip that writes nothing and the one that asks why.
 */
const MAX_TRIES = 3;

/** An event to publish. */
export interface EventInput {
  type: string;
  /** The exact body that subscribers receive. */
  payload: string;
  correlationId: string | null;
  idempotencyKey: string | null;
  /** Numbers the event among those with the same key; without one it has no number. */
  orderKey?: string | null;
  /** What a repeat with the same key must equal; by default a hash of the event. */
  requestHash?: string;
}

/** What was published. `isRepeat`: by an earlier call with the same Idempotency-Key. */
export type PublishedOrRepeat = Published & { isRepeat: boolean };

/** The tenant that publishes, and what it may do. */
export type Publisher = TenantRef & TenantStanding;

/**
 * Publishes all of the events or none, each to every enabled subscription of the tenant that receives its type.
 * `countedEvents` is how many of them the route's own limit has already counted. Throws CONFLICT when an
 * Idempotency-Key was used with another event within 24 hours, RATE_LIMITED when a budget of the tenant is used up or
 * it stores too much, EMAIL_NOT_VERIFIED when a trial tenant has used up its events, bytes or deliveries of the day,
 * and SERVICE_UNAVAILABLE when its database is full.
 */
export async function publishEvents(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  countedEvents: number,
): Promise<Published[]> {
  const published = await publishOrFind(deps, tenant, inputs, countedEvents);
  return published.map(({ isRepeat: _, ...event }) => event);
}

/** Publishes as `publishEvents` does, and says which of the events were published before. */
export async function publishOrFind(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  countedEvents: number,
): Promise<PublishedOrRepeat[]> {
  refuseWhenFull(deps, tenant);
  const hashes = await Promise.all(inputs.map(hashOf));
  const sizes = inputs.map(({ payload }) => utf8(payload).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const before = await publishedBefore(deps, tenant, inputs, hashes);
  if (before.size > 0) {
    const others = inputs.filter((_, position) => !before.has(position));
    const published =
      others.length === 0
        ? []
        : await publishOrFind(deps, notMoved(tenant), others, Math.min(countedEvents, others.length));
    return inputs
      .map((_, position) => {
        const repeated = before.get(position);
        return repeated ? { ...repeated, isRepeat: true } : published.shift();
      })
      .filter((one) => one !== undefined);
  }
  const amounts = { published: inputs.length, events: inputs.length - countedEvents, bytes };
  const budget = await reserve(deps, tenant, amounts);
  const compresses = deps.now() >= (tenant.compressesFrom ?? Infinity);
  const payloads = await Promise.all(
    inputs.map(({ payload }) => (compresses ? toStored(payload) : { short: payload })),
  );
  try {
    const accepted = await acceptWithin(deps, tenant, (nowMs) => {
      // Random ids, not consecutive ones: delivery ids contain the first half of the event's id, which must be unique
      // in its millisecond.
      const ids = inputs.map(() => newIdAt(nowMs)).sort();
      return inputs.map((input, position) => ({
        ...input,
        id: ids[position] ?? newIdAt(nowMs),
        payload: payloads[position] ?? { short: input.payload },
        bytes: sizes[position] ?? 0,
        requestHash: hashes[position] ?? null,
      }));
    });
    return accepted;
  } catch (error) {
    if (error instanceof AppError) await budget.giveBack(amounts);
    throw error;
  }
}

/**
 * Reserves as many deliveries of the budget as the last events of these types had, and accepts the events. If they need
 * more, nothing is written, the missing deliveries are reserved, and the events are accepted in further round trips,
 * which is rare. An event that exceeds the budget is never delivered in part.
 */
async function acceptWithin(
  deps: Deps,
  tenant: Publisher,
  makeEvents: (nowMs: number) => NewEvent[],
): Promise<PublishedOrRepeat[]> {
  const db = deps.shards.db(tenant.shard);
  let events = makeEvents(deps.now());
  let allowed = 0;
  const reserved: { deliveries: number; reservation: Reservation }[] = [];
  const reserveMore = async (deliveries: number) => {
    if (deliveries <= 0) return;
    reserved.push({ deliveries, reservation: await reserve(deps, tenant, { deliveries }) });
    allowed += deliveries;
  };
  const giveBack = async (unused: number) => {
    for (const { deliveries, reservation } of reserved) {
      const ofThese = Math.min(unused, deliveries);
      if (ofThese > 0) await reservation.giveBack({ deliveries: ofThese });
      unused -= ofThese;
    }
  };
  const expected = expectedDeliveries(
    tenant.tenantId,
    events,
    isOnTrial(deps, tenant) ? deps.config.caps.trialSubscriptions : undefined,
  );
  // If the budget refuses the estimate, the exact number may still fit, so it decides below.
  await reserveMore(expected).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
  for (let tries = 1; ; tries += 1) {
    const nowMs = deps.now();
    try {
      const { accepted, due, wantedDeliveries } = await acceptEvents(db, tenant, events, allowed, nowMs);
      refuseConflict(accepted, events);
      const published = accepted.flatMap(publishedOf);
      if (published.length < events.length) {
        if (wantedDeliveries <= allowed && tries >= MAX_TRIES) throw new Error("events were not stored");
        await reserveMore(wantedDeliveries - allowed);
        continue;
      }
      const marked = published.map((event, position) => ({ ...event, isRepeat: event.id !== events[position]?.id }));
      const made = marked.reduce((sum, { isRepeat, deliveries }) => sum + (isRepeat ? 0 : deliveries), 0);
      noteDeliveries(tenant.tenantId, published);
      deps.background("give back", giveBack(allowed - made));
      sendMessages(deps, tenant.shard, accepted, due);
      return marked;
    } catch (error) {
      if (tries >= MAX_TRIES || !violates(error, "UNIQUE", "outbox.id")) {
        await giveBack(allowed);
        throw error;
      }
      events = makeEvents(nowMs);
    }
  }
}

const notMoved = (tenant: Publisher): Publisher => ({ ...tenant, formerShard: null });

/**
 * Returns what was published with the same Idempotency-Keys before the tenant was moved, by position. Nothing is
 * published in the former database any more, so the answer stays true.
 */
async function publishedBefore(
  deps: Deps,
  { tenantId, formerShard }: Publisher,
  inputs: readonly EventInput[],
  hashes: readonly (string | null)[],
): Promise<Map<number, Published>> {
  if (typeof formerShard !== "number" || hashes.every((hash) => hash === null)) return new Map();
  const nowMs = deps.now();
  const events = inputs.map((input, position) => ({
    ...{ type: input.type, idempotencyKey: input.idempotencyKey, requestHash: hashes[position] ?? null },
    ...{ id: newIdAt(nowMs), bytes: 0 },
  }));
  const found = await findPublished(deps.shards.db(formerShard), tenantId, events, nowMs);
  const accepted = events.map((_, position) => found.get(position));
  refuseConflict(
    accepted.map((event) => event ?? NOT_PUBLISHED),
    events,
  );
  return new Map(
    [...found].flatMap(([position, event]) => publishedOf(event).map((published) => [position, published] as const)),
  );
}

/** What the publisher is told about a stored event; nothing if it was not stored. */
const publishedOf = ({ id, type, deliveries, sequence }: AcceptedEvent): Published[] =>
  id === null ? [] : [{ id, type, deliveries, ...(sequence ? { sequence } : {}) }];

const NOT_PUBLISHED: AcceptedEvent = { id: null, type: "", deliveries: 0, requestHash: null, fanOutAfter: null };

/**
 * Throws CONFLICT if the stored event with an Idempotency-Key is another one. Without a stored event, there is no
 * stored hash.
 */
function refuseConflict(accepted: readonly AcceptedEvent[], events: readonly Pick<NewEvent, "requestHash">[]): void {
  const position = accepted.findIndex(
    ({ requestHash }, index) => requestHash !== null && requestHash !== events[index]?.requestHash,
  );
  if (position === -1) return;
  const which = events.length === 1 ? "This Idempotency-Key" : `The idempotencyKey of events.${position}`;
  throw new AppError("CONFLICT", { message: `${which} was used with another body.` });
}

function sendMessages(
  deps: Deps,
  shard: number,
  accepted: readonly AcceptedEvent[],
  due: Parameters<typeof enqueueDue>[2],
): void {
  const wide = accepted.flatMap(({ id: eventId, fanOutAfter }) =>
    eventId === null || fanOutAfter === null ? [] : [{ eventId, fanOutAfter }],
  );
  deps.background("enqueue deliveries", enqueueDue(deps, shard, due, wide.length > 0 ? "slow" : "fast"));
  deps.background("enqueue fan-out", enqueueFanOut(deps, shard, wide));
}

/** The hash of an event without an `orderKey` is what it was before there were any. */
const hashOf = ({ idempotencyKey, requestHash, type, payload, correlationId, orderKey = null }: EventInput) =>
  idempotencyKey === null
    ? null
    : (requestHash ??
      sha256Hex(JSON.stringify([type, payload, correlationId, ...(orderKey === null ? [] : [orderKey])])));
