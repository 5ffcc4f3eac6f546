/** Reports, as an operational event, that a rate limit makes deliveries wait for a long time. */
import type { Deps } from "../../platform/deps";
import { THROTTLED_AFTER_MS } from "../delivery/timing";
import { sendOperational } from "../subscriptions/operational";
import type { Answer } from "./demand";
import { type LimitedDelivery, markThrottled } from "./line-store";

/**
 * Publishes `postern.webhook.throttled` if the gate of a subscription has given out slots that are far away, unless
 * earlier far slots have not passed yet. Waits for places do not count, because places become free sooner. Throws when
 * D1 is down.
 */
export async function tellIfThrottled(
  deps: Deps,
  shard: number,
  { subscriptionId, limitsText }: LimitedDelivery,
  answers: readonly Answer[],
): Promise<void> {
  const nowMs = deps.now();
  const slots = answers.flatMap((answer) =>
    answer.kind === "wait" && answer.waitsFor === "slot" ? [answer.untilMs] : [],
  );
  const lastSlotMs = Math.max(...slots);
  if (lastSlotMs <= nowMs + THROTTLED_AFTER_MS) return;
  const told = await markThrottled(deps.shards.db(shard), { subscriptionId, limitsText, lastSlotMs }, nowMs);
  sendOperational(deps, shard, told);
}
