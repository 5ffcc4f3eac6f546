/** AsyncAPI documents, and schemas of earlier drafts that are registered by themselves. */
import { describe, expect, test } from "vitest";
import { ASYNCAPI_DOCUMENTS } from "../support/asyncapi-documents";
import { call, type Person, signUpVerified } from "../support/client";

const importing = (owner: Person, body: object) => call("POST", "/event-types/import", { ...owner, body });
const get = async (owner: Person, name: string) =>
  (await call("GET", `/event-types/${encodeURIComponent(name)}`, owner)).body.data;

describe("an AsyncAPI document", () => {
  test("gives each type what its message says, and the schemas that it refers to, wherever they stand", async () => {
    const owner = await signUpVerified();
    const { orders, lights } = ASYNCAPI_DOCUMENTS;
    for (const { document } of [orders, lights]) await importing(owner, { asyncapi: document });
    expect((await get(owner, "order.cancelled")).schema).toEqual({
      properties: { reason: { $ref: "#/$defs/reason" }, buyer: { $ref: "#/$defs/buyer" } },
      $defs: { reason: { enum: ["late", "lost"] }, buyer: { type: ["string", "null"], deprecated: true } },
    });
    expect(await get(owner, "order.packed")).not.toHaveProperty("schema");
    expect(await get(owner, "order.paid")).toMatchObject({ group: "Orders", schema: { required: ["total"] } });
    expect(await get(owner, "lightMeasured")).toMatchObject({
      description: "How much light there is.",
      group: "Lights",
      examples: [{ lumens: 3 }],
      schema: { $ref: "#/$defs/lightMeasuredPayload", $defs: { sentAt: { type: "string", format: "date-time" } } },
    });
  });

  test("of our own export changes nothing", async () => {
    const owner = await signUpVerified();
    const schema = {
      type: "object",
      properties: { child: { $ref: "#" }, p: { $ref: "#/$defs/p" } },
      $defs: { p: true },
    };
    const eventTypes = [{ name: "a{b}?c/d", schema, examples: [{}], group: "g", description: "d" }, { name: "bare" }];
    await importing(owner, { eventTypes });
    const asyncapi = (await call("GET", "/event-types/export?format=asyncapi", owner)).body;
    expect((await importing(owner, { asyncapi })).body.data.unchanged).toEqual(["a{b}?c/d", "bare"]);
  });

  test.each([
    [{ asyncapi: "1.2.0", topics: {} }, "asyncapi.asyncapi"],
    [{ asyncapi: "3.0.0", channels: {} }, "asyncapi.channels"],
    [{ asyncapi: "2.6.0", channels: { a: { subscribe: {} }, b: null, c: { $ref: "#/no" } } }, "asyncapi.channels"],
    [7, "asyncapi.asyncapi"],
  ])("like %j is refused at its place", async (asyncapi, place) => {
    const { status, body } = await importing(await signUpVerified(), { asyncapi });
    expect([status, body.details[0].path]).toEqual([400, place]);
  });
});

describe("a schema that is registered by itself", () => {
  const $schema = "http://json-schema.org/draft-07/schema#";

  test("is taken as files of earlier drafts have it, and the same file again is the same version", async () => {
    const owner = await signUpVerified();
    const p = { type: "array", items: [{ type: "string" }], additionalItems: false };
    const $id = "https://e.example/m.json";
    const who = { $ref: "#/definitions/p" };
    const schema = { $schema, $id, properties: { who, whom: { $ref: `${$id}#/definitions/p` } }, definitions: { p } };
    expect((await call("POST", "/event-types", { ...owner, body: { name: "a", schema } })).status).toBe(201);
    const ref = { $ref: "#/$defs/p" };
    expect((await get(owner, "a")).schema).toEqual({
      properties: { who: ref, whom: ref },
      $defs: { p: { type: "array", prefixItems: [{ type: "string" }], items: false } },
    });
    expect((await call("POST", "/event-types/a/versions", { ...owner, body: { schema } })).status).toBe(200);
    expect((await importing(owner, { eventTypes: [{ name: "a", schema }] })).body.data.unchanged).toEqual(["a"]);
  });

  test.each<[object, string]>([
    [{ $schema, requried: ["a"] }, "schema.requried"],
    [{ $schema, properties: { a: { $id: "b" } } }, "schema.properties.a.$id"],
    [{ $schema, properties: { a: { $ref: "other.json" } } }, "schema.properties.a.$ref"],
    [{ $schema, format: "money" }, "schema.format"],
    [{ $schema, nullable: true }, "schema.nullable"],
    [{ dependencies: {} }, "schema.dependencies"],
    [{ $schema: "https://example.com/schema" }, "schema.$schema"],
    [{ $id: 7 }, "schema.$id"],
  ])("like %j is refused at its place", async (schema, place) => {
    const owner = await signUpVerified();
    const { status, body } = await call("POST", "/event-types", { ...owner, body: { name: "a", schema } });
    expect([status, body.details?.[0].path]).toEqual([400, place]);
  });
});
