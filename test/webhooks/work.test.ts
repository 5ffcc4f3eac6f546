/**
 * What running a tenant's filters, schemas, imports and exports costs, in the steps of the meter. The clock is not
 * asked: `npm run bench -- --only hostile` does that.
 */
import { describe, expect, test } from "vitest";
import { Definitions } from "../../src/webhooks/event-types/export/type-text";
import { typesOfOpenapi } from "../../src/webhooks/event-types/import/openapi";
import { ImportReport } from "../../src/webhooks/event-types/import/report";
import { compileSchema, SchemaRefused } from "../../src/webhooks/event-types/json-schema/check";
import { breaksOf } from "../../src/webhooks/event-types/json-schema/compare";
import { validate } from "../../src/webhooks/event-types/json-schema/validate";
import { matches, reasons } from "../../src/webhooks/filters/match";
import { parseFilter } from "../../src/webhooks/filters/parse";
import { COMPILING_STEPS, FILTER_STEPS, Meter, REQUEST_STEPS, VALIDATION_STEPS } from "../../src/webhooks/work/meter";

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const members = (count: number, value: unknown = 1) =>
  Object.fromEntries(times(count, (at): [string, unknown] => [`n${at}`, value]));
const TOO_COSTLY = [{ path: "payload", message: "schema: too costly to check" }];

const unbounded = () => new Meter(Number.POSITIVE_INFINITY);

function filtered(filter: unknown, payload: unknown): { matches: boolean; steps: number } {
  const meter = unbounded();
  return { matches: matches(parseFilter(filter), { type: "a", payload }, meter), steps: meter.spent };
}

function validated(schema: unknown, payload: unknown): { findings: unknown[]; steps: number } {
  const meter = unbounded();
  return { findings: validate(compileSchema(schema), payload, "payload", meter), steps: meter.spent };
}

/** What was refused, by its place. */
function refusal(compile: () => unknown): [string, string][] {
  try {
    compile();
    return [];
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error;
    return error.details.map(({ path, message }) => [path, message]);
  }
}

describe("a filter", () => {
  test("lists a large object once, however many operands it is compared with", () => {
    const filter = { $or: times(18, () => ({ "payload.x": { $in: times(100, () => ({})) } })) };
    const { matches: held, steps } = filtered(filter, { x: members(19_000) });
    expect(held).toBe(false);
    expect(steps).toBeLessThan(19_000 * 0.1 + 18 * 100 + 1_000);
  });

  /** Each would take long if what it does were not paid for. The number is how many conditions a filter has. */
  test.each<[string, number, unknown, unknown]>([
    ["looks for parts in a long text", 80, { $contains: `b${"a".repeat(60)}` }, "a".repeat(250_000)],
    ["compares long texts by code points", 1, { $gt: "a".repeat(7_800) }, times(30, () => "a".repeat(8_000))],
    ["compares long texts", 1, { $in: ["a".repeat(3_000)] }, times(80, () => `${"a".repeat(2_999)}b`)],
    ["looks for listed values in a list", 10, { $in: times(100, (at) => at) }, times(15_000, () => -1)],
    ["compares objects", 10, { $in: times(60, () => ({ a: 1 })) }, times(5_000, () => ({ a: 2 }))],
    ["goes through lists of lists", 90, { $gt: 1 }, times(200, () => times(200, () => 0))],
  ])("that %s spends no more than it may", (_, conditions, condition, value) => {
    const many = Math.min(20, conditions);
    const filter = {
      $or: times(Math.ceil(conditions / 20), () => ({ $or: times(many, () => ({ "payload.x": condition })) })),
    };
    const { steps } = filtered(filter, { x: value });
    expect(steps).toBeLessThan(FILTER_STEPS * 1.3);
    reasons(parseFilter(filter), { type: "a", payload: { x: value } });
  });

  test("100 of them on 100 events spend no more than a request may", () => {
    const [filter, request] = [parseFilter({ "payload.x": { $contains: "ab" } }), new Meter()];
    const subject = { type: "a", payload: { x: "a".repeat(10_000) } };
    const all = times(10_000, () => matches(filter, subject, request));
    // The first ones are evaluated, the last ones let the event through.
    expect([all[0], all.at(-1)]).toEqual([false, true]);
  });
});

