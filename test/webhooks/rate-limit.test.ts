/**
 * The starts that a rate limit schedules, without a clock: on average never more than the limit, in any window at most
 * one and a tenth more, and little of it wasted.
 */
import { describe, expect, test } from "vitest";
import type { StartAnswer } from "../../src/webhooks/delivery/throttling/demand";
import { startJitterMs } from "../../src/webhooks/delivery/throttling/limits";
import { fresh, newSchedule, returned, type ToySchedule, timeOf } from "../support/schedule";

const T = 1_800_000_000_000;
const UNIT_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 };
/** What any window of a unit may have. */
const mostOf = (limit: number) => Math.floor(limit * 1.1 + 1);

/**
 * Starts `demanded` deliveries that come at `fromMs` as runs do: what must wait comes back at its time, or `lateMs`
 * later; what has a start is sent up to the allowed jitter later. Returns when each was sent.
 */
function startAll(
  schedule: ToySchedule,
  fromMs: number,
  demanded: number,
  { lateMs = () => 0, jitterMs = 0 }: { lateMs?: (n: number) => number; jitterMs?: number } = {},
): number[] {
  const sent: number[] = [];
  const waiting: number[] = [];
  let waits = 0;
  const follow = (answer: StartAnswer) => {
    if (answer.kind === "start") sent.push(answer.atMs + (sent.length % 2) * jitterMs);
    else waiting.push(answer.untilMs + lateMs(waits++));
  };
  for (const answer of schedule.add(fromMs, demanded)) follow(answer);
  while (waiting.length > 0) {
    waiting.sort((a, b) => b - a);
    const nowMs = waiting.pop() ?? 0;
    for (const answer of schedule.ask(nowMs, [returned(`back${waits}`)])) follow(answer);
  }
  return sent;
}

