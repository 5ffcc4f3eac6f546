/** The starts that a gate hands out, without a clock: never more than the limit in any window, and nothing wasted. */
import { describe, expect, test } from "vitest";
import type { Answer, Made } from "../../src/webhooks/throttling/demand";
import { back, madeOf, newGate, type ToyGate, timeOf } from "../support/gate";

const T = 1_800_000_000_000;
const UNIT_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 };

/**
 * Starts `demanded` deliveries that come at `fromMs` as consumers do: each asks shortly before its time, and again
 * after a start that it misses. `lateMs` is how long after the granted moment the nth granted start would be made.
 * Returns when each has started.
 */
function startAll(gate: ToyGate, fromMs: number, demanded: number, lateMs: (n: number) => number = () => 0): number[] {
  const started: number[] = [];
  const waiting: { nowMs: number; slotAtMs: number | null }[] = [];
  /** What the next call reports about earlier starts. */
  let made: Made[] = [];
  let granted = 0;
  const follow = (nowMs: number, answer: Answer) => {
    if (answer.kind !== "start") {
      const slotAtMs = timeOf(answer);
      waiting.push({ nowMs: Math.max(nowMs + 50, slotAtMs - 150), slotAtMs });
      return;
    }
    const startMs = answer.atMs + lateMs(granted++);
    const isMade = startMs <= answer.latestMs;
    made.push({ latestMs: answer.latestMs, atMs: isMade ? startMs : null });
    if (isMade) started.push(startMs);
    else waiting.push({ nowMs: startMs, slotAtMs: null });
  };
  for (const answer of gate.add(fromMs, demanded)) follow(fromMs, answer);
  while (waiting.length > 0) {
    waiting.sort((a, b) => b.nowMs - a.nowMs);
    const { nowMs, slotAtMs } = waiting.pop() ?? { nowMs: 0, slotAtMs: 0 };
    const told = made;
    made = [];
    for (const answer of gate.ask(nowMs, [back("d", slotAtMs)], "run", told)) follow(nowMs, answer);
  }
  return started;
}

