/** A throttle without its object, its storage or a clock. */

import type { Demand, StartAnswer } from "../../src/webhooks/delivery/throttling/demand";
import type { Limits } from "../../src/webhooks/delivery/throttling/limits";
import { NEW_SCHEDULE, Schedule, type ScheduleState } from "../../src/webhooks/delivery/throttling/schedule";
import { START_WITHIN_MS } from "../../src/webhooks/plane/timing";

/** A schedule that is asked repeatedly, as its object asks it. */
export function newSchedule(limits: Limits) {
  let state: ScheduleState = NEW_SCHEDULE;
  let count = 0;
  const ask = (
    nowMs: number,
    demands: Demand[],
    { holder = "run", ended = [] as string[], called = [] as string[] } = {},
  ): StartAnswer[] => {
    const schedule = new Schedule(state, limits, nowMs);
    const answers = schedule.answer({ demands, ended, called, holder, latestMs: nowMs + START_WITHIN_MS });
    state = structuredClone(schedule.state);
    return answers;
  };
  return {
    ask,
    /** `demanded` new deliveries. */
    add: (nowMs: number, demanded: number) =>
      ask(
        nowMs,
        Array.from({ length: demanded }, () => fresh(`d${++count}`)),
      ),
    change: (next: Limits) => {
      limits = next;
    },
    sizeOfState: () => JSON.stringify(state).length,
  };
}

export const fresh = (id: string): Demand => ({ id, priority: "new" });
export const returned = (id: string): Demand => ({ id, priority: "returned" });
export const timeOf = (answer: StartAnswer | undefined): number => {
  if (!answer) throw new Error("no answer");
  return answer.kind === "start" ? answer.atMs : answer.untilMs;
};

export type ToySchedule = ReturnType<typeof newSchedule>;
