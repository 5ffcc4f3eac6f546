/** Accepting events within the budget of deliveries of their tenant. */

import { isOnTrial, type Reservation, reserve } from "../../base/budgets/reserve";
import { violates } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { TenantStanding } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { enqueueDue } from "../plane/enqueue";
import { enqueueFanOut } from "../plane/fan-out";
import { MOST_AT_ONCE } from "../plane/fan-out-store";
import { wakePolls } from "../plane/wake-polls";
import type { AcceptedEvent } from "./accept-statements-store";
import { acceptEvents, type NewEvent, type RulesState } from "./accept-store";
import { expectedDeliveries, hadAtMost, noteDeliveries } from "./expected-deliveries";
import type { Published } from "./publication";
import { publishedOf, refuseConflict } from "./repeats";

/**
 * How often events are tried, because a delivery id that is made from an event's id may already be taken, and because
 * subscriptions can change between the round trip that writes nothing and the one that asks why.
 */
const MAX_TRIES = 3;

/** Thrown when the rules have changed since they were read; nothing was written. */
export class StaleRules extends Error {}

/** The tenant that publishes, and what it may do. */
export type Publisher = TenantRef & TenantStanding;

/**
 * Reserves as many deliveries of the budget as the last events of these types had, and accepts the events. If they need
 * more, nothing is written, the missing deliveries are reserved, and the events are accepted in further round trips,
 * which is rare. An event that exceeds the budget is never delivered in part.
 */
export async function acceptWithin(
  deps: Deps,
  tenant: Publisher,
  makeEvents: (nowMs: number) => NewEvent[],
  rules: RulesState | null,
): Promise<(Published & { isRepeat: boolean })[]> {
  const db = deps.shards.db(tenant.shard);
  // Deliveries are due at the time of their events' ids, so that two with the same id have the same key in the outbox.
  let nowMs = deps.now();
  let events = makeEvents(nowMs);
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
  const mostOnTrial = isOnTrial(deps, tenant) ? deps.config.caps.trialSubscriptions : undefined;
  const expected = expectedDeliveries(tenant.tenantId, events, mostOnTrial);
  // If the budget refuses the estimate, the exact number may still fit, so it decides below.
  await reserveMore(expected).catch(unlessRefused);
  let isExpected = hadAtMost(tenant.tenantId, events, Math.min(allowed, MOST_AT_ONCE));
  for (let tries = 1; ; tries += 1) {
    try {
      const { accepted, due, wantedDeliveries, isStale } = await acceptEvents(
        ...([db, tenant, events, allowed, nowMs, rules, isExpected] as const),
      );
      isExpected = false;
      refuseConflict(accepted, events);
      const published = accepted.flatMap(publishedOf);
      if (published.length < events.length) {
        if (isStale) throw new StaleRules("the rules have changed");
        if (wantedDeliveries <= allowed && tries >= MAX_TRIES) throw new Error("events were not stored");
        await reserveMore(wantedDeliveries - allowed);
        continue;
      }
      const marked = published.map((event, position) => ({ ...event, isRepeat: event.id !== events[position]?.id }));
      const made = marked.reduce((sum, { isRepeat, deliveries }) => sum + (isRepeat ? 0 : deliveries), 0);
      events.forEach((event, at) => void noteDeliveries(tenant.tenantId, event, published[at]?.deliveries ?? 0));
      deps.background("give back", giveBack(allowed - made));
      sendMessages(deps, tenant, accepted, due);
      if (tenant.hasFeeds) deps.background("wake polls", wakePolls(deps, tenant.tenantId));
      return marked;
    } catch (error) {
      if (tries >= MAX_TRIES || !violates(error, "UNIQUE", "outbox.id")) {
        await giveBack(allowed);
        throw error;
      }
      nowMs = deps.now();
      events = makeEvents(nowMs);
    }
  }
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

function sendMessages(
  deps: Deps,
  { tenantId, shard }: Pick<Publisher, "tenantId" | "shard">,
  accepted: readonly AcceptedEvent[],
  due: Parameters<typeof enqueueDue>[2],
): void {
  const wide = accepted.flatMap(({ id: eventId, fanOutAfter }) =>
    eventId === null || fanOutAfter === null ? [] : [{ eventId, fanOutAfter, tenantId }],
  );
  deps.background("enqueue deliveries", enqueueDue(deps, shard, due));
  deps.background("enqueue fan-out", enqueueFanOut(deps, shard, wide));
}
