/** What requests cost that look at what is stored: the page of an event, and changes of schemas. In steps, as work. */
import { describe, expect, test } from "vitest";
import { areEqual } from "../../src/webhooks/event-types/json-schema/canonical";
import { breaksOf } from "../../src/webhooks/event-types/json-schema/compare";
import { FilteredEvent } from "../../src/webhooks/events/why-filtered";
import { Meter, OutOfSteps, REQUEST_STEPS } from "../../src/webhooks/work/meter";

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const members = (count: number) => Object.fromEntries(times(count, (at): [string, unknown] => [`n${at}`, 1]));
const unbounded = () => new Meter(Number.POSITIVE_INFINITY);

test("100 filters that have kept an event back say why for no more than a request may spend", () => {
  const conditions = times(80, () => ({ "payload.x": { $contains: `b${"a".repeat(60)}` } }));
  const branches = times(4, (at) => ({ $or: conditions.slice(at * 20, at * 20 + 20) }));
  const filter = JSON.stringify({ $or: branches });
  const payload = JSON.stringify({ x: times(120, () => "a".repeat(2_000)) });
  const event = new FilteredEvent("t", { type: "a", payload });
  const told = times(100, (at) => event.why({ id: `${at}`, filter }));
  expect(event.meter.spent).toBeLessThan(REQUEST_STEPS * 1.1);
  expect(told.every(({ because }) => Array.isArray(because))).toBe(true);
});

describe("a change of a schema", () => {
  const enumeration = times(3_000, (at) => ({ a: at }));

  test("is compared in steps that grow with the schema", () => {
    const meter = unbounded();
    breaksOf({ enum: enumeration }, { enum: [...enumeration].reverse() }, meter);
    expect(meter.spent).toBeGreaterThan(JSON.stringify(enumeration).length * 0.2);
    expect(meter.spent).toBeLessThan(JSON.stringify(enumeration).length);
  });

  test("that sends the members in another order is paid for before it is found to change nothing", () => {
    const [meter, reversed] = [unbounded(), Object.fromEntries(Object.entries(members(3_000)).reverse())];
    expect(areEqual(members(3_000), reversed, meter)).toBe(true);
    expect(meter.spent).toBeGreaterThan(3_000);
    expect(() => areEqual(members(3_000), reversed, new Meter(10))).toThrow(OutOfSteps);
    expect(areEqual(members(3_000), members(3_000), new Meter(0))).toBe(true);
  });
});
