/** The language of filters: what holds for which events, what is refused, and what is bounded. */
import { describe, expect, test } from "vitest";
import type { FilterObject } from "../../src/webhooks/filters/filter";
import { matches, reasons } from "../../src/webhooks/filters/match";
import { FilterRefused, parseFilter } from "../../src/webhooks/filters/parse";
import { namesOf, pathOf } from "../../src/webhooks/filters/path";
import { evaluated } from "../support/filters";

const holds = (filter: unknown, payload: unknown, type = "a") => matches(parseFilter(filter), { type, payload });

/** The values that `payload.v` has in the rows below; undefined: it is missing. */
const VALUES = [undefined, null, true, 0, 1, -2, "", "a", "ab", "b", [], [1], ["a", 1], [[1]], {}, { x: 1, y: [2] }];

/** An operator, its operand, and the values for which it holds. The others do not. */
const ROWS: [string, unknown, unknown[]][] = [
  ["$eq", 1, [1, [1], ["a", 1]]],
  ["$eq", "a", ["a", ["a", 1]]],
  ["$eq", null, [null]],
  ["$eq", [1], [[1], [[1]]]],
  ["$eq", { y: [2], x: 1 }, [{ x: 1, y: [2] }]],
  ["$eq", {}, [{}]],
  ["$ne", 1, VALUES.filter((value) => !["1", "[1]", '["a",1]'].includes(String(JSON.stringify(value))))],
  ["$ne", null, VALUES.filter((value) => value !== null)],
  ["$in", [0, "b", [1]], [0, "b", [1], [[1]]]],
  ["$nin", [0, "b", null], VALUES.filter((value) => value !== 0 && value !== "b" && value !== null)],
  ["$gt", 0, [1, [1], ["a", 1]]],
  ["$gte", 0, [0, 1, [1], ["a", 1]]],
  ["$lt", 0, [-2]],
  ["$lte", 0, [0, -2]],
  ["$gt", "a", ["ab", "b"]],
  ["$lte", "a", ["", "a", ["a", 1]]],
  ["$startsWith", "a", ["a", "ab", ["a", 1]]],
  ["$endsWith", "b", ["ab", "b"]],
  ["$contains", "b", ["ab", "b"]],
  ["$contains", "", ["", "a", "ab", "b", ["a", 1]]],
  ["$exists", true, VALUES.slice(1)],
  ["$exists", false, [undefined]],
];

describe("the truth table", () => {
  test.each(ROWS)("%s %j", (operator, operand, held) => {
    const texts = held.map((value) => JSON.stringify(value));
    for (const value of VALUES) {
      const payload = value === undefined ? {} : { v: value };
      const found = [JSON.stringify(value), holds({ "payload.v": { [operator]: operand } }, payload)];
      expect(found).toEqual([JSON.stringify(value), texts.includes(JSON.stringify(value))]);
      expect([value, holds({ payload: { v: { $not: { [operator]: operand } } } }, payload)]).toEqual([
        value,
        !found[1],
      ]);
    }
  });

  test.each<[unknown, unknown, boolean]>([
    [{ type: "a" }, 1, true],
    [{ type: { $startsWith: "b" } }, 1, false],
    [{ payload: 1 }, 1, true],
    [{ payload: [1, 2] }, [1, 2], true],
    [{ "payload.a.b": 1 }, { a: { b: 1 } }, true],
    [{ payload: { "a.b": 1 } }, { a: { b: 1 } }, true],
    [{ payload: { a: { b: 1 } } }, { "a.b": 1 }, false],
    [{ "payload.a\\.b": 1 }, { "a.b": 1 }, true],
    [{ "payload.\\$a": 1 }, { $a: 1 }, true],
    [{ "payload.a\\\\b": 1 }, { "a\\b": 1 }, true],
    [{ "payload.items.sku": "x" }, { items: [{ sku: "y" }, { sku: "x" }] }, true],
    [{ "payload.items.1.sku": "x" }, { items: [{ sku: "x" }, { sku: "y" }] }, false],
    [{ "payload.items.0": 7 }, { items: { 0: 7 } }, true],
    [{ "payload.items.sku": { $exists: true } }, { items: [] }, false],
    [{ "payload.items.n": { $gt: 1, $lt: 3 } }, { items: [{ n: 0 }, { n: 5 }] }, true],
    [{ "payload.a.a": 1 }, { a: [[{ a: 1 }]] }, true],
    [{ $or: [{ type: "b" }, { "payload.a": 1 }] }, { a: 1 }, true],
    [{ $and: [{ type: "a" }, { "payload.a": 2 }] }, { a: 1 }, false],
    [{ $not: { "payload.a": 1 }, type: "a" }, { a: 1 }, false],
    [{ "payload.n": { $or: [{ $lt: 1 }, { $gt: 9 }], $ne: 10 } }, { n: 11 }, true],
    [{ "payload.n": { $or: [{ $lt: 1 }, { $gt: 9 }], $ne: 10 } }, { n: 10 }, false],
    [{ "payload.constructor": { $exists: true } }, {}, false],
    [{ "payload.length": { $exists: true } }, [1], false],
    [{ "payload.a": { $gt: "\uffff" } }, { a: "\u{10000}" }, true],
    [{ "payload.a": { $contains: "aab" } }, { a: "aaaaab" }, true],
    [{ "payload.a": { $contains: "abab" } }, { a: "abacabab" }, true],
  ])("%j over %j: %s", (filter, payload, expected) => {
    expect(holds(filter, payload)).toBe(expected);
  });
});

