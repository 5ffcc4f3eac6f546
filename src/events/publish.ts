/** How events get in. They are rows before they are acknowledged; the queue only carries their keys. */
import { sha256Hex, utf8 } from "../crypto/encoding";
import { violatesUnique } from "../db/client";
import { newIdAt } from "../db/ids";
import { enqueueDue } from "../delivery/enqueue";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { isOnTrial, reserve } from "../ratelimit/reserve";
import type { TenantRef, TenantStanding } from "../tenants/principal";
import { type AcceptedEvent, acceptEvents, type NewEvent } from "./accept-store";
import { expectedDeliveries, noteDeliveries } from "./expected-deliveries";
import { enqueueFanOut } from "./fan-out";
import type { Published } from "./publication";

/** The random part of a delivery id may be taken already: then the event gets another id. */
const ID_TRIES = 3;

/** An event to publish; `payload` is the exact body that subscribers get. */
export interface EventInput {
  type: string;
  payload: string;
  correlationId: string | null;
  idempotencyKey: string | null;
}

/** Who publishes. */
export type Publisher = TenantRef & TenantStanding;

/**
 * Publishes events, all of them or none, each to every enabled subscription of the tenant that wants its type. Safe to repeat while D1
 * fails. `countedEvents` is how many of them the route's own limit has counted. Throws CONFLICT when an Idempotency-Key was used for
 * something else within 24 hours, RATE_LIMITED when a budget of the tenant is used up, EMAIL_NOT_VERIFIED for a tenant on trial.
 */
export async function publishEvents(
  deps: Deps,
  tenant: Publisher,
  inputs: readonly EventInput[],
  countedEvents: number,
): Promise<Published[]> {
  const hashes = await Promise.all(inputs.map(hashOf));
  const sizes = inputs.map(({ payload }) => utf8(payload).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const budget = await reserve(deps, tenant, { events: inputs.length - countedEvents, bytes });
  try {
    const accepted = await acceptWithin(deps, tenant, (nowMs) => {
      // Random and not counted up: the first half of an event's id must differ from those of others of the same millisecond.
      const ids = inputs.map(() => newIdAt(nowMs)).sort();
      return inputs.map((input, position) => ({
        ...input,
        id: ids[position] ?? newIdAt(nowMs),
        bytes: sizes[position] ?? 0,
        requestHash: hashes[position] ?? null,
      }));
    });
    return accepted;
  } catch (error) {
    if (error instanceof AppError) await budget.giveBack({ events: inputs.length - countedEvents, bytes });
    throw error;
  }
}

/**
 * Reserves as many deliveries as the last publish of these types made, and accepts. When the events want more, nothing is written, the
 * rest is reserved, and they are accepted then. So an event that would pass the budget is refused whole, and a publish seldom takes a
 * second round trip.
 */
async function acceptWithin(
  deps: Deps,
  tenant: Publisher,
  makeEvents: (nowMs: number) => NewEvent[],
): Promise<Published[]> {
  const db = deps.shards.db(tenant.shard);
  let events = makeEvents(deps.now());
  let allowed = 0;
  const giveBacks: ((unused: number) => Promise<void>)[] = [];
  const reserveMore = async (deliveries: number) => {
    if (deliveries <= 0) return;
    const { giveBack } = await reserve(deps, tenant, { deliveries });
    giveBacks.push((unused) => giveBack({ deliveries: Math.min(unused, deliveries) }));
    allowed += deliveries;
  };
  const expected = expectedDeliveries(
    tenant.tenantId,
    events,
    isOnTrial(deps, tenant) ? deps.config.caps.trialSubscriptions : undefined,
  );
  // A guess that the budget refuses says nothing: then the exact number decides.
  await reserveMore(expected).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
  for (let tries = 1; ; tries += 1) {
    const nowMs = deps.now();
    try {
      const { accepted, due, wantedDeliveries } = await acceptEvents(db, tenant.tenantId, events, allowed, nowMs);
      if (accepted.some(({ id }) => id === null) && wantedDeliveries > allowed) {
        await reserveMore(wantedDeliveries - allowed);
        continue;
      }
      const published = accepted.map((event, position) =>
        checkedEvent(event, events[position], position, events.length),
      );
      const made = published.reduce(
        (sum, { id, deliveries }, position) => sum + (id === events[position]?.id ? deliveries : 0),
        0,
      );
      noteDeliveries(tenant.tenantId, published);
      deps.background("give back", Promise.all(giveBacks.slice(0, 1).map((giveBack) => giveBack(allowed - made))));
      sendMessages(deps, tenant.shard, accepted, due);
      return published;
    } catch (error) {
      if (tries >= ID_TRIES || !violatesUnique(error, "outbox.id")) {
        await giveBacks[0]?.(allowed);
        throw error;
      }
      events = makeEvents(nowMs);
    }
  }
}

function checkedEvent(
  { id, type, deliveries, requestHash }: AcceptedEvent,
  event: NewEvent | undefined,
  position: number,
  count: number,
): Published {
  if (requestHash !== (event?.requestHash ?? null)) {
    const which = count === 1 ? "This Idempotency-Key" : `The idempotencyKey of events.${position}`;
    throw new AppError("CONFLICT", { message: `${which} was used with another body.` });
  }
  if (id === null) throw new Error("event was not stored");
  return { id, type, deliveries };
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

const hashOf = ({ idempotencyKey, type, payload, correlationId }: EventInput) =>
  idempotencyKey === null ? null : sha256Hex(JSON.stringify([type, payload, correlationId]));
