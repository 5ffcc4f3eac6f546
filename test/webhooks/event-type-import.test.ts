/** Imports of documents of others: what can be taken is, and the answer says what could not. */
import { describe, expect, test } from "vitest";
import { ASYNCAPI_DOCUMENTS } from "../support/asyncapi-documents";
import { call, type Person, signUpVerified } from "../support/client";
import { PUBLIC_DOCUMENTS, textOf } from "../support/public-documents";

const importing = (owner: Person, body: object) => call("POST", "/event-types/import", { ...owner, body });
const sending = (owner: Person, raw: string) =>
  call("POST", "/event-types/import", { token: owner.token, raw, headers: { "content-type": "application/json" } });
const get = async (owner: Person, name: string) =>
  (await call("GET", `/event-types/${encodeURIComponent(name)}`, owner)).body.data;
const openapi = (webhooks: object, schemas: object = {}) => ({
  openapi: { openapi: "3.1.0", info: { title: "t", version: "1" }, webhooks, components: { schemas } },
});
const webhook = (schema: unknown, more: object = {}) => ({
  post: { requestBody: { content: { "application/json": { schema, ...more } } } },
});
const GOOD = webhook({ type: "object" });

/** Imports a webhook beside a good one. */
async function besideGood(owner: Person, item: unknown, schemas?: object) {
  const { status, body } = await importing(owner, openapi({ a: item, good: GOOD }, schemas));
  expect(status).toBe(200);
  return body.data;
}

describe.each(Object.entries({ ...PUBLIC_DOCUMENTS, ...ASYNCAPI_DOCUMENTS }))(
  "a document like that of %s",
  (_, published) => {
    test("is taken as far as it can be, says what is left out, and changes nothing when it is sent again", async () => {
      const owner = await signUpVerified();
      const kind = "asyncapi" in published.document ? "asyncapi" : "openapi";
      const body = (isDry: boolean) => `{"${kind}":${textOf(published)},"dryRun":${isDry}}`;
      const dry = await sending(owner, body(true));
      expect((await call("GET", "/event-types", owner)).body.data).toEqual([]);
      const { status, body: answer } = await sending(owner, body(false));
      expect([status, answer.data]).toEqual([200, { ...dry.body.data, dryRun: false }]);
      const { created, ignored, failed } = answer.data;
      expect(created).toEqual(published.types);
      expect(ignored.map((one: Record<string, string>) => `${one["type"]} ${one["keyword"]}`).sort()).toEqual(
        [...published.ignored].sort(),
      );
      expect(failed.map(({ type }: { type: string }) => type)).toEqual(published.failed);
      const again = await sending(owner, body(false));
      expect(again.body.data).toEqual({ ...answer.data, created: [], unchanged: created });
    });
  },
);