describe("a schema", () => {
  test("has names of at most 256 characters, wherever names are", () => {
    const long = "a".repeat(257);
    const schema = {
      properties: { [long]: true },
      $defs: { [long]: true },
      patternProperties: { [`^${long}`]: true },
      dependentSchemas: { [long]: true },
      required: [long],
    };
    const found = refusal(() => compileSchema(schema));
    expect(found.map(([path]) => path.split(".")[0]).sort()).toEqual(Object.keys(schema).sort());
    expect(found.every(([, message]) => message.includes("256 characters"))).toBe(true);
    expect(found.every(([path]) => path.length < 300)).toBe(true);
    expect(refusal(() => compileSchema({ properties: { ["a".repeat(256)]: true } }))).toEqual([]);
  });

  test("is compiled in steps that grow with its subschemas, not with its pointers", () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? { allOf: times(1_900, () => true) } : { properties: { ["a".repeat(256)]: nested(depth - 1) } };
    const meter = unbounded();
    compileSchema(nested(15), meter);
    expect(meter.spent).toBeLessThan(2_500);
  });

  test("is refused with the place and the figure if its patterns take too much", () => {
    const deep = (at: number) => `${"(".repeat(120)}a{${900 + at}}${")".repeat(120)}`;
    const found = refusal(() =>
      compileSchema({ properties: Object.fromEntries(times(100, (at) => [`p${at}`, { pattern: deep(at) }])) }),
    );
    expect(found[0]?.[0]).toMatch(/^properties\.p\d+\.pattern$/);
    expect(found[0]?.[1]).toMatch(/10000 instructions|200000 steps/);
  });

  test("of patterns that copy much is refused, though they are small", () => {
    // Each level of groups copies what is in it.
    const pattern = (at: number) => `${"(".repeat(110)}(a${at}){400}${")".repeat(110)}`;
    const meter = unbounded();
    const allOf = times(12, (at) => ({ pattern: pattern(at) }));
    refusal(() => compileSchema({ allOf }, meter));
    expect(meter.spent).toBeLessThan(COMPILING_STEPS * 1.2);
  });

  test("tells at most 100 breaks without making the others", () => {
    const schema = (names: string[]) => ({ properties: { a: { required: names } } });
    const breaks = breaksOf(schema([]), schema(times(9_000, (at) => `n${at}`)));
    expect(breaks?.publishers).toHaveLength(100);
  });
});

describe("a validation", () => {
  const large = members(18_000);
  /** What took seconds: each listed, sorted or printed the whole value, again and again. */
  test.each<[string, unknown, unknown]>([
    ["const", { allOf: times(1_000, (at) => ({ const: { a: at } })) }, large],
    ["enum", { allOf: times(1_000, (at) => ({ enum: [{ a: at }, [at]] })) }, large],
    ["minProperties", { allOf: times(1_900, () => ({ minProperties: 1 })) }, large],
    [
      "uniqueItems",
      { allOf: times(1_900, () => ({ uniqueItems: true })) },
      times(5_000, (at) => ({ at, large: members(3) })),
    ],
    ["minLength", { allOf: times(1_900, () => ({ minLength: 1 })) }, "a".repeat(250_000)],
    ["pattern", { items: { pattern: "a{900}b" } }, times(60_000, () => "")],
    ["format", { allOf: times(1_900, () => ({ format: "uri" })) }, `a:${"a".repeat(250_000)}`],
    [
      "dependentRequired",
      { items: { dependentRequired: { a: times(6_000, (at) => `n${at}`) } } },
      times(9_000, () => ({ a: 1 })),
    ],
    [
      "minimum of a long number",
      { allOf: times(1_900, () => ({ minimum: 1, type: "integer" })) },
      JSON.rawJSON(`1${"0".repeat(250_000)}1`),
    ],
    ["unevaluatedProperties", { allOf: times(900, () => ({ unevaluatedProperties: true })) }, large],
  ])("by %s is bounded", (_, schema, payload) => {
    const { steps } = validated(schema, payload);
    expect(steps).toBeLessThan(VALIDATION_STEPS * 1.2);
  });

  test("compares a value with 1,000 others by one text of it", () => {
    const { findings, steps } = validated({ anyOf: times(1_000, (at) => ({ const: { a: at } })) }, large);
    expect(findings).toHaveLength(1);
    expect(steps).toBeLessThan(60_000);
  });

  test("of uniqueItems in nested lists does not keep a text for each level", () => {
    const nested = JSON.parse(`${"[".repeat(400)}"${"a".repeat(200_000)}"${"]".repeat(400)}`) as unknown;
    const { findings, steps } = validated({ items: { $ref: "#" }, uniqueItems: true }, nested);
    expect(findings).toEqual(TOO_COSTLY);
    expect(steps).toBeLessThan(VALIDATION_STEPS * 1.1);
  });
});

