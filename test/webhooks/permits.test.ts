/**
 * The places that a gate hands out, without a clock: never more deliveries under way than the limit, and none that
 * waits for ever.
 */
import { describe, expect, test } from "vitest";
import { PLACE_LEASE_MS } from "../../src/webhooks/throttling/places";
import { back, fresh, newGate, timeOf } from "../support/gate";

const T = 1_800_000_000_000;

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

  test("a place is kept while its delivery waits for its start", () => {
    const gate = newGate({ maxConcurrent: 1, rateLimit: { limit: 1, per: "second" } });
    expect(gate.add(T, 1)[0]?.kind).toBe("start");
    expect(gate.release(T + 10, ["d1"])).toBe(0);
    expect(gate.add(T + 20, 1)[0]?.kind).toBe("soon");
    expect(gate.ask(T + 500, [back("other", null)], "other")).toMatchObject([{ kind: "wait", waitsFor: "place" }]);
    expect(gate.ask(T + 800, [back("d2", T + 1_009)])[0]?.kind).toBe("start");
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
