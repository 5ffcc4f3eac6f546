/** JSON Schema: what a schema accepts, and that nobody can make the service compute for long. */
import { type Schema as ReferenceSchema, Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { compileSchema, SchemaRefused } from "../../src/webhooks/event-types/json-schema/check";
import { matches } from "../../src/webhooks/event-types/json-schema/match";
import { compilePattern } from "../../src/webhooks/event-types/json-schema/pattern";
import { validate } from "../../src/webhooks/event-types/json-schema/validate";
import { Meter, OutOfSteps, VALIDATION_STEPS } from "../../src/webhooks/work/meter";

const findings = (schema: unknown, value: unknown) => validate(compileSchema(schema), value, "payload");
const isValid = (schema: unknown, value: unknown) => findings(schema, value).length === 0;

describe("a pattern", () => {
  const patterns = [
    ...["a", "^a$", "^[a-z0-9]+(?:-[a-z0-9]+)*$", "a|b|", "^(a|bc){2,3}$", "x*?y", "\\bfoo\\b", "\\Boo", "[^a-c]$"],
    ...[
      "^\\d{3}-\\d{4}$",
      "\\s",
      "[\\s\\S]x",
      "[\\D]",
      "^\\u0041\\x42$",
      "^.$",
      "^(?<name>a)+$",
      "a{0}b",
      "(a*)*b",
      "^$",
    ],
    ...["[a\\-z]", "[-a]", "\\.", "^\\u{1F600}$", "[^\\W]", "(|a)+$", "^a{2,}$", "\\t", "[]a]"],
  ];
  const texts = [
    ...["", "a", "b", "ab", "abc", "bcbc", "aabc", "foo", "a foo b", "food", "boo", "123-4567", "AB", "x", "y", "xxy"],
    ...["a-b-c", "a--b", "😀", "\n", " x", "-", "z", ".", "aaa", "aab", "\t", "d", "]", "]a"],
  ];

  test.each(patterns)("%s matches what the engine of the language matches", (pattern) => {
    let reference: RegExp;
    try {
      reference = new RegExp(pattern, "u");
    } catch {
      expect(() => compilePattern(pattern)).toThrow();
      return;
    }
    const program = compilePattern(pattern);
    const found = texts.filter((text) => matches(program, text, new Meter(VALIDATION_STEPS)));
    expect(found).toEqual(texts.filter((text) => reference.test(text)));
  });

  test.each([
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(a)\\1",
    "\\k<a>",
    "(a{1000}){1000}",
    "a{1001}",
    "(",
    ")",
    "[",
    "*",
    "a**",
    "\\",
    "a".repeat(257),
    "\\p{L}",
  ])("%s is refused", (pattern) => expect(() => compilePattern(pattern)).toThrow());

  test.each([
    "(a*)*b",
    "(a|a)*b",
    "(a|aa)+$",
    ".*.*.*.*x",
    "([a-z]+)*!",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]$",
    "(.{1,30}){1,10}q",
  ])("%s on 64 KiB ends after bounded work", (pattern) => {
    const started = performance.now();
    let outcome: boolean | "too costly" = "too costly";
    try {
      outcome = matches(compilePattern(pattern), "a".repeat(65_536), new Meter(VALIDATION_STEPS));
    } catch (error) {
      expect(error).toBeInstanceOf(OutOfSteps);
    }
    expect(outcome).not.toBe(undefined);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("hostile schemas and payloads are invalid after bounded work", () => {
  const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const manyNames = Array.from({ length: 5_000 }, (_, at) => `n${at}`);
  const manyMembers = Object.fromEntries(manyNames.map((name) => [name, 1]));
  test.each([
    [
      "branches that double with each level",
      { anyOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }], not: { type: "string" } },
      nested(400),
    ],
    [
      "60,000 items that must differ, 200 times",
      { allOf: Array(200).fill({ uniqueItems: true }) },
      Array.from({ length: 60_000 }, (_, at) => at),
    ],
    [
      "a schema for each of 200,000 items",
      { items: { allOf: [{ type: "number" }, true, true] } },
      Array(200_000).fill("a"),
    ],
    [
      "a list of all names at each of 1,000 prefixes",
      { patternProperties: Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`^p${at}`, true])) },
      Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`x${at}`, 1])),
    ],
    ["5,000 names that each of 60,000 objects must have", { items: { required: manyNames } }, Array(60_000).fill({})],
  ])("%s", (_, schema, value) => {
    expect(findings(schema, value)).toEqual([{ path: "payload", message: "schema: too costly to check" }]);
  });

  // Each took minutes when every value read all of the keyword.
  test.each([
    [
      "names on which others depend",
      { dependentRequired: Object.fromEntries(manyNames.slice(0, 3000).map((n) => [n, ["a"]])) },
      0,
    ],
    [
      "names on which schemas depend",
      { dependentSchemas: Object.fromEntries(manyNames.slice(0, 1900).map((n) => [n, true])) },
      0,
    ],
    [
      "prefixes of names",
      { patternProperties: Object.fromEntries(manyNames.slice(0, 1900).map((n) => [`^${n}`, true])) },
      0,
    ],
    ["members of the only value that is allowed", { const: manyMembers }, 10],
    ["members of a listed value", { enum: [manyMembers, 1] }, 10],
  ])("30,000 empty objects are checked with thousands of %s", (_, items, expected) => {
    expect(findings({ items }, Array(30_000).fill({}))).toHaveLength(expected);
  });

  test("2,000 large patterns are refused", () => {
    const allOf = Array.from({ length: 1990 }, (_, at) => ({ pattern: `${at}.{900}` }));
    expect(() => compileSchema({ allOf })).toThrow(SchemaRefused);
  });

  test("100 values of one request cost no more than five", () => {
    const [compiled, meter] = [compileSchema({ items: { type: "integer" } }), new Meter()];
    const all = Array.from({ length: 100 }, () => validate(compiled, Array(50_000).fill(1), "payload", meter));
    expect(all.filter((found) => found.length === 0).length).toBeGreaterThan(5);
    expect(all.at(-1)).toEqual([{ path: "payload", message: "schema: too costly to check" }]);
  });

  test("no more than ten findings are told", () => {
    expect(findings({ items: { type: "string" } }, Array(1000).fill(1))).toHaveLength(10);
  });

  test("a name like __proto__ is a name", () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["constructor"]}');
    expect(findings(schema, JSON.parse('{"__proto__":1}'))).toEqual([
      { path: "payload", message: "required: constructor" },
      { path: "payload.__proto__", message: "type: string" },
    ]);
  });

  test.each([
    ["above 64 KiB", { description: "x".repeat(65_537) }],
    ["deeper than 20", Array.from({ length: 22 }).reduce((inner) => ({ not: inner }), {})],
    ["of 2,001 subschemas", { allOf: Array(2001).fill(true) }],
  ])("a schema %s is refused", (_, schema) => expect(() => compileSchema(schema)).toThrow(SchemaRefused));
});

