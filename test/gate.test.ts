/** The starts that a gate hands out, without a clock: never more than the limit in any window, and nothing wasted. */
import { describe, expect, test } from "vitest";
import { type Answer, type Demand, Gate, type GateState, NEW_GATE, PLACE_LEASE_MS } from "../src/gates/gate";
import type { Limits } from "../src/gates/limits";

const T = 1_800_000_000_000;
const UNIT_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 };

/** A gate that is asked again and again, as its object asks it. */
function newGate(limits: Limits) {
  let state: GateState = NEW_GATE;
  let count = 0;
  const ask = (nowMs: number, demands: Demand[], holder = "run"): Answer[] => {
    const gate = new Gate(state, limits, nowMs);
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
      const gate = new Gate(state, limits, nowMs);
      const free = gate.release(ids, holder);
      state = structuredClone(gate.state);
      return free;
    },
    change: (next: Limits) => {
      limits = next;
    },
  };
}

const fresh = (id: string): Demand => ({ id, standing: "new", slotAtMs: null });
const back = (id: string, slotAtMs: number | null): Demand => ({ id, standing: "back", slotAtMs });
const timeOf = (answer: Answer | undefined): number => {
  if (answer?.kind === "start") return answer.atMs;
  if (answer?.kind === "wait") return answer.untilMs;
  throw new Error("no time");
};

/** The most starts in any sliding window of this length. */
function mostIn(windowMs: number, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(...sorted.map((time) => sorted.filter((other) => other >= time && other <= time + windowMs).length));
}

describe("a rate limit", () => {
  test.each([
    [1, "second"],
    [7, "second"],
    [50, "second"],
    [999, "second"],
    [3, "minute"],
    [13, "hour"],
  ] as const)("%i a %s holds in every sliding window, the first one included", (limit, per) => {
    const gate = newGate({ rateLimit: { limit, per } });
    const times = [...gate.add(T, limit * 2), ...gate.add(T + 1, limit)].map(timeOf);
    expect(mostIn(UNIT_MS[per], times)).toBeLessThanOrEqual(limit);
    expect(Math.max(...times) - T).toBeLessThanOrEqual(UNIT_MS[per] * 3 * 1.02);
  });

  test("an idle gate lets a delivery start at once", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    expect(gate.add(T, 1)).toEqual([{ kind: "start", atMs: T }]);
    expect(gate.add(T + 9_000_000, 1)).toEqual([{ kind: "start", atMs: T + 9_000_000 }]);
  });

  test("a delivery that comes back for its slot starts exactly then, whatever came in between", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "second" } });
    const slots = gate.add(T, 10).map(timeOf);
    gate.add(T + 10, 5);
    for (const [position, slotAtMs] of [...slots.entries()].slice(5).reverse()) {
      expect(gate.ask(slotAtMs - 2_000, [back(`d${position}`, slotAtMs)])).toEqual([{ kind: "start", atMs: slotAtMs }]);
    }
  });

  test("a slot is given to one delivery only", () => {
    const gate = newGate({ rateLimit: { limit: 10, per: "second" } });
    const slotAtMs = timeOf(gate.add(T, 60).at(-1));
    const [first, second] = gate.ask(slotAtMs - 100, [back("one", slotAtMs), back("other", slotAtMs)]);
    expect(first).toEqual({ kind: "start", atMs: slotAtMs });
    expect(timeOf(second)).not.toBe(slotAtMs);
  });

  test("fifty calls get distinct slots", () => {
    const gate = newGate({ rateLimit: { limit: 20, per: "second" } });
    const times = Array.from({ length: 50 }, () => timeOf(gate.add(T, 1)[0]));
    expect(new Set(times).size).toBe(50);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(20);
  });

  test("deliveries that all come late still use every slot from then on", () => {
    const gate = newGate({ rateLimit: { limit: 10, per: "second" } });
    const slots = gate.add(T, 400).map(timeOf).slice(100);
    const times = slots.map((slotAtMs, n) => timeOf(gate.ask(slotAtMs + 9_000, [back(`late${n}`, slotAtMs)])[0]));
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(10);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(31_000);
  });

  test("a test takes the next slot, and the delivery that has waited for it gets another", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "second" } });
    const slots = gate.add(T, 20).map(timeOf);
    const [tested] = gate.ask(T + 10_100, [{ id: "test", standing: "test", slotAtMs: null }]);
    expect(slots).toContain(timeOf(tested));
    expect(timeOf(tested)).toBeLessThanOrEqual(T + 11_500);
    const [displaced] = gate.ask(timeOf(tested) - 10, [back("displaced", timeOf(tested))]);
    expect(timeOf(displaced)).toBeGreaterThan(timeOf(tested));
    expect(mostIn(1_000, [timeOf(tested), timeOf(displaced)])).toBe(1);
  });

  test("a test keeps a slot that is far away", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    gate.add(T, 3);
    const [wait] = gate.ask(T + 1, [{ id: "test", standing: "test", slotAtMs: null }]);
    const slotAtMs = timeOf(wait);
    expect([wait?.kind, slotAtMs - T < 3_700_000]).toEqual(["wait", true]);
    expect(timeOf(gate.ask(slotAtMs - 2_000, [back("waiting", slotAtMs)])[0])).not.toBe(slotAtMs);
    expect(gate.ask(slotAtMs - 2_000, [{ id: "test", standing: "test", slotAtMs }])).toEqual([
      { kind: "start", atMs: slotAtMs },
    ]);
  });

  test.each([
    [50, 5],
    [5, 50],
  ])(
    "changed from %i to %i, it holds from then on, after everything that may start under the old one",
    (before, after) => {
      const gate = newGate({ rateLimit: { limit: before, per: "second" } });
      const old = gate
        .add(T, 500)
        .filter(({ kind }) => kind === "start")
        .map(timeOf);
      gate.change({ rateLimit: { limit: after, per: "second" } });
      const times = gate.add(T + 100, 100).map(timeOf);
      expect(mostIn(1_000, times)).toBeLessThanOrEqual(after);
      expect(mostIn(1_000, [...old, ...times])).toBeLessThanOrEqual(Math.max(before, after));
      expect(Math.min(...times) - T).toBeLessThan(4_000);
    },
  );
});