describe("a type of an import", () => {
  test.each([
    ["uri-template", { type: "string" }],
    ["int32", { type: "string" }],
    ["email", { type: "string", format: "email" }],
  ])("with the format %s is taken, and a format that is not checked is told", async (format, expected) => {
    const owner = await signUpVerified();
    const { created, ignored } = await besideGood(owner, webhook({ properties: { x: { type: "string", format } } }));
    expect(created).toEqual(["a", "good"]);
    expect((await get(owner, "a")).schema).toEqual({ properties: { x: expected } });
    const path = "openapi.webhooks.a.schema.properties.x.format";
    expect(ignored).toEqual(format === "email" ? [] : [{ type: "a", path, keyword: "format" }]);
  });

  test.each<[unknown, unknown]>([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }],
    [{ type: ["string", "null"], nullable: true }, { type: ["string", "null"] }],
    [{ type: "string", nullable: false }, { type: "string" }],
    [{ nullable: true }, {}],
    [
      { allOf: [{ type: "object" }], nullable: true, title: "t" },
      { title: "t", anyOf: [{ allOf: [{ type: "object" }] }, { type: "null" }] },
    ],
    [{ minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    [{ minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
    [
      { items: [true], additionalItems: false },
      { prefixItems: [true], items: false },
    ],
    [{ items: true, additionalItems: false }, { items: true }],
    [
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    ],
    [
      {
        definitions: { p: true },
        properties: {
          definitions: { $ref: "#/webhooks/a/post/requestBody/content/application~1json/schema/definitions/p" },
        },
      },
      { $defs: { p: true }, properties: { definitions: { $ref: "#/$defs/p" } } },
    ],
    [{ $schema: "https://spec.openapis.org/oas/3.1/dialect/base", type: "string" }, { type: "string" }],
  ])("with the schema %j has %j", async (schema, expected) => {
    const owner = await signUpVerified();
    expect(await besideGood(owner, webhook(schema))).toMatchObject({ created: ["a", "good"], ignored: [], failed: [] });
    expect((await get(owner, "a")).schema).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ["maximum", { type: "integer", maximum: "HARD" }],
    ["enum", { enum: [1, "HARD"] }],
    ["default", { type: "integer", default: "HARD" }],
  ])("with a number in %s that a double cannot hold is taken without it", async (keyword, schema) => {
    const owner = await signUpVerified();
    const document = JSON.stringify(openapi({ a: webhook(schema), good: GOOD }));
    const { body } = await sending(owner, document.replaceAll('"HARD"', "9223372036854775807"));
    expect(body.data.created).toEqual(["a", "good"]);
    expect(body.data.ignored).toEqual([{ type: "a", path: `openapi.webhooks.a.schema.${keyword}`, keyword }]);
    expect((await get(owner, "a")).schema).not.toHaveProperty(keyword);
    const direct = `{"name":"b","schema":{"maximum":9223372036854775807}}`;
    const headers = { "content-type": "application/json" };
    const refused = await call("POST", "/event-types", { token: owner.token, raw: direct, headers });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, "schema.maximum"]);
  });

  test("whose members say of themselves that they are required is taken without that", async () => {
    const owner = await signUpVerified();
    const { ignored } = await besideGood(owner, webhook({ properties: { x: { type: "string", required: true } } }));
    expect((await get(owner, "a")).schema).toEqual({ properties: { x: { type: "string" } } });
    expect(ignored).toMatchObject([{ type: "a", keyword: "required" }]);
  });

  test("keeps the first five examples that fit, and the others are told", async () => {
    const owner = await signUpVerified();
    const values = ["no", 1, 2, 3, 4, 5, 6];
    const examples = Object.fromEntries(values.map((value, at) => [`e${at}`, { value }]));
    const large = { value: "x".repeat(20_000) };
    const item = webhook({ type: "integer" }, { examples: { ...examples, large } });
    const { ignored } = await besideGood(owner, item);
    expect((await get(owner, "a")).examples).toEqual([1, 2, 3, 4, 5]);
    expect(ignored).toEqual(
      ["e0", "e6", "large"].map((name) => ({
        type: "a",
        path: `openapi.webhooks.a.examples.${name}`,
        keyword: "examples",
      })),
    );
    const none = { examples: { only: { value: "no" } } };
    expect((await besideGood(owner, webhook({ type: "integer" }, none))).unchanged).toEqual(["a", "good"]);
    expect((await get(owner, "a")).examples).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/vnd.shop+json;v=2",
    "application/*+json",
    "application/*",
    "*/*",
  ])("has the schema of %s, and references into it", async (mediaType) => {
    const owner = await signUpVerified();
    const key = encodeURIComponent(mediaType.replaceAll("/", "~1"));
    const $ref = `#/webhooks/a/post/requestBody/content/${key}/schema`;
    const content = { "text/plain": {}, [mediaType]: { schema: { properties: { child: { $ref } } } } };
    expect((await besideGood(owner, { post: { requestBody: { content } } })).ignored).toEqual([]);
    expect((await get(owner, "a")).schema).toEqual({ properties: { child: { $ref: "#" } } });
  });

  test.each<[unknown, string, RegExp]>([
    [webhook({ pattern: "^(?!x)" }), ".schema.pattern", /look/],
    [webhook({ requried: ["a"] }), ".schema.requried", /not a keyword/],
    [webhook({ $ref: "#/components/schemas/No" }), "", /does not exist/],
    [webhook({ $ref: "other.json" }), "", /must lead to/],
    [
      webhook({ $id: "https://e.example/a", properties: { b: { $id: "c" } } }),
      ".schema.properties.b.$id",
      /not a keyword/,
    ],
    [{ get: {} }, "", /post/],
    [{ $ref: "#/webhooks/a" }, "", /refer to a place/],
    [{ post: { "x-postern": { enforces: "warn" } } }, ".", /enforces/],
    [{ post: { "x-postern": { enforce: "warn" } } }, ".enforce", /schema/],
  ])("like %j is not taken, for a reason, and the others are", async (item, path, message) => {
    const owner = await signUpVerified();
    const { created, failed } = await besideGood(owner, item);
    expect([created, failed]).toEqual([
      ["good"],
      [{ type: "a", path: `openapi.webhooks.a${path}`, message: expect.stringMatching(message) }],
    ]);
    expect((await call("GET", "/event-types/a", owner)).status).toBe(404);
  });
});

