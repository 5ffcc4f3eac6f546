/** The calls of one run to the schedules of limited subscriptions. */
import { near } from "../../platform/db/regions";
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { inTime } from "../../platform/time";
import { THROTTLE_TIMEOUT_MS } from "../delivery/timing";
import type { Answer, Asked } from "./demand";
import type { Limits } from "./limits";

/** Asks the schedule of a subscription. Returns null when it does not answer in time. */
export async function askSchedule(
  { throttles }: Pick<Deps, "throttles">,
  { shard, subscriptionId }: { shard: number; subscriptionId: string },
  limits: Limits,
  asked: Asked,
): Promise<Answer[] | null> {
  try {
    const throttle = throttles.get(throttles.idFromName(subscriptionId), near(shard));
    return await inTime(THROTTLE_TIMEOUT_MS, throttle.schedule(limits, asked));
  } catch (error) {
    log("warn", "throttle not reached", {
      webhookId: subscriptionId,
      count: asked.demands.length + asked.ended.length,
      ...describeError(error),
    });
    return null;
  }
}