/** The most starts in any sliding window of this length. */
function mostIn(windowMs: number, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [position, time] of sorted.entries()) {
    while (time - (sorted[first] ?? time) >= windowMs) first++;
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
  ] as const)("%i a %s holds in every window, and nearly all of it is used", (limit, per) => {
    const rateLimit = { limit, per };
    const times = startAll(newSchedule({ rateLimit }), T, limit * 3, { jitterMs: startJitterMs(rateLimit) });
    expect(times).toHaveLength(limit * 3);
    expect(mostIn(UNIT_MS[per], times)).toBeLessThanOrEqual(mostOf(limit));
    expect(Math.max(...times) - T).toBeLessThanOrEqual(UNIT_MS[per] * 3 * 1.05);
  });

  test("without jitter, starts are a whole gap apart, also at the beginning", () => {
    const times = startAll(newSchedule({ rateLimit: { limit: 20, per: "second" } }), T, 60).toSorted((a, b) => a - b);
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
    expect(mostIn(1_000, times)).toBe(20);
  });

  test.each([
    ["all come back 3 seconds late", () => 3_000],
    ["some come back 20 seconds late", (n: number) => (n % 7 === 0 ? 20_000 : 0)],
    ["come back now and then up to 2 seconds late", (n: number) => (n * 997) % 2_000],
  ])("deliveries that %s get no more than the limit, and nearly all of it", (_, lateMs) => {
    for (const [rateLimit, unitMs] of [
      [{ limit: 20, per: "second" }, 1_000],
      [{ limit: 30, per: "minute" }, 60_000],
    ] as const) {
      const times = startAll(newSchedule({ rateLimit }), T, rateLimit.limit * 20, { lateMs });
      expect(times).toHaveLength(rateLimit.limit * 20);
      expect(mostIn(unitMs, times)).toBeLessThanOrEqual(rateLimit.limit);
      expect(Math.max(...times) - T).toBeLessThanOrEqual(unitMs * 20 * 1.1 + 45_000);
    }
  });

  test("10,000 that come back by messages, delayed by whole seconds, take 200 seconds and hardly any waits twice", () => {
    const schedule = newSchedule({ rateLimit: { limit: 50, per: "second" } });
    const sent: number[] = [];
    let waits = 0;
    const comeAt = new Map<number, number>();
    const follow = (nowMs: number, answers: readonly StartAnswer[]) => {
      for (const answer of answers) {
        if (answer.kind === "start") sent.push(answer.atMs);
        else {
          waits += 1;
          const atMs = nowMs + Math.ceil((answer.untilMs - nowMs) / 1_000) * 1_000;
          comeAt.set(atMs, (comeAt.get(atMs) ?? 0) + 1);
        }
      }
    };
    for (let batch = 0; batch < 100; batch += 1) follow(T + batch * 100, schedule.add(T + batch * 100, 100));
    while (comeAt.size > 0) {
      const nowMs = Math.min(...comeAt.keys());
      const demands = Array.from({ length: comeAt.get(nowMs) ?? 0 }, (_, n) => returned(`${nowMs} ${n}`));
      comeAt.delete(nowMs);
      follow(nowMs, schedule.ask(nowMs, demands));
    }
    expect(sent).toHaveLength(10_000);
    expect(Math.max(...sent) - T).toBeLessThanOrEqual(200_000 * 1.02);
    expect(mostIn(1_000, sent)).toBeLessThanOrEqual(50);
    expect(waits).toBeLessThanOrEqual(12_000);
  });

  test("an idle throttle lets a delivery start at once", () => {
    const schedule = newSchedule({ rateLimit: { limit: 1, per: "hour" } });
    expect(schedule.add(T, 1)).toEqual([{ kind: "start", atMs: T }]);
    expect(schedule.add(T + 9_000_000, 1)).toEqual([{ kind: "start", atMs: T + 9_000_000 }]);
  });

  test("a delivery that has waited is not passed by new ones", () => {
    const schedule = newSchedule({ rateLimit: { limit: 1, per: "second" } });
    const times = schedule.add(T, 10).map(timeOf);
    expect(new Set(times).size).toBe(10);
    const backAtMs = times[2] ?? 0;
    expect(schedule.add(backAtMs - 10, 5).map(({ kind }) => kind)).toEqual(Array(5).fill("wait"));
    expect(schedule.ask(backAtMs, [returned("d3")])[0]?.kind).toBe("start");
  });

  test("what comes back all at once after an outage stays in part, and the rest waits its turn", () => {
    const schedule = newSchedule({ rateLimit: { limit: 10, per: "second" } });
    schedule.add(T, 400);
    const nowMs = T + 60_000;
    const answers = schedule.ask(
      nowMs,
      Array.from({ length: 400 }, (_, n) => returned(`d${n}`)),
    );
    const { start = [], wait = [] } = Object.groupBy(answers, ({ kind }) => kind);
    expect(start.length).toBeLessThan(20);
    expect(Math.max(...wait.map(timeOf)) - nowMs).toBeLessThan(41_000);
  });

  test("a start is given to one delivery only", () => {
    const schedule = newSchedule({ rateLimit: { limit: 20, per: "second" } });
    const times = Array.from({ length: 50 }, () => timeOf(schedule.add(T, 1)[0]));
    expect(new Set(times).size).toBe(50);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(20);
  });

  test("a test takes the next start, before all that wait", () => {
    const schedule = newSchedule({ rateLimit: { limit: 1, per: "second" } });
    schedule.add(T, 20);
    const [test] = schedule.ask(T + 1_500, [returned("other"), { id: "test", priority: "test" }]).slice(1);
    expect(test).toMatchObject({ kind: "start" });
    expect(timeOf(test) - T).toBeLessThanOrEqual(2_000);
  });

  test("a test whose start is far away comes back for it", () => {
    const schedule = newSchedule({ rateLimit: { limit: 1, per: "hour" } });
    schedule.add(T, 3);
    const [wait] = schedule.ask(T + 1, [{ id: "test", priority: "test" }]);
    expect(wait).toEqual({ kind: "wait", untilMs: T + 3_600_000, waitsFor: "start" });
    expect(schedule.ask(T + 3_600_000, [returned("d2"), { id: "test", priority: "test" }])).toMatchObject([
      { kind: "wait" },
      { kind: "start", atMs: T + 3_600_000 },
    ]);
  });

  test.each([
    [50, 5],
    [5, 50],
  ])("changed from %i to %i, it holds from then on, after everything that may start before", (before, after) => {
    const schedule = newSchedule({ rateLimit: { limit: before, per: "second" } });
    const old = schedule
      .add(T, 500)
      .filter(({ kind }) => kind === "start")
      .map(timeOf);
    schedule.change({ rateLimit: { limit: after, per: "second" } });
    const times = startAll(schedule, T + 100, 100);
    expect(mostIn(1_000, times)).toBeLessThanOrEqual(after);
    expect(mostIn(1_000, [...old, ...times])).toBeLessThanOrEqual(Math.max(before, after));
    expect(Math.min(...times) - T).toBeLessThan(4_000);
  });

  test("a far start under the old limit does not hold up what comes after a change", () => {
    const schedule = newSchedule({ rateLimit: { limit: 1, per: "hour" } });
    schedule.add(T, 1);
    schedule.ask(T + 1, [fresh("far")]);
    schedule.change({ rateLimit: { limit: 20, per: "second" } });
    expect(timeOf(schedule.add(T + 10_000, 1)[0])).toBeLessThan(T + 15_000);
  });

  test("10,000 starts an hour are stored in the space of one", () => {
    const schedule = newSchedule({ rateLimit: { limit: 10_000, per: "hour" } });
    for (let second = 0; second < 3_600; second += 2) schedule.add(T + second * 1_000, 5);
    expect(schedule.sizeOfState()).toBeLessThan(300);
  });
});
