/** Filters, schemas, payloads and documents that are as costly as their limits allow, of sizes and shapes at random. */

/** Numbers below a limit, always the same ones. */
export type Random = (limit: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % limit;
  };
}

/** What a tenant writes as a program, and the payload on which it runs. */
export interface Shape {
  name: string;
  program: unknown;
  payload: unknown;
}

const PAYLOAD_CHARACTERS = 250_000;
const FILTER_CHARACTERS = 8_000;
const SCHEMA_CHARACTERS = 64_000;

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** As many of these as have so many characters. */
const filling = <T>(characters: number, most: number, make: (at: number) => T): T[] =>
  times(Math.min(most, Math.floor(characters / (JSON.stringify(make(99_999)).length + 1))), make);

const membersOf = (length: number): object => {
  const members = filling(PAYLOAD_CHARACTERS - 100, Infinity, (at) => ({ [`${at}`.padEnd(length, "k")]: 1 }));
  return Object.assign({}, ...members);
};

/** A long text in lists. */
const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce<unknown>((inner) => [inner], "a".repeat(PAYLOAD_CHARACTERS - 2_000));

/** Payloads of one size: a long text, lists of small and of large values, and objects. */
function payloadOf(random: Random): unknown {
  const length = 1 + random(200);
  const shapes = [
    () => "a".repeat(PAYLOAD_CHARACTERS - 100),
    () => filling(PAYLOAD_CHARACTERS - 100, Infinity, () => "a".repeat(length)),
    () => filling(PAYLOAD_CHARACTERS - 100, Infinity, () => random(10)),
    () => filling(PAYLOAD_CHARACTERS - 100, Infinity, (at) => ({ a: at, [`k${at % 9}`]: { b: [1, 2] } })),
    () => membersOf(1 + (length % 40)),
    () => nested(300 + random(150)),
  ];
  return shapes[random(shapes.length)]?.();
}

/** Any JSON of the size of a payload: what is costly to parse, to look through and to write again. */
export function bodyShape(random: Random): Shape {
  const length = 1 + random(300);
  const long = (make: (at: number) => unknown) => () => filling(PAYLOAD_CHARACTERS - 1_000, Infinity, make);
  const shapes: Record<string, () => unknown> = {
    "numbers beyond a double": long(() => "number:1e309"),
    "numbers of many digits": long((at) => `number:${at + 1}${"0".repeat(length)}1`),
    "one number": () => `number:${"1".repeat(PAYLOAD_CHARACTERS - 1_000)}`,
    "numbers in objects": long((at) => ({ [`k${at}`]: `number:1e${400 + at}` })),
    "empty lists": long(() => []),
    "empty objects": long(() => ({})),
    "escaped characters": long(() => "\u0001".repeat(length)),
    members: () => membersOf(1 + (length % 40)),
    depth: () => nested(480),
    "deep lists": long(() => JSON.parse("[".repeat(480) + "]".repeat(480)) as unknown),
  };
  const names = Object.keys(shapes);
  const name = names[random(names.length)] ?? "";
  return { name, program: null, payload: shapes[name]?.() };
}

/** A filter of 8 KiB with as many conditions of a kind as fit into it. */
export function filterShape(random: Random): Shape {
  const text = "a".repeat(1 + random(random(2) === 0 ? 60 : 7_000));
  const listed = 1 + random(100);
  const conditions: Record<string, unknown> = {
    contains: { $contains: `b${text}` },
    order: { $gt: `${text}b` },
    objects: { $in: times(listed, (at) => (random(2) === 0 ? {} : { a: at })) },
    scalars: { $nin: times(listed, (at) => -at) },
    equal: { $eq: { a: [text] } },
    none: { $not: { $exists: random(2) === 0 } },
  };
  const names = Object.keys(conditions);
  const name = names[random(names.length)] ?? "";
  const path = ["payload.x", "payload.x.k1.b", "payload.x.a"][random(3)] ?? "";
  const all = filling(FILTER_CHARACTERS, 100, () => ({ [path]: conditions[name] }));
  const branches = times(Math.ceil(all.length / 20), (at) => ({ $or: all.slice(at * 20, at * 20 + 20) }));
  return { name: `filter: ${name}`, program: { $or: branches }, payload: { x: payloadOf(random) } };
}