describe("an export as TypeScript", () => {
  const types = (schemas: unknown[]) => {
    const definitions = new Definitions(unbounded());
    for (const schema of schemas) definitions.of(schema);
    return { steps: definitions.meter.spent, text: definitions.take() };
  };

  test("counts no name up twice", () => {
    const schema = {
      $defs: Object.fromEntries(times(900, (at) => [`${at}`, {}])),
      allOf: times(900, (at) => ({ $ref: `#/$defs/${at}` })),
    };
    const { steps, text } = types(times(8, () => schema));
    expect(text).toContain("type PayloadType7200 =");
    expect(steps).toBeLessThan(7_200 * 8);
  });

  test("writes a place once, however many references lead there", () => {
    const schema = {
      $defs: { a: { description: "x".repeat(1_000), enum: ["y".repeat(30_000)] } },
      allOf: ["#/$defs/a", "#/%24defs/a", "#/%24%64efs/a", "#/$defs/%61"].map(($ref) => ({ $ref })),
    };
    expect(types([schema]).text.length).toBeLessThan(31_000);
  });
});

describe("an import of an OpenAPI document", () => {
  test("takes no webhook beyond the one at which the steps end: references follow each other through long pointers", () => {
    const name = "a".repeat(40_000);
    const chain = times(9, (at) => [`${at}${name}`, { $ref: `#/x/${at + 1}${name}` }]);
    const document = {
      openapi: "3.1.0",
      x: Object.fromEntries([...chain, [`9${name}`, { post: {} }]]),
      webhooks: Object.fromEntries(times(900, (at) => [`w${at}`, { $ref: `#/x/0${name}` }])),
    };
    const [meter, report] = [new Meter(), new ImportReport()];
    const taken = typesOfOpenapi({ document, meter, report });
    expect([taken.length > 0, taken.length + report.failed.length]).toEqual([true, 900]);
    expect(report.failed[0]?.message).toContain(`${REQUEST_STEPS} steps`);
    expect(meter.spent).toBeLessThan(REQUEST_STEPS * 1.1);
  });

  test("counts names up once", () => {
    const schemas = Object.fromEntries(times(1_000, (at) => [`S${at}`, true]));
    const schema = {
      $defs: Object.fromEntries(times(1_000, (at) => [`S0${at + 2}`, true])),
      allOf: times(1_000, (at) => ({ $ref: `#/components/schemas/S${at}` })),
    };
    const meter = unbounded();
    const content = { "application/json": { schema } };
    const webhooks = { a: { post: { requestBody: { content } } } };
    const document = { openapi: "3.1.0", components: { schemas }, webhooks };
    typesOfOpenapi({ document, meter, report: new ImportReport() });
    expect(meter.spent).toBeLessThan(20_000);
  });
});

/** Sizes and shapes at random, from a seed: what is measured with twice the payload costs at most twice the steps. */
test("200 random filters and schemas cost steps in proportion to the payload", () => {
  let seed = 42;
  const below = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % limit;
  };
  const shapes = [
    (size: number) => times(size, () => "a"),
    (size: number) => members(size),
    (size: number) => times(size, (at) => ({ at, b: [1, 2] })),
    (size: number) => "a".repeat(size * 8),
    (size: number) => times(Math.ceil(size / 10), () => members(10)),
  ];
  const filters = [
    { "payload.x": { $in: [{}, { a: 1 }, "b", 3] } },
    { "payload.x": { $contains: "aab" } },
    { "payload.x.b": { $gt: 5 } },
    { $not: { "payload.x.n1": { $exists: true } } },
  ];
  const schemas = [
    { items: { type: "object", required: ["a"] }, uniqueItems: true },
    { additionalProperties: { minLength: 2 }, maxProperties: 5, propertyNames: { pattern: "^n\\d+$" } },
    { anyOf: [{ const: { a: 1 } }, { enum: [[1], "b"] }], minLength: 3, format: "uri" },
    { contains: { required: ["b"] }, unevaluatedItems: { type: "object" } },
  ];
  for (let round = 0; round < 200; round += 1) {
    const [shape, size] = [shapes[below(shapes.length)], 50 + below(400)];
    const isFilter = below(2) === 0;
    const program = (isFilter ? filters : schemas)[below(4)];
    const stepsAt = (n: number) => {
      const x = shape?.(n);
      return isFilter ? filtered(program, { x }).steps : validated(program, x).steps;
    };
    expect([program, size, stepsAt(2 * size) <= 2.3 * stepsAt(size) + 50]).toEqual([program, size, true]);
  }
});
