/** Puts claimed deliveries of limited subscriptions back into the outbox until they may start. Uses up no attempt. */
import type { Deps } from "../../platform/deps";
import type { Claimed } from "../delivery/claimed";
import { enqueueLater, type QueueSpeed } from "../delivery/enqueue";
import { releaseDeliveries } from "../delivery/release-store";
import { LONGEST_THROTTLE_MESSAGE_DELAY_MS, THROTTLED_AFTER_MS } from "../delivery/timing";
import { sendOperational } from "../subscriptions/operational";
import type { Answer } from "./demand";
import { markThrottled } from "./throttled-store";

/** A delivery and until when it waits. */
export interface Deferral {
  delivery: Claimed;
  /** Unix ms. */
  untilMs: number;
  /** Null if its throttle could not be reached. */
  waitsFor: Extract<Answer, { kind: "wait" }>["waitsFor"] | null;
}

/**
 * Defers deliveries of one subscription. If its limits have changed since the claim, the delivery is only released, and
 * the sweep finds it. Throws when D1 or the queue is down.
 */
export async function defer(
  deps: Deps,
  speed: QueueSpeed,
  claim: string,
  shard: number,
  deferrals: readonly Deferral[],
): Promise<void> {
  const released = deferrals.map(({ delivery, untilMs, waitsFor }) => ({
    ...delivery,
    wait: { dueAt: untilMs, slotAt: waitsFor && untilMs, limitsText: delivery.limitsText },
  }));
  await releaseDeliveries(deps.shards.db(shard), claim, released);
  const keys = deferrals.map(({ delivery, untilMs }) => ({ ...delivery, dueAt: untilMs }));
  await enqueueLater(deps, speed, shard, keys, LONGEST_THROTTLE_MESSAGE_DELAY_MS);
  await reportThrottled(deps, shard, deferrals);
}

/**
 * Publishes `postern.webhook.throttled` if deliveries wait for starts that are far away, unless earlier far starts have
 * not passed yet. Waits for permits do not count, because permits become free sooner.
 */
async function reportThrottled(deps: Deps, shard: number, deferrals: readonly Deferral[]): Promise<void> {
  const nowMs = deps.now();
  const far = deferrals.filter(({ untilMs, waitsFor }) => waitsFor === "start" && untilMs > nowMs + THROTTLED_AFTER_MS);
  const [first] = far;
  if (!first) return;
  const { subscriptionId, limitsText } = first.delivery;
  const lastStartMs = Math.max(...far.map(({ untilMs }) => untilMs));
  const events = await markThrottled(deps.shards.db(shard), { subscriptionId, limitsText, lastStartMs }, nowMs);
  sendOperational(deps, shard, events);
}