describe("a limit of concurrency", () => {
  const LIMITS = { maxConcurrent: 2 };

  test("lets so many start; the others wait, and one is called for each place that becomes free", () => {
    const gate = newGate(LIMITS);
    const answers = gate.add(T, 5);
    expect(answers.map(({ kind }) => kind)).toEqual(["start", "start", "wait", "wait", "wait"]);
    expect(gate.release(T + 100, ["d1"])).toBe(1);
    expect(gate.ask(T + 100, [{ id: "d3", standing: "next", slotAtMs: timeOf(answers[2]) }])[0]?.kind).toBe("start");
    expect(gate.ask(T + 100, [{ id: "d4", standing: "next", slotAtMs: timeOf(answers[3]) }])).toEqual([
      { kind: "stay" },
    ]);
  });

  test("a new delivery does not pass those that wait", () => {
    const gate = newGate(LIMITS);
    gate.add(T, 3);
    gate.release(T + 100, ["d1"]);
    expect(gate.add(T + 100, 1)[0]?.kind).toBe("wait");
  });

  test("only its holder frees a place, and the place of a dead holder is free after its lease", () => {
    const gate = newGate(LIMITS);
    gate.add(T, 2);
    expect(gate.release(T, ["d1"], "other")).toBe(0);
    expect(gate.add(T + PLACE_LEASE_MS - 1, 1)[0]?.kind).toBe("wait");
    expect(gate.ask(T + PLACE_LEASE_MS, [back("d3", null)])[0]?.kind).toBe("start");
  });

  test("a delivery has one place, even if two consumers ask for it", () => {
    const gate = newGate(LIMITS);
    expect(gate.ask(T, [fresh("same")], "one")[0]?.kind).toBe("start");
    expect(gate.ask(T, [fresh("same")], "two")[0]?.kind).toBe("wait");
    expect(gate.ask(T, [fresh("other")], "two")[0]?.kind).toBe("start");
  });

  test("the waiting come back one by one, as far apart as dead consumers keep places", () => {
    const gate = newGate(LIMITS);
    const waits = gate.add(T, 12).slice(2).map(timeOf);
    expect(waits).toEqual(Array.from({ length: 10 }, (_, n) => T + ((n + 1) * PLACE_LEASE_MS) / 2));
  });
});
