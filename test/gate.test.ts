/** The starts that a gate hands out, without a clock: never more than the limit in any window, and nothing wasted. */
import { describe, expect, test } from "vitest";
import { Lateness } from "../src/delivery/lateness";
import { type Answer, type Demand, Gate, type GateState, type Made, NEW_GATE, PLACE_LEASE_MS } from "../src/gates/gate";
import type { Limits } from "../src/gates/limits";

const T = 1_800_000_000_000;
const UNIT_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 };

/** A gate that is asked again and again, as its object asks it. */
function newGate(limits: Limits) {
  let state: GateState = NEW_GATE;
  let count = 0;
  const ask = (nowMs: number, demands: Demand[], holder = "run", made: Made[] = []): Answer[] => {
    const gate = new Gate(state, limits, nowMs);
    gate.note(made);
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
    sizeOfState: () => JSON.stringify(state).length,
  };
}

const fresh = (id: string): Demand => ({ id, standing: "new", slotAtMs: null });
const back = (id: string, slotAtMs: number | null): Demand => ({ id, standing: "back", slotAtMs });
const ready = (demand: Demand, given: Partial<Demand["ready"]> = {}): Demand => ({
  ...demand,
  ready: { beforeMs: Infinity, leewayMs: 0, ...given },
});
const timeOf = (answer: Answer | undefined): number => {
  if (answer?.kind === "start" || answer?.kind === "soon") return answer.atMs;
  if (answer?.kind === "wait") return answer.untilMs;
  throw new Error("no time");
};
const startOf = (answer: Answer | undefined): Extract<Answer, { kind: "start" }> => {
  if (answer?.kind !== "start") throw new Error("no start");
  return answer;
};

/**
 * Starts deliveries as a consumer does: each asks for its start when its slot comes, and once more after each start that it misses.
 * `lateMs` is how long after the granted moment a delivery would start. Returns when each has started.
 */
