/** What runs ask a throttle, and what it answers. */
import { near } from "../../../base/db/regions";
import type { Deps } from "../../../base/deps";
import { describeError, log } from "../../../base/log/log";
import { inTime } from "../../../base/time";
import { THROTTLE_TIMEOUT_MS } from "../../plane/timing";
import type { Limits } from "./limits";

/** A delivery that asks for its start. */
export interface Demand {
  id: string;
  /** "test": a test, which goes first. "returned": it has waited before. "new": it has not. */
  priority: "test" | "returned" | "new";
}

/** Times are Unix ms. */
export type StartAnswer =
  /** It may start then. */
  | { kind: "start"; atMs: number }
  /** It should come back then. No attempt is used. */
  | { kind: "wait"; untilMs: number; waitsFor: "start" | "permit" };

/** What a run asks for, and what it reports. */
export interface Asked {
  demands: Demand[];
  /** The deliveries whose permits it no longer needs. */
  ended: readonly string[];
  /** Waiting deliveries that it calls to free permits. */
  called: string[];
  /** Names the run, which will hold the permits. */
  holder: string;
  /** The latest start that it can make, Unix ms. */
  latestMs: number;
}

/** Asks the schedule of a subscription. Returns null when it does not answer in time. */
export async function askSchedule(
  { throttles }: Pick<Deps, "throttles">,
  { shard, subscriptionId }: { shard: number; subscriptionId: string },
  limits: Limits,
  asked: Asked,
): Promise<StartAnswer[] | null> {
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
