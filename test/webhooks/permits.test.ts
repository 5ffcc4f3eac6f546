/**
 * The permits of a concurrency limit, without a clock: never more deliveries in progress than the limit, and none that
 * waits for ever.
 */
import { describe, expect, test } from "vitest";
import { PERMIT_LEASE_MS, START_WITHIN_MS } from "../../src/webhooks/plane/timing";
import { seeded } from "../support/faults/random";
import { fresh, newSchedule, returned, timeOf } from "../support/schedule";

const T = 1_800_000_000_000;
/** A permit lasts from the latest start. */
const FREE_MS = T + START_WITHIN_MS + PERMIT_LEASE_MS;

describe("a limit of concurrency", () => {
  const LIMITS = { maxConcurrent: 2 };

  test("lets so many start; the others wait, and one of them gets each permit that becomes free", () => {
    const schedule = newSchedule(LIMITS);
    const answers = schedule.add(T, 5);
    expect(answers.map(({ kind }) => kind)).toEqual(["start", "start", "wait", "wait", "wait"]);
    const demands = [returned("d3"), returned("d4")];
    expect(schedule.ask(T + 100, demands, { ended: ["d1"] }).map(({ kind }) => kind)).toEqual(["start", "wait"]);
  });

  test("a permit that is kept for a waiting delivery goes to no other one", () => {
    const schedule = newSchedule(LIMITS);
    schedule.add(T, 3);
    schedule.ask(T + 100, [], { ended: ["d1"], called: ["d3"] });
    expect(schedule.add(T + 100, 1)[0]?.kind).toBe("wait");
    expect(schedule.ask(T + 200, [returned("d3")], { holder: "other" })[0]?.kind).toBe("start");
  });

  test("a delivery that waits for its start has no permit", () => {
    const schedule = newSchedule({ maxConcurrent: 1, rateLimit: { limit: 1, per: "minute" } });
    expect(schedule.add(T, 1)[0]?.kind).toBe("start");
    expect(schedule.ask(T + 10, [fresh("d2")], { ended: ["d1"] })).toMatchObject([{ waitsFor: "start" }]);
    expect(schedule.ask(T + 60_000, [returned("d3")])[0]?.kind).toBe("start");
    expect(schedule.ask(T + 60_000, [returned("d2")], { holder: "other" })).toMatchObject([{ waitsFor: "permit" }]);
  });

  test("only its holder ends a permit, and the permit of a dead holder is free after its lease", () => {
    const schedule = newSchedule(LIMITS);
    schedule.add(T, 2);
    expect(schedule.ask(T, [fresh("d3")], { ended: ["d1"], holder: "other" })[0]?.kind).toBe("wait");
    expect(schedule.ask(FREE_MS - 1, [fresh("d3")])[0]?.kind).toBe("wait");
    expect(schedule.ask(FREE_MS, [fresh("d3")])[0]?.kind).toBe("start");
  });

  test("a delivery has one permit, even if two runs ask for it", () => {
    const schedule = newSchedule(LIMITS);
    expect(schedule.ask(T, [fresh("same")], { holder: "one" })[0]?.kind).toBe("start");
    expect(schedule.ask(T, [fresh("same")], { holder: "two" })[0]?.kind).toBe("wait");
    expect(schedule.ask(T, [fresh("other")], { holder: "two" })[0]?.kind).toBe("start");
  });

  test("is exact whatever runs do, in whichever order, and whichever answers they miss", () => {
    for (let seed = 0; seed < 200; seed += 1) expect(mostInProgress(seed), `seed ${seed}`).toBe(LIMITS.maxConcurrent);
  });

  /** The most deliveries in progress at once while runs ask, miss answers, end deliveries and call others. */
  function mostInProgress(seed: number): number {
    const { chance, integer, pick } = seeded(seed);
    const schedule = newSchedule(LIMITS);
    const ids = ["d1", "d2", "d3", "d4", "d5", "d6"];
    const runOf = new Map<string, string>();
    /** Those that have ended, of which the throttle hears later. */
    const late: { id: string; holder: string }[] = [];
    let [nowMs, most] = [T, 0];
    for (let step = 0; step < 200; step += 1) {
      nowMs += integer(0, 300);
      for (const [id, holder] of [...runOf].filter(() => chance(0.25))) {
        runOf.delete(id);
        late.push({ id, holder });
      }
      for (const one of late.filter(() => chance(0.5))) {
        const called = chance(0.5) ? ids.filter((other) => !runOf.has(other) && chance(0.3)) : [];
        schedule.ask(nowMs, [], { holder: one.holder, ended: [one.id], called });
        late.splice(late.indexOf(one), 1);
      }
      const holder = pick(["run 1", "run 2", "run 3"]);
      // Only the run that has claimed a delivery asks for it, and a run has each delivery once.
      const hasHad = (id: string) => late.some((one) => one.id === id && one.holder === holder);
      const demanded = ids.filter((id) => !runOf.has(id) && !hasHad(id) && chance(0.5));
      const answers = schedule.ask(nowMs, demanded.map(chance(0.5) ? fresh : returned), { holder });
      const started = chance(0.25) ? [] : demanded.filter((_, position) => answers[position]?.kind === "start");
      for (const id of started) runOf.set(id, holder);
      most = Math.max(most, runOf.size);
    }
    return most;
  }

  test("the waiting come back one by one, as far apart as dead runs keep permits", () => {
    const waits = newSchedule(LIMITS).add(T, 12).slice(2).map(timeOf);
    expect(waits).toEqual(Array.from({ length: 10 }, (_, n) => T + ((n + 1) * PERMIT_LEASE_MS) / 2));
  });
});