/** A schema of 64 KiB with as many subschemas of a kind as fit into it. */
export function schemaShape(random: Random, characters = SCHEMA_CHARACTERS): Shape {
  const text = "a".repeat(1 + random(200));
  const branch = ["allOf", "anyOf", "oneOf"][random(3)] ?? "";
  const groups = `${"(".repeat(random(100))}(a?){${1 + random(300)}}b${")".repeat(0)}`;
  const pattern = groups + ")".repeat(groups.split("(").length - groups.split(")").length);
  const subschemas: Record<string, (at: number) => unknown> = {
    const: (at) => ({ const: { a: at } }),
    enum: (at) => ({ enum: [{ a: at }, [at], text] }),
    uniqueItems: () => ({ uniqueItems: true }),
    lengths: () => ({ minLength: 1, maxProperties: 1 }),
    pattern: (at) => ({ pattern: at < 5 ? `${pattern}${at}` : pattern }),
    format: () => ({ format: ["uri", "email", "hostname", "ipv6"][random(4)] }),
    references: () => ({ items: { $ref: "#" }, uniqueItems: true }),
    unevaluated: () => ({ unevaluatedProperties: true, unevaluatedItems: true }),
    dependent: (at) => ({ dependentRequired: { [`${at}`]: [text] } }),
    names: () => ({ propertyNames: { minLength: 3 }, patternProperties: { "^k": true } }),
    nested: (at) => ({ properties: { [`${at}${text}`.slice(0, 256)]: { allOf: [true, true, {}] } } }),
  };
  const names = Object.keys(subschemas);
  const name = names[random(names.length)] ?? "";
  const make = subschemas[name] ?? (() => true);
  return {
    name: `schema: ${branch} of ${name}`,
    program: { [branch]: filling(characters, 480, make) },
    payload: payloadOf(random),
  };
}

/** An OpenAPI document of 500 KiB whose references share what they can. */
export function documentShape(random: Random): Shape {
  const length = 10 + random(40_000);
  const hops = 1 + random(9);
  const name = "a".repeat(length);
  const chain = times(hops, (at): [string, unknown] => [`${at}${name}`, { $ref: `#/x/${at + 1}${name}` }]);
  const schemas = Object.fromEntries(
    times(1 + random(500), (at) => [`S${at}`, { $ref: `#/components/schemas/S${at + 1}` }]),
  );
  const operation = {
    post: { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } } } },
  };
  const used = JSON.stringify([chain, schemas]).length;
  const webhooks = filling(490_000 - used, 1_000, (at) => ({
    [`w${at}`]: random(2) === 0 ? { $ref: `#/x/0${name}` } : operation,
  }));
  const document = {
    ...{ openapi: "3.1.0", info: { title: "a", version: "1" } },
    x: Object.fromEntries([...chain, [`${hops}${name}`, operation]]),
    components: { schemas: { ...schemas, [`S${Object.keys(schemas).length}`]: {} } },
    webhooks: Object.assign({}, ...webhooks) as unknown,
  };
  return { name: `document: ${hops} references of ${length} characters`, program: document, payload: null };
}

/** Ordinary JSON that has about so many characters. */
export const harmlessJson = (characters: number) =>
  filling(characters, Infinity, (at) => ({ id: `order-${at}`, total: at, paid: true, note: "x".repeat(60) }));

/** An ordinary schema of `harmlessJson` that has about so many characters. */
export const harmlessSchema = (characters: number) => ({
  type: "array",
  items: {
    type: "object",
    required: ["id", "total"],
    properties: Object.fromEntries(
      filling(characters, 900, (at) => [`property${at}`, { type: "string", description: "x".repeat(30) }]),
    ),
  },
});

/** Ordinary event types that have about so many characters. */
export const harmlessTypesOf = (characters: number) =>
  filling(characters, 1_000, (at) => ({ name: `type${at}`, schema: harmlessSchema(300), description: "A type." }));