test("a list of types is taken as far as it can be too", async () => {
  const owner = await signUpVerified();
  const { $schema, $id } = { $schema: "http://json-schema.org/draft-07/schema#", $id: "https://e.example/m.json" };
  const who = { $ref: "#/definitions/p" };
  const whom = { $ref: `${$id}#/definitions/p` };
  const eventTypes = [
    { name: "draft", schema: { $schema, $id, properties: { who, whom }, definitions: { p: { type: "string" } } } },
    { name: "money", schema: { type: "money" } },
    { name: "eager", enforce: "warn" },
    { name: "sampled", schema: { type: "integer" }, examples: ["no", 1] },
    { name: "draft" },
  ];
  const { body } = await importing(owner, { eventTypes });
  expect(body.data).toEqual({
    created: ["draft", "sampled"],
    updated: [],
    versions: [],
    unchanged: [],
    ignored: [
      { type: "draft", path: "eventTypes.0.schema.$id", keyword: "$id" },
      { type: "sampled", path: "eventTypes.3.examples.0", keyword: "examples" },
    ],
    failed: [
      { type: "draft", path: "eventTypes.4.name", message: "Is in the import twice" },
      { type: "money", path: "eventTypes.1.schema.type", message: expect.stringContaining("Must be of null") },
      { type: "eager", path: "eventTypes.2.enforce", message: "Needs a schema: add a version first" },
    ],
    dryRun: false,
  });
  const p = { $ref: "#/$defs/p" };
  expect((await get(owner, "draft")).schema).toEqual({
    properties: { who: p, whom: p },
    $defs: { p: { type: "string" } },
  });
  expect((await get(owner, "sampled")).examples).toEqual([1]);
});

test("a document of 4 MiB is taken, and one above is refused", async () => {
  const owner = await signUpVerified();
  const sized = (kib: number) => ({
    ...openapi({ a: GOOD }),
    openapi: { ...openapi({ a: GOOD }).openapi, paths: { x: "x".repeat(kib * 1024) } },
  });
  expect((await importing(owner, sized(4095))).status).toBe(200);
  expect((await importing(owner, sized(4096))).status).toBe(413);
});

test("an answer lists 1,000 keywords that are left out, and counts the others", async () => {
  const owner = await signUpVerified();
  const properties = Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`p${at}`, { example: at }]));
  const { ignored, moreIgnored } = await besideGood(owner, webhook({ properties }));
  expect([ignored.length, moreIgnored]).toEqual([1_000, 100]);
});
