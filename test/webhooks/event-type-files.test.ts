/** Importing and exporting event types. */
import { describe, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";

const ORDER = { type: "object", required: ["total"], properties: { total: { type: "integer", minimum: 1 } } };
/** Refers to itself, and to names that a pointer escapes. */
const TREE = {
  $defs: { "a/b": { type: "string" }, node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
  type: "object",
  properties: { name: { $ref: "#/$defs/a~1b" }, child: { $ref: "#" } },
  items: { $ref: "#/$defs/node" },
};

const importing = async ({ token }: Person, body: object) => call("POST", "/event-types/import", { token, body });
const listed = async (owner: Person) => (await call("GET", "/event-types?archived=include", owner)).body.data;
const openapi = (webhooks: object, schemas: object = {}) => ({
  openapi: { openapi: "3.1.0", info: { title: "t", version: "1" }, webhooks, components: { schemas } },
});
const webhook = (schema: unknown, more: object = {}) => ({
  post: { ...more, requestBody: { content: { "application/json": { schema } } } },
});

async function exported(owner: Person, format: string) {
  const answer = await call("GET", `/event-types/export?format=${format}`, owner);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="/);
  return answer.body;
}

describe("an import of one's own export", () => {
  test.each(["json", "openapi"])("in %s changes nothing, and makes the same types elsewhere", async (format) => {
    const [owner, other] = [await signUpVerified(), await signUpVerified()];
    const deprecated = { since: "2026-01-01T00:00:00.000Z", note: "Old.", replacedBy: "b" };
    const all = [
      { name: "order.paid", description: "Paid.", group: "Orders", schema: ORDER, examples: [{ total: 1 }] },
      { name: "tree/~%41", schema: TREE, enforce: "reject", deprecated },
      { name: "plain", examples: [1, "two"] },
    ];
    for (const body of all) expect((await call("POST", "/event-types", { ...owner, body })).status).toBe(201);
    await call("POST", "/event-types", { ...owner, body: { name: "old" } });
    await call("PATCH", "/event-types/old", { ...owner, body: { archived: true } });
    const document = await exported(owner, format);
    const body = format === "json" ? document : { openapi: document };
    const before = await listed(owner);
    const names = ["order.paid", "plain", "tree/~%41"];
    const nothing = { created: [], updated: [], versions: [], ignored: [], failed: [], dryRun: false };
    expect((await importing(owner, body)).body.data).toEqual({ ...nothing, unchanged: names });
    expect(await listed(owner)).toEqual(before);
    expect((await importing(other, body)).body.data).toEqual({ ...nothing, created: names, unchanged: [] });
    expect(await exported(other, "openapi")).toEqual(await exported(owner, "openapi"));
    expect((await call("GET", "/event-types/old", other)).status).toBe(404);
  });
});

describe("an import", () => {
  test("creates types, changes fields and adds versions, and leaves the rest", async () => {
    const owner = await signUpVerified();
    await importing(owner, {
      eventTypes: [
        { name: "a", schema: ORDER, enforce: "reject", group: "Orders" },
        { name: "b", description: "B" },
        { name: "c" },
      ],
    });
    const dry = { dryRun: true, eventTypes: [{ name: "a", schema: true }, { name: "b", group: "G" }, { name: "d" }] };
    const planned = await importing(owner, dry);
    expect(planned.body.data).toEqual({
      created: ["d"],
      updated: ["b"],
      versions: ["a"],
      unchanged: [],
      ignored: [],
      failed: [],
      dryRun: true,
    });
    expect((await listed(owner)).map(({ name }: { name: string }) => name)).toEqual(["a", "b", "c"]);
    const done = await importing(owner, { ...dry, dryRun: false });
    expect(done.body.data).toEqual({ ...planned.body.data, dryRun: false });
    const [a, b] = await Promise.all(["a", "b"].map((name) => call("GET", `/event-types/${name}`, owner)));
    expect(a?.body.data).toMatchObject({ latestVersion: 2, schema: true, enforce: "reject", group: "Orders" });
    expect(b?.body.data).toMatchObject({ description: "B", group: "G", latestVersion: 0 });
    const { data } = (await call("GET", "/audit?action=event_type.imported", owner)).body;
    expect(data.map(({ meta }: { meta: object }) => meta)).toEqual([
      { created: 1, changed: 2 },
      { created: 3, changed: 0 },
    ]);
  });

  test("is obeyed by what is published after its answer", async () => {
    const owner = await signUpVerified();
    const publish = () => call("POST", "/events", { ...owner, body: { type: "a", payload: {} } });
    await importing(owner, { eventTypes: [{ name: "a", schema: true, enforce: "reject" }] });
    expect((await publish()).status).toBe(202);
    await importing(owner, { eventTypes: [{ name: "a", schema: ORDER }] });
    expect((await publish()).status).toBe(400);
  });

  test("takes the webhooks of an OpenAPI document with the schemas that they share", async () => {
    const owner = await signUpVerified();
    const shared = {
      Order: {
        type: "object",
        properties: {
          total: { type: "integer", format: "int32", example: 1 },
          lines: { type: "array", items: { $ref: "#/components/schemas/Line" } },
        },
      },
      Line: { type: "object", properties: { order: { $ref: "#/components/schemas/Order" } }, xml: { name: "l" } },
      Unused: { type: "money" },
    };
    const answer = await importing(
      owner,
      openapi(
        {
          "order.paid": webhook({ $ref: "#/components/schemas/Order" }, { tags: ["Orders"], summary: "Paid." }),
          "line.added": webhook({ $defs: { Line: true }, allOf: [{ $ref: "#/components/schemas/Line" }] }),
          "order.old": webhook(undefined, { deprecated: true }),
        },
        shared,
      ),
    );
    expect(answer.body.data.created).toEqual(["order.paid", "line.added", "order.old"]);
    const get = async (name: string) => (await call("GET", `/event-types/${name}`, owner)).body.data;
    const paid = await get("order.paid");
    expect(paid).toMatchObject({ group: "Orders", description: "Paid." });
    expect(paid.schema).toEqual({
      $ref: "#/$defs/Order",
      $defs: {
        Order: {
          type: "object",
          properties: {
            total: { type: "integer" },
            lines: { type: "array", items: { $ref: "#/$defs/Line" } },
          },
        },
        Line: { type: "object", properties: { order: { $ref: "#/$defs/Order" } } },
      },
    });
    expect(Object.keys((await get("line.added")).schema.$defs)).toEqual(["Line", "Line2", "Order"]);
    const { deprecated } = await get("order.old");
    expect(Date.parse(deprecated.since)).toBeGreaterThan(Date.now() - 60_000);
    const again = await importing(owner, openapi({ "order.old": webhook(undefined, { deprecated: true }) }));
    expect(again.body.data.unchanged).toEqual(["order.old"]);
    await importing(owner, openapi({ "order.old": webhook(undefined, { deprecated: false }) }));
    expect(await get("order.old")).not.toHaveProperty("deprecated");
  });

  test.each([
    [{}, "eventTypes"],
    [{ eventTypes: [] }, "eventTypes"],
    [{ eventTypes: [{ name: "a" }], openapi: {} }, "eventTypes"],
    [{ eventTypes: [{ name: "a" }, { name: "b", enforced: "warn" }] }, "eventTypes.1"],
    [{ openapi: { openapi: "2.0.0" } }, "openapi.openapi"],
    [openapi({}), "openapi.webhooks"],
    [openapi({ a: { get: {} } }), "openapi.webhooks.a"],
    [openapi({ a: webhook({ $ref: "#/components/schemas/No" }) }), "openapi.webhooks.a"],
    [openapi({ a: webhook({ $ref: "other.json" }) }), "openapi.webhooks.a"],
    [
      openapi({ a: webhook({ $ref: "#/components/schemas/\ud800" }) }, { "\ud800": true }),
      "openapi.webhooks.a.schema.$ref",
    ],
    [openapi({ a: { $ref: "#/webhooks/a" } }), "openapi.webhooks.a"],
    [openapi({ a: webhook(true, { "x-postern": { enforces: "warn" } }) }), "openapi.webhooks.a."],
  ])("of %j is refused, and nothing is written", async (body, path) => {
    const owner = await signUpVerified();
    const { status, body: answer } = await importing(owner, body);
    expect([status, answer.code, answer.details?.[0].path]).toEqual([400, "VALIDATION_FAILED", path]);
    expect(await listed(owner)).toEqual([]);
  });

  test("beside others at once adds each version once", async () => {
    const owner = await signUpVerified();
    const eventTypes = ["a", "b", "c"].map((name) => ({ name, schema: ORDER }));
    const all = await Promise.all(Array.from({ length: 10 }, () => importing(owner, { eventTypes })));
    const done = all.filter(({ status }) => status === 200);
    expect(done.filter(({ body }) => body.data.created.length === 3)).toHaveLength(1);
    expect(done.every(({ body }) => [0, 3].includes(body.data.created.length))).toBe(true);
    expect(all.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    expect((await listed(owner)).map((type: { latestVersion: number }) => type.latestVersion)).toEqual([1, 1, 1]);
  });

  test("of more types than a tenant can have writes none of them", async () => {
    const owner = await signUpVerified();
    await importing(owner, { eventTypes: Array.from({ length: 999 }, (_, at) => ({ name: `t${at}` })) });
    const beyond = await importing(owner, { eventTypes: [{ name: "x" }, { name: "y" }] });
    expect([beyond.status, beyond.body.message]).toEqual([409, "A tenant can have at most 1000 event types."]);
    expect((await importing(owner, { eventTypes: [{ name: "x" }, { name: "t1" }] })).status).toBe(200);
  });

  test("needs the permission to change types too", async () => {
    const owner = await signUpVerified();
    const body = { name: "k", scopes: ["webhook.read", "webhook.create"] };
    const { key } = (await call("POST", "/api-keys", { ...owner, body })).body.data;
    const refused = await call("POST", "/event-types/import", { token: key, body: { eventTypes: [{ name: "a" }] } });
    expect(refused.status).toBe(403);
  });
});

test("an export goes through all types, however many there are", async () => {
  const owner = await signUpVerified();
  const names = Array.from({ length: 40 }, (_, at) => `t${String(at).padStart(2, "0")}`);
  await importing(owner, { eventTypes: names.map((name) => ({ name, schema: ORDER })) });
  const { eventTypes } = await exported(owner, "json");
  expect(eventTypes.map(({ name }: { name: string }) => name)).toEqual(names);
  const asyncapi = await exported(owner, "asyncapi");
  expect([Object.keys(asyncapi.channels), Object.keys(asyncapi.operations)]).toEqual([names, names]);
  const typescript = await exported(owner, "typescript");
  expect(names.every((name) => typescript.includes(`"${name}": {`))).toBe(true);
});

test("names that tools take for queries, fragments or parameters have other keys in AsyncAPI", async () => {
  const owner = await signUpVerified();
  const names = ["a%3Fb", "a?b#c", "order.paid", "x/{id}"];
  await importing(owner, { eventTypes: names.map((name) => ({ name, schema: { items: { $ref: "#" } } })) });
  const { channels, operations } = await exported(owner, "asyncapi");
  const keys = ["a%253Fb", "a%3Fb%23c", "order.paid", "x/%7Bid%7D"];
  expect([Object.keys(channels), Object.keys(operations)]).toEqual([keys, keys]);
  expect(keys.map((key) => channels[key].messages.event.name)).toEqual(names);
  const followed = (reference: string) =>
    reference
      .slice(2)
      .split("/")
      .map((part) => decodeURIComponent(part).replaceAll("~1", "/"))
      .reduce((at, part) => Object(at)[part], { channels } as unknown);
  for (const key of keys) {
    expect(followed(operations[key].channel.$ref)).toBe(channels[key]);
    const { schema } = channels[key].messages.event.payload;
    expect(followed(schema.items.$ref)).toBe(schema);
  }
});