test("an own member __proto__ is a path like any other", () => {
  const filter = JSON.parse('{"payload":{"__proto__":{"a":1}}}');
  expect([holds(filter, JSON.parse('{"__proto__":{"a":1}}')), holds(filter, {})]).toEqual([true, false]);
});

test("two evaluators agree about 3,000 random filters and payloads", () => {
  let seed = 11;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const value = (depth: number): unknown => {
    const kind = random(depth > 0 ? 9 : 6);
    if (kind < 6) return pick([null, true, 0, 1, 2, "", "a", "b", "ab"]);
    if (kind === 6) return Array.from({ length: random(3) }, () => value(depth - 1));
    return Object.fromEntries(Array.from({ length: random(3) }, () => [pick(["a", "b", "0"]), value(depth - 1)]));
  };
  const comparison = (): FilterObject => {
    const operator = pick(["$eq", "$ne", "$in", "$nin", "$gt", "$lte", "$startsWith", "$contains", "$exists"]);
    if (operator === "$in" || operator === "$nin") return { [operator]: [value(1), value(0)] };
    if (operator === "$exists") return { $exists: random(2) === 0 };
    if (operator === "$eq" || operator === "$ne") return { [operator]: value(1) };
    return { [operator]: operator === "$gt" || operator === "$lte" ? pick([0, 1, "a", ""]) : pick(["a", "", "b"]) };
  };
  const filter = (depth: number, isRoot: boolean): FilterObject => {
    const kind = random(depth > 0 ? 6 : 2);
    const path = `${isRoot ? "payload." : ""}${pick(["a", "b", "a.b", "0", "a.0", "b.a.0"])}`;
    if (kind === 0 && !isRoot) return comparison();
    if (kind < 3) return { [path]: depth > 0 && random(2) ? filter(depth - 1, false) : comparison() };
    if (kind === 3) return { $not: filter(depth - 1, isRoot), [path]: comparison() };
    return { [pick(["$and", "$or"])]: [filter(depth - 1, isRoot), filter(depth - 1, isRoot)] };
  };
  const held = Array.from({ length: 3_000 }, () => {
    const [tried, subject] = [filter(3, true), { type: "a", payload: value(3) }];
    const found = matches(parseFilter(tried), subject);
    expect([tried, subject, found]).toEqual([tried, subject, evaluated(tried, subject)]);
    expect(reasons(parseFilter(tried), subject).length > 0).toBe(!found);
    return found;
  });
  // The generator makes both outcomes often.
  expect(held.filter(Boolean).length).toBeGreaterThan(500);
  expect(held.filter((found) => !found).length).toBeGreaterThan(500);
});

const nested = (depth: number): object => (depth === 0 ? { $eq: 1 } : { a: nested(depth - 1) });