function startAll(gate: ReturnType<typeof newGate>, slots: readonly number[], lateMs: (n: number) => number): number[] {
  const lateness = new Lateness();
  const started: number[] = [];
  const events: { nowMs: number; slotAtMs?: number; made?: Made }[] = slots.map((slotAtMs) => ({
    nowMs: slotAtMs - 20,
    slotAtMs,
  }));
  const insert = (event: (typeof events)[number]) =>
    events.splice(events.findLastIndex(({ nowMs }) => nowMs <= event.nowMs) + 1, 0, event);
  for (let n = 0; ; n += 1) {
    const event = events.shift();
    if (!event) return started;
    const { nowMs, slotAtMs, made } = event;
    if (made) gate.ask(nowMs, [], "run", [made]);
    if (slotAtMs === undefined) continue;
    const given = { leewayMs: lateness.leewayMs, beforeMs: nowMs + 1_500 };
    const [answer] = gate.ask(nowMs, [ready(back("d", slotAtMs), given)]);
    if (answer?.kind !== "start") {
      insert({ nowMs: timeOf(answer) - 20, slotAtMs: timeOf(answer) });
      continue;
    }
    const { latestMs } = answer;
    const atMs = answer.atMs + lateMs(n);
    if (atMs <= latestMs) {
      started.push(atMs);
      lateness.noteMade();
      insert({ nowMs: atMs + 50, made: { latestMs, atMs } });
    } else {
      lateness.noteMissed();
      insert({ nowMs: atMs, slotAtMs, made: { latestMs, atMs: null } });
    }
  }
}

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
    const slots = [...gate.add(T, limit * 2), ...gate.add(T + 1, limit)].map(timeOf);
    const times = startAll(gate, slots, () => 0);
    expect(times).toHaveLength(limit * 3);
    expect(mostIn(UNIT_MS[per], times)).toBeLessThanOrEqual(limit);
    expect(Math.max(...times) - T).toBeLessThanOrEqual(UNIT_MS[per] * 3 * 1.02);
  });

  test("consumers that start late get no more than the limit, and nearly all of it", () => {
    const gate = newGate({ rateLimit: { limit: 20, per: "second" } });
    const slots = gate.add(T, 2_000).map(timeOf);
    const times = startAll(gate, slots, (n) => (n * 7919) % 90);
    expect(times).toHaveLength(2_000);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(20);
    expect((Math.max(...times) - T) / 100_000).toBeLessThan(1.15);
  });

  test("consumers that have stood still do not lose what the limit allows from then on", () => {
    const gate = newGate({ rateLimit: { limit: 20, per: "second" } });
    const slots = gate.add(T, 200).map(timeOf);
    const late = startAll(
      gate,
      slots.map(() => T + 9_000),
      () => 0,
    );
    expect(mostIn(1_000, late)).toBeLessThanOrEqual(20);
    expect(Math.max(...late) - T).toBeLessThan(9_000 + 10_200);
  });

  test("a start that was missed is given back, and another that was not made is not", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "minute" } });
    const missed = startOf(gate.ask(T, [ready(back("one", null))])[0]);
    expect(timeOf(gate.ask(T, [ready(back("other", null))])[0])).toBeGreaterThanOrEqual(missed.latestMs + 60_000);
    const given = { latestMs: missed.latestMs, atMs: null };
    const again = gate.ask(missed.latestMs + 1, [ready(back("one", null))], "run", [given]);
    expect(timeOf(again[0])).toBeGreaterThan(missed.latestMs + 60_000);
    const alone = newGate({ rateLimit: { limit: 1, per: "minute" } });
    const first = startOf(alone.ask(T, [ready(back("one", null))])[0]);
    const next = alone.ask(first.latestMs + 1, [ready(back("one", null))], "run", [
      { latestMs: first.latestMs, atMs: null },
    ]);
    expect(timeOf(next[0]) - first.latestMs).toBeLessThan(100);
  });

  test("an idle gate lets a delivery start at once", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    for (const nowMs of [T, T + 9_000_000]) {
      expect(gate.add(nowMs, 1)).toEqual([{ kind: "soon", atMs: nowMs }]);
      expect(timeOf(gate.ask(nowMs, [ready(back("d", nowMs))])[0]) - nowMs).toBeLessThan(50);
    }
  });

  test("a delivery that comes back for its slot keeps it, whatever came in between", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "second" } });
    const slots = gate.add(T, 10).map(timeOf);
    gate.add(T + 10, 5);
    for (const [position, slotAtMs] of [...slots.entries()].slice(5)) {
      expect(gate.ask(slotAtMs - 2_000, [back(`d${position}`, slotAtMs)])).toEqual([{ kind: "soon", atMs: slotAtMs }]);
      expect(gate.ask(slotAtMs - 20, [ready(back(`d${position}`, slotAtMs))])).toMatchObject([
        { kind: "start", atMs: slotAtMs },
      ]);
    }
  });

  test("a start is granted to one delivery only", () => {
    const gate = newGate({ rateLimit: { limit: 10, per: "second" } });
    const slotAtMs = timeOf(gate.add(T, 60).at(-1));
    const times = startAll(gate, Array(30).fill(slotAtMs), () => 0);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(10);
  });

  test("fifty calls get distinct slots", () => {
    const gate = newGate({ rateLimit: { limit: 20, per: "second" } });
    const times = Array.from({ length: 50 }, () => timeOf(gate.add(T, 1)[0]));
    expect(new Set(times).size).toBe(50);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(20);
  });

  test("a start that its consumer could not use any more is not granted", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "second" } });
    gate.ask(T, [ready(back("one", null))]);
    const [answer] = gate.ask(T, [ready(back("two", null), { beforeMs: T + 500 })]);
    expect(answer).toMatchObject({ kind: "wait", waitsFor: "slot" });
    expect(timeOf(gate.ask(T, [ready(back("three", null))])[0])).toBeLessThanOrEqual(timeOf(answer));
  });

  test("a test takes the next start, and the delivery that has waited for it gets another", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "second" } });
    const slots = gate.add(T, 20).map(timeOf);
    startAll(gate, slots.slice(0, 10), () => 0);
    const [tested] = gate.ask(T + 10_100, [{ id: "test", standing: "test", slotAtMs: null }]);
    expect(timeOf(tested)).toBeLessThanOrEqual(T + 11_500);
    const slotAtMs = slots[10] ?? 0;
    const displaced = timeOf(gate.ask(slotAtMs - 10, [ready(back("displaced", slotAtMs))])[0]);
    expect(displaced).toBeGreaterThan(timeOf(tested) + 1_000);
    expect(timeOf(gate.ask(T + 10_120, [ready({ id: "test", standing: "test", slotAtMs: timeOf(tested) })])[0])).toBe(
      timeOf(tested),
    );
  });

  test("a test keeps a start that is far away", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    startAll(gate, [timeOf(gate.add(T, 3)[0])], () => 0);
    const [wait] = gate.ask(T + 1, [{ id: "test", standing: "test", slotAtMs: null }]);
    const slotAtMs = timeOf(wait);
    expect([wait?.kind, slotAtMs - T < 3_700_000]).toEqual(["wait", true]);
    const other = gate.ask(slotAtMs - 2_000, [ready(back("waiting", slotAtMs), { beforeMs: slotAtMs + 1_500 })]);
    expect(timeOf(other[0])).toBeGreaterThan(slotAtMs + 3_000_000);
    const test = { id: "test", standing: "test", slotAtMs } as const;
    expect(gate.ask(slotAtMs - 2_000, [test])[0]?.kind).toBe("soon");
    expect(startOf(gate.ask(slotAtMs - 20, [ready(test)])[0]).atMs).toBe(slotAtMs);
  });

  test.each([
    [50, 5],
    [5, 50],
  ])(
    "changed from %i to %i, it holds from then on, after everything that may start under the old one",
    (before, after) => {
      const gate = newGate({ rateLimit: { limit: before, per: "second" } });
      const old = startAll(gate, gate.add(T, 500).map(timeOf).slice(0, before), () => 0);
      const nowMs = Math.max(...old);
      gate.change({ rateLimit: { limit: after, per: "second" } });
      const times = startAll(gate, gate.add(nowMs, 100).map(timeOf), () => 0);
      expect(mostIn(1_000, times)).toBeLessThanOrEqual(after);
      expect(mostIn(1_000, [...old, ...times])).toBeLessThanOrEqual(Math.max(before, after));
      expect(Math.min(...times) - nowMs).toBeLessThan(1_100);
    },
  );

  test("10,000 starts an hour are stored in little space", () => {
    const gate = newGate({ rateLimit: { limit: 10_000, per: "hour" } });
    for (let page = 0; page < 100; page += 1) {
      gate.ask(
        T + page * 36_000,
        gate.add(T + page * 36_000, 100).map((answer, n) => ready(back(`d${n}`, timeOf(answer)))),
      );
    }
    expect(gate.sizeOfState()).toBeLessThan(30_000);
  });
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

  test("together with a rate limit, a start needs both", () => {
    const gate = newGate({ rateLimit: { limit: 2, per: "second" }, maxConcurrent: 1 });
    const [first, second] = gate.add(T, 2);
    expect([first?.kind, second?.kind]).toEqual(["soon", "wait"]);
    expect(startOf(gate.ask(T, [ready(back("d1", T))])[0]).atMs).toBeLessThan(T + 50);
    expect(gate.release(T + 100, ["d1"])).toBe(1);
    const called: Demand = { id: "d2", standing: "next", slotAtMs: timeOf(second) };
    expect(gate.ask(T + 100, [called])[0]).toMatchObject({ kind: "soon", atMs: T + 100 });
    gate.ask(T + 100, [ready({ ...called, slotAtMs: T + 100 })]);
    expect(gate.release(T + 200, ["d2"])).toBe(0);
    expect(gate.add(T + 200, 1)[0]?.kind).toBe("soon");
    expect(startOf(gate.ask(T + 210, [ready(back("d3", T + 200))])[0]).atMs).toBeGreaterThanOrEqual(T + 1_000);
    expect(gate.ask(T + 210, [ready(back("d4", T + 200))], "other")[0]).toMatchObject({ waitsFor: "place" });
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