/** The most starts in any sliding window of this length. */
function mostIn(windowMs: number, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [position, time] of sorted.entries()) {
    while (time - (sorted[first] ?? time) > windowMs) first++;
    most = Math.max(most, position - first + 1);
  }
  return most;
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
    const times = startAll(gate, T, limit * 3);
    expect(times).toHaveLength(limit * 3);
    expect(mostIn(UNIT_MS[per], times)).toBeLessThanOrEqual(limit);
    expect(Math.max(...times) - T).toBeLessThanOrEqual(UNIT_MS[per] * 3 * 1.02);
  });

  test("starts are spread evenly, also at the beginning", () => {
    const times = startAll(newGate({ rateLimit: { limit: 20, per: "second" } }), T, 60).toSorted((a, b) => a - b);
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40);
  });

  test.each([
    ["miss every fourth start", (n: number) => (n % 4 === 0 ? 40 : n % 5), 1.12],
    ["stand still now and then", (n: number) => (n % 100 < 5 ? 100 : 0), 1.03],
  ])("consumers that %s get no more than the limit, and nearly all of it", (_, lateMs, longest) => {
    const times = startAll(newGate({ rateLimit: { limit: 50, per: "second" } }), T, 2_000, lateMs);
    expect(times).toHaveLength(2_000);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(50);
    expect(Math.max(...times) - T).toBeLessThanOrEqual(40_000 * longest);
  });

  test("a start that was missed does not count, even an hour's only one", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    const [missed] = gate.add(T, 1);
    const missedMs = missed?.kind === "start" ? missed.latestMs : 0;
    expect(gate.add(T + 2_000, 1)[0]?.kind).toBe("wait");
    const [again] = gate.ask(T + 2_000, [back("d1", null)], "run", [{ latestMs: missedMs, atMs: null }]);
    expect(again).toMatchObject({ kind: "start", atMs: T + 2_000 });
  });

  test("an idle gate lets a delivery start at once", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    expect(gate.add(T, 1)).toMatchObject([{ kind: "start", atMs: T }]);
    expect(gate.add(T + 9_000_000, 1)).toMatchObject([{ kind: "start", atMs: T + 9_000_000 }]);
  });

  test("a delivery that comes back for its slot keeps it, whatever came in between", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "second" } });
    const answers = gate.add(T, 10);
    let made = madeOf(answers);
    gate.add(T + 10, 5);
    for (const [position, slotAtMs] of answers.map(timeOf).entries()) {
      if (position === 0) continue;
      const demands = [back(`d${position}`, slotAtMs)];
      expect(gate.ask(slotAtMs - 2_000, demands, "run", made)).toEqual([{ kind: "soon", atMs: slotAtMs }]);
      const started = gate.ask(slotAtMs - 150, demands);
      expect(started).toMatchObject([{ kind: "start", atMs: slotAtMs }]);
      made = madeOf(started);
    }
  });

  test("a delivery that one consumer is about to start is left alone by another", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    const slotAtMs = timeOf(gate.add(T, 2)[1]);
    const [granted] = gate.ask(slotAtMs - 2_000, [back("d2", slotAtMs)], "one");
    expect(granted).toMatchObject({ kind: "start", atMs: slotAtMs });
    const [taken] = gate.ask(slotAtMs - 1_000, [back("d2", slotAtMs)], "other");
    expect(taken).toMatchObject({ kind: "taken" });
    const [later] = gate.ask(timeOf(taken) + 1, [back("d2", slotAtMs)], "other");
    expect(later).not.toMatchObject({ kind: "taken" });
  });

  test("a start is granted to one delivery only", () => {
    const gate = newGate({ rateLimit: { limit: 10, per: "second" } });
    const slotAtMs = timeOf(gate.add(T, 60).at(-1));
    const [first, second] = gate.ask(slotAtMs - 100, [back("one", slotAtMs), back("other", slotAtMs)]);
    expect(first).toMatchObject({ kind: "start", atMs: slotAtMs });
    expect(timeOf(second)).toBeGreaterThan(slotAtMs);
  });

  test("what comes back all at once after an outage stays in part, and the rest waits in the line", () => {
    const gate = newGate({ rateLimit: { limit: 10, per: "second" } });
    const slots = gate.add(T, 400).map(timeOf);
    const nowMs = T + 60_000;
    const answers = gate.ask(
      nowMs,
      slots.map((slotAtMs, n) => back(`d${n}`, slotAtMs)),
    );
    const { start = [], soon = [], wait = [] } = Object.groupBy(answers, ({ kind }) => kind);
    expect(start.length + soon.length).toBeLessThan(20);
    expect(Math.max(...wait.map(timeOf)) - nowMs).toBeLessThan(41_000);
  });

  test("fifty calls get distinct slots", () => {
    const gate = newGate({ rateLimit: { limit: 20, per: "second" } });
    const times = Array.from({ length: 50 }, () => timeOf(gate.add(T, 1)[0]));
    expect(new Set(times).size).toBe(50);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(20);
  });

  test("a test takes the next start, and the delivery that has waited for it gets another", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "second" } });
    const slots = gate.add(T, 20).map(timeOf);
    const [nextMs = 0] = slots.slice(1);
    const [tested] = gate.ask(T + 10, [{ id: "test", standing: "test", slotAtMs: null }]);
    expect(tested).toMatchObject({ kind: "start" });
    expect(timeOf(tested)).toBeLessThanOrEqual(nextMs);
    const [displaced] = gate.ask(nextMs - 10, [back("displaced", nextMs)]);
    expect(timeOf(displaced)).toBeGreaterThan(timeOf(tested) + 1_000);
  });

  test("a test keeps a start that is far away", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    gate.add(T, 3);
    const [wait] = gate.ask(T + 1, [{ id: "test", standing: "test", slotAtMs: null }]);
    const slotAtMs = timeOf(wait);
    expect([wait?.kind, slotAtMs - T < 3_700_000]).toEqual(["wait", true]);
    const [other] = gate.ask(slotAtMs - 2_000, [back("waiting", slotAtMs)]);
    expect(timeOf(other)).toBeGreaterThan(slotAtMs + 3_600_000);
    expect(gate.ask(slotAtMs - 2_000, [{ id: "test", standing: "test", slotAtMs }])).toMatchObject([
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
      const times = startAll(gate, T + 100, 100);
      expect(mostIn(1_000, times)).toBeLessThanOrEqual(after);
      expect(mostIn(1_000, [...old, ...times])).toBeLessThanOrEqual(Math.max(before, after));
      expect(Math.min(...times) - T).toBeLessThan(4_000);
    },
  );

  test("a far start that a test waits for does not hold up what comes after a change of the limit", () => {
    const gate = newGate({ rateLimit: { limit: 1, per: "hour" } });
    gate.add(T, 1);
    gate.ask(T + 1, [{ id: "test", standing: "test", slotAtMs: null }]);
    gate.change({ rateLimit: { limit: 20, per: "second" } });
    expect(timeOf(gate.add(T + 10_000, 1)[0])).toBeLessThan(T + 15_000);
  });

  test("10,000 starts an hour are stored in little space", () => {
    const gate = newGate({ rateLimit: { limit: 10_000, per: "hour" } });
    for (let second = 0; second < 3_600; second += 2) gate.add(T + second * 1_000, 5);
    expect(gate.sizeOfState()).toBeLessThan(30_000);
  });
});