test.each<[unknown, string]>([
  [{}, ""],
  [[], ""],
  ["x", ""],
  [null, ""],
  [{ total: 1 }, "total"],
  [{ $eq: 1 }, "$eq"],
  [{ $not: { $eq: 1 } }, "$not.$eq"],
  [{ $and: [] }, "$and"],
  [{ $or: { type: "a" } }, "$or"],
  [{ $or: [{ type: "a" }, {}] }, "$or.1"],
  [{ $and: Array(21).fill({ type: "a" }) }, "$and"],
  [{ $nor: [{ type: "a" }] }, "$nor"],
  [{ payload: {} }, "payload"],
  [{ payload: { total: { $gt: [1] } } }, "payload.total.$gt"],
  [{ payload: { total: { $regex: "a" } } }, "payload.total.$regex"],
  [{ payload: { total: { $gt: 1, x: 2 } } }, "payload.total.x"],
  [{ "payload.total": { $in: [] } }, "payload.total.$in"],
  [{ "payload.total": { $nin: Array(101).fill(1) } }, "payload.total.$nin"],
  [{ "payload.total": { $exists: 1 } }, "payload.total.$exists"],
  [{ "payload.total": { $startsWith: 1 } }, "payload.total.$startsWith"],
  [{ "payload..total": 1 }, "payload..total"],
  [{ "payload.$gt": 1 }, "payload.$gt"],
  [{ "payload.a\\b": 1 }, "payload.a\\b"],
  [{ payload: nested(9) }, ""],
  [{ "payload.a": "x".repeat(8_200) }, ""],
  [{ payload: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}`, at])) }, ""],
])("%j is refused at %j", (filter, place) => {
  const refused = (() => {
    try {
      return parseFilter(filter);
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(FilterRefused);
  expect((refused as FilterRefused).place.join(".")).toBe(place);
});

test("100 conditions, 20 branches, 100 listed values and 10 levels are allowed", () => {
  const hundred = Array.from({ length: 100 }, (_, at) => at);
  parseFilter({ payload: Object.fromEntries(hundred.map((at) => [`a${at}`, at])) });
  parseFilter({ $or: Array(20).fill({ type: "a" }) });
  parseFilter({ "payload.a": { $in: hundred } });
  parseFilter({ payload: nested(8) });
});

test("a filter that would read more than 20,000 values lets the event through", () => {
  const filter = { "payload.items": "x" };
  expect(holds(filter, { items: Array(15_000).fill(1) })).toBe(false);
  expect(holds(filter, { items: Array(25_000).fill(1) })).toBe(true);
  expect(holds({ $not: { "payload.items": { $eq: 1 } } }, { items: Array(25_000).fill(2) })).toBe(true);
});

test("looking for a long part in a long text of one letter ends", () => {
  const filter = { "payload.a": { $contains: `b${"a".repeat(8_000)}` } };
  expect(holds(filter, { a: "a".repeat(260_000) })).toBe(false);
});

test("looking for a long part in thousands of short texts ends, in each of 100 filters", () => {
  const filter = parseFilter({ "payload.a": { $contains: "ab".repeat(4_000) } });
  const subject = { type: "a", payload: { a: Array(9_000).fill("a") } };
  expect(Array.from({ length: 100 }, () => matches(filter, subject))).toEqual(Array(100).fill(false));
});

test("reasons tell path, operator, operand and what was found, at most 20", () => {
  const filter = { type: "b", payload: { n: { $gt: 5 }, "a\\.b": { $exists: true } }, $not: { "payload.n": 1 } };
  expect(reasons(parseFilter(filter), { type: "a", payload: { n: 1 } })).toEqual([
    { path: "type", operator: "$eq", expected: "b", found: "string" },
    { path: "payload.n", operator: "$gt", expected: 5, found: "number" },
    { path: "payload.a\\.b", operator: "$exists", expected: true, found: "missing" },
    { path: "", operator: "$not", expected: { "payload.n": 1 }, found: "object" },
  ]);
  const many = { payload: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`a${at}`, at])) };
  expect(reasons(parseFilter(many), { type: "a", payload: null })).toHaveLength(20);
});

test("a condition that does not hold is found in any event that a filter keeps back", () => {
  const filter = { payload: { $or: [{ "items.x": { $gt: 5 }, k: 1 }, { "items.x": { $lt: 0 } }] } };
  const payload = { items: Array(4_500).fill({ x: 1 }) };
  expect(holds(filter, payload)).toBe(false);
  expect(reasons(parseFilter(filter), { type: "a", payload })).toEqual([
    { path: "payload.items.x", operator: "$gt", expected: 5, found: "number" },
    { path: "payload.k", operator: "$eq", expected: 1, found: "missing" },
    { path: "payload.items.x", operator: "$lt", expected: 0, found: "number" },
  ]);
});

test("a path is written as it is read", () => {
  for (const names of [["payload", "a.b", "$c", "d\\e"], ["type"], ["payload", "0", "a$"]]) {
    expect(namesOf(pathOf(names))).toEqual(names);
  }
});
