/** A gate without its object, its storage or a clock. */
import type { Answer, Demand, Made } from "../../src/webhooks/throttling/demand";
import { Gate, type GateState, NEW_GATE } from "../../src/webhooks/throttling/gate";
import type { Limits } from "../../src/webhooks/throttling/limits";

/** A gate that is asked repeatedly, as its object asks it. */
export function newGate(limits: Limits) {
  let state: GateState = NEW_GATE;
  let count = 0;
  const ask = (nowMs: number, demands: Demand[], holder = "run", made: Made[] = []): Answer[] => {
    const gate = new Gate(state, limits, { nowMs });
    gate.settle(made);
    const answers = gate.reserve(demands, holder);
    state = structuredClone(gate.state);
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
    release(nowMs: number, ids: string[], holder = "run"): number {
      const gate = new Gate(state, limits, { nowMs });
      const free = gate.release(ids, holder);
      state = structuredClone(gate.state);
      return free;
    },
    change: (next: Limits) => {
      limits = next;
    },
    sizeOfState: () => JSON.stringify(state).length,
  };
}

export const fresh = (id: string): Demand => ({ id, standing: "new", slotAtMs: null });
export const back = (id: string, slotAtMs: number | null): Demand => ({ id, standing: "back", slotAtMs });
export const timeOf = (answer: Answer | undefined): number => {
  if (answer?.kind === "start" || answer?.kind === "soon") return answer.atMs;
  if (answer?.kind === "wait" || answer?.kind === "taken") return answer.untilMs;
  throw new Error("no time");
};

/** The report of a consumer that starts each request at the granted moment. */
export const madeOf = (answers: readonly Answer[]): Made[] =>
  answers.flatMap((answer) => (answer.kind === "start" ? [{ latestMs: answer.latestMs, atMs: answer.atMs }] : []));

export type ToyGate = ReturnType<typeof newGate>;