describe("a value is validated as by another implementation", () => {
  const subschemas = [
    ...[
      true,
      false,
      { type: "string" },
      { type: ["integer", "null"] },
      { enum: [1, "a", [1], { a: 1 }] },
      { const: { a: [1] } },
    ],
    ...[
      { minLength: 2 },
      { maxLength: 1 },
      { pattern: "^a" },
      { minimum: 2 },
      { exclusiveMaximum: 3 },
      { multipleOf: 0.1 },
    ],
    ...[
      { minItems: 1 },
      { uniqueItems: true },
      { required: ["a"] },
      { minProperties: 2 },
      { dependentRequired: { a: ["b"] } },
    ],
    ...[
      { propertyNames: { maxLength: 1 } },
      { contains: { type: "string" } },
      { contains: { type: "string" }, minContains: 2 },
    ],
    ...[
      { prefixItems: [{ type: "string" }], items: { type: "integer" } },
      { patternProperties: { "^a": { type: "integer" } } },
    ],
    ...[
      { format: "ipv4" },
      { format: "date" },
      { format: "uuid" },
      { maxProperties: 1 },
      { additionalProperties: { type: "string" } },
    ],
    ...[{ properties: { a: { type: "integer" } }, additionalProperties: false }],
    ...[{ contains: { type: "string" }, minContains: 0, maxContains: 1 }],
  ];
  const values = [
    ...[null, true, 0, 1, 2, 2.5, 0.3, -1, "", "a", "ab", "ba", "😀", "1.2.3.4", "2026-02-30", "2026-02-28"],
    ...[
      [],
      [1],
      ["a"],
      ["a", 1],
      ["a", "a"],
      [1, 1],
      [[1]],
      [{ a: 1 }, { a: 1 }],
      {},
      { a: 1 },
      { a: "x" },
      { a: 1, b: 2 },
    ],
    ...[{ ab: 1 }, { a: [1] }, "6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
  ];
  const composed = (first: unknown, second: unknown): unknown[] => [
    ...[
      { allOf: [first, second] },
      { anyOf: [first, second] },
      { oneOf: [first, second] },
      JSON.parse(JSON.stringify({ if: first, th: second }).replace('"th":', '"then":')),
    ],
    ...[{ if: first, else: second }, { not: { anyOf: [first, second] } }, { items: { anyOf: [first, second] } }],
    ...[
      { properties: { a: first }, additionalProperties: second },
      { dependentSchemas: { a: first }, allOf: [second] },
    ],
    ...[
      { $defs: { x: first }, $ref: "#/$defs/x", not: second },
      { allOf: [first, { properties: { a: true } }], unevaluatedProperties: second },
    ],
    ...[{ anyOf: [first, { prefixItems: [second] }], unevaluatedItems: false }],
  ];

  test("for single keywords and for those that combine them", () => {
    // Each pair is combined in one of the ways; all pairs in all ways would take long.
    const pairs = subschemas.flatMap((first, row) =>
      subschemas.map((second, column) => composed(first, second)[(7 * row + column) % 12]),
    );
    const schemas = [...subschemas, ...pairs];
    const differing: unknown[] = [];
    for (const schema of schemas) {
      const reference = new Validator(structuredClone(schema) as ReferenceSchema, "2020-12", false);
      const compiled = compileSchema(schema);
      for (const value of values) {
        if (reference.validate(value).valid === (validate(compiled, value, "").length === 0)) continue;
        if (differing.length < 5) differing.push({ schema, value, reference: reference.validate(value).valid });
      }
    }
    expect(differing).toEqual([]);
  });
});

test.each([
  [
    "date-time",
    ["2026-01-02T03:04:05Z", "2026-01-02t03:04:05.6+01:00", "1990-12-31T23:59:60Z"],
    ["2026-01-02 03:04:05Z", "2026-01-02", "2026-13-02T03:04:05Z"],
  ],
  ["duration", ["P1D", "PT1H", "P1Y2M3DT4H5M6S", "P2W"], ["P", "PT", "1D", "P1D2H"]],
  ["email", ["a@example.com", "a.b+c@x"], ["a", "@x", "a..b@x", "a b@x"]],
  ["hostname", ["a", "a-b.example"], ["-a", "a_b", "a..b", ""]],
  ["ipv6", ["::1", "2001:db8::1"], ["1.2.3.4", "::g", "::1%eth0"]],
  ["uri", ["https://example.com/a?b#c", "urn:x:y"], ["/a", "a b:c", "http://%zz"]],
])("the format %s is asserted", (format, right, wrong) => {
  expect(right.filter((text) => !isValid({ format }, text))).toEqual([]);
  expect(wrong.filter((text) => isValid({ format }, text))).toEqual([]);
});
