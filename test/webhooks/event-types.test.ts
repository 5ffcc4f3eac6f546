/** Event types: what can be declared, and what publishing obeys. */
import { describe, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";

const ORDER = { type: "object", required: ["total"], properties: { total: { type: "integer", minimum: 1 } } };

const declare = async ({ token }: Person, body: object) => call("POST", "/event-types", { token, body });
const publish = async ({ token }: Person, type: string, payload: unknown, more: object = {}, headers = {}) =>
  call("POST", "/events", { token, headers, body: { type, payload, ...more } });
const set = async ({ token }: Person, mode: string) => call("PATCH", "/tenant/event-types", { token, body: { mode } });
const change = async ({ token }: Person, name: string, body: object) =>
  call("PATCH", `/event-types/${name}`, { token, body });
const addVersion = async ({ token }: Person, name: string, schema: unknown, more: object = {}) =>
  call("POST", `/event-types/${name}/versions`, { token, body: { schema, ...more } });

describe("an event type", () => {
  test("is declared, read, listed, changed and deleted", async () => {
    const owner = await signUpVerified();
    const body = { name: "order.paid", description: "Paid.", group: "Orders", schema: ORDER, examples: [{ total: 1 }] };
    const made = await declare(owner, body);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      ...body,
      scope: "tenant",
      enforce: "off",
      archived: false,
      latestVersion: 1,
    });
    await call("POST", "/webhooks", {
      token: owner.token,
      body: { name: "w", url: "https://example.com/h", events: ["order.*"], secret: "s" },
    });
    const read = await call("GET", "/event-types/order.paid", owner);
    expect(read.body.data).toMatchObject({ schema: ORDER, subscribers: 1 });
    const { data } = (await call("GET", "/event-types?prefix=order.&group=Orders", owner)).body;
    expect(data).toHaveLength(1);
    expect(data[0]).not.toHaveProperty("schema");
    const changed = await change(owner, "order.paid", { archived: true, description: null, enforce: "warn" });
    expect(changed.body.data).toMatchObject({ archived: true, enforce: "warn" });
    expect(changed.body.data).not.toHaveProperty("description");
    expect((await call("GET", "/event-types", owner)).body.data).toEqual([]);
    expect((await call("GET", "/event-types?archived=only", owner)).body.data).toHaveLength(1);
    expect((await call("DELETE", "/event-types/order.paid", owner)).body).toEqual({ message: "Event type deleted" });
    const missing = await call("GET", "/event-types/order.paid", owner);
    expect([missing.status, missing.body.message]).toEqual([404, "Event type not found"]);
  });

  test("that a subscription misspells is warned of, with what may be meant, and refused where it cannot be published", async () => {
    const owner = await signUpVerified();
    const hook = (events: string[]) =>
      call("POST", "/webhooks", {
        token: owner.token,
        body: { name: "w", url: "https://e.com/h", events, secret: "s" },
      });
    expect((await hook(["anything"])).body.data).not.toHaveProperty("warnings");
    await declare(owner, { name: "invoice.created" });
    const made = (await hook(["*", "invoice.created", "Invoice.creatd", "other", "postern.webhook.failing", "x.*"]))
      .body;
    expect(made.data.warnings).toEqual([
      { path: "events.2", message: "No event type has this name. Do you mean invoice.created?" },
      { path: "events.3", message: "No event type has this name." },
    ]);
    const change = (events: string[]) =>
      call("PATCH", `/webhooks/${made.data._id}`, { token: owner.token, body: { events } });
    expect((await change(["other", "invoice.created"])).body.data).not.toHaveProperty("warnings");
    expect((await change(["other", "invoce.created"])).body.data.warnings).toHaveLength(1);
    await set(owner, "known");
    const refused = await hook(["invoice.created", "invoice.creatd"]);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      400,
      "VALIDATION_FAILED",
      [{ path: "events.1", message: "No event type has this name. Do you mean invoice.created?" }],
    ]);
    expect((await change(["other"])).status).toBe(200);
    expect((await change(["other", "another"])).status).toBe(400);
  });

  test("is listed page by page", async () => {
    const owner = await signUpVerified();
    for (const name of ["b", "a", "C"]) await declare(owner, { name });
    const first = (await call("GET", "/event-types?limit=2", owner)).body;
    expect([first.data.map(({ name }: { name: string }) => name), first.nextCursor]).toEqual([["C", "a"], "a"]);
    const second = (await call("GET", "/event-types?limit=2&cursor=a", owner)).body;
    expect([second.data.map(({ name }: { name: string }) => name), second.nextCursor]).toEqual([["b"], null]);
  });

  test("belongs to its tenant", async () => {
    const [owner, other] = [await signUpVerified(), await signUpVerified()];
    await declare(owner, { name: "a", schema: ORDER });
    for (const path of ["/event-types/a", "/event-types/a/versions", "/event-types/a/versions/1"]) {
      expect((await call("GET", path, other)).status).toBe(404);
    }
    expect((await change(other, "a", { archived: true })).status).toBe(404);
    expect((await addVersion(other, "a", ORDER)).status).toBe(404);
    expect((await declare(other, { name: "a" })).status).toBe(201);
  });

  test("of 20 parallel declarations, one succeeds", async () => {
    const owner = await signUpVerified();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => declare(owner, { name: "a", ...(at % 2 ? { schema: ORDER } : {}) })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const { latestVersion } = (await call("GET", "/event-types/a", owner)).body.data;
    expect((await call("GET", "/event-types/a/versions", owner)).body.data).toHaveLength(latestVersion);
  });

  test.each([
    [{ name: "postern.x" }, "name"],
    [{ name: "import" }, "name"],
    [{ name: "a", enforce: "warn" }, "enforce"],
    [{ name: "a", enforced: "reject" }, ""],
    [{ name: "a", schema: { properties: { total: { type: "money" } } } }, "schema.properties.total.type"],
    [{ name: "a", schema: { requierd: ["x"] } }, "schema.requierd"],
    [{ name: "a", schema: { nullable: true } }, "schema.nullable"],
    [{ name: "a", schema: { $ref: "#/$defs/no" } }, "schema.$ref"],
    [{ name: "a", schema: { allOf: [{ $ref: "#" }] } }, "schema"],
    [{ name: "a", schema: { pattern: "(?=a)" } }, "schema.pattern"],
    [{ name: "a", schema: { patternProperties: { "a|b": true } } }, "schema.patternProperties.a|b"],
    [{ name: "a", schema: { format: "regex" } }, "schema.format"],
    [{ name: "a", schema: { items: [true] } }, "schema.items"],
    [{ name: "a", schema: ORDER, examples: [{ total: 1 }, { total: "1" }] }, "examples.1"],
  ])("is refused as %j", async (body, path) => {
    const { status, body: answer } = await declare(await signUpVerified(), body);
    expect([status, answer.code, answer.details[0].path]).toEqual([400, "VALIDATION_FAILED", path]);
  });
});

describe("a version", () => {
  test("follows the one before, says what it breaks, and is not added twice", async () => {
    const owner = await signUpVerified();
    await declare(owner, { name: "a", schema: ORDER });
    const same = await addVersion(owner, "a", { properties: ORDER.properties, required: ["total"], type: "object" });
    expect([same.status, same.body.data.version]).toEqual([200, 1]);
    const narrower = { ...ORDER, required: ["total", "currency"], properties: { currency: { type: "string" } } };
    const next = await addVersion(owner, "a", narrower);
    expect([next.status, next.body.data]).toMatchObject([
      201,
      { version: 2, compatible: false, breaks: { publishers: ["currency"], subscribers: ["total"] } },
    ]);
    const all = (await call("GET", "/event-types/a/versions", owner)).body.data;
    expect(all.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect((await call("GET", "/event-types/a/versions/1", owner)).body.data.schema).toEqual(ORDER);
    for (const version of ["0", "3", "x"]) {
      const { status, body } = await call("GET", `/event-types/a/versions/${version}`, owner);
      expect([status, body.message]).toEqual([404, "Version not found"]);
    }
  });

  test("of parallel ones, each gets a number of its own", async () => {
    const owner = await signUpVerified();
    await declare(owner, { name: "a" });
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => addVersion(owner, "a", { minLength: at })));
    const numbers = all.map(({ body }) => body.data?.version).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  test("is what a payload is tried on, and a type without a schema is a conflict", async () => {
    const owner = await signUpVerified();
    await declare(owner, { name: "a", schema: ORDER });
    await addVersion(owner, "a", true);
    const validate = async (name: string, body: object) =>
      call("POST", `/event-types/${name}/validate`, { ...owner, body });
    expect((await validate("a", { payload: {} })).body.data).toEqual({ valid: true, version: 2, errors: [] });
    expect((await validate("a", { payload: { total: 0 }, version: 1 })).body.data).toEqual({
      ...{ valid: false, version: 1 },
      errors: [{ path: "payload.total", message: "minimum: 1 or more" }],
    });
    await declare(owner, { name: "b" });
    expect((await validate("b", { payload: {} })).status).toBe(409);
  });
});

describe("publishing", () => {
  test("is refused with the places that do not fit, and never with a value", async () => {
    const owner = await signUpVerified();
    await declare(owner, { name: "a", schema: ORDER, enforce: "reject" });
    const refused = await publish(owner, "a", { total: "secret" });
    expect([refused.status, refused.body.details]).toEqual([
      400,
      [{ path: "payload.total", message: "type: integer" }],
    ]);
    expect((await publish(owner, "a", {})).body.details).toEqual([{ path: "payload", message: "required: total" }]);
    expect((await publish(owner, "a", { total: 1 })).status).toBe(202);
    const batch = await call("POST", "/events/batch", {
      ...owner,
      body: {
        events: [
          { type: "b", payload: 1 },
          { type: "a", payload: {} },
        ],
      },
    });
    expect([batch.status, batch.body.details[0].path]).toEqual([400, "events.1.payload"]);
    expect((await call("GET", "/events", owner)).body.data).toHaveLength(1);
  });

  test("publishes with a warning, and says that a type is deprecated", async () => {
    const owner = await signUpVerified();
    const deprecated = { since: "2026-01-01T00:00:00Z", replacedBy: "b" };
    await declare(owner, { name: "a", schema: ORDER, enforce: "warn", deprecated });
    const warned = await publish(owner, "a", {});
    expect(warned.status).toBe(202);
    expect(warned.body.data.warnings.map(({ path }: { path: string }) => path)).toEqual(["type", "payload"]);
    expect(warned.headers.get("x-postern-warning")).toBe("2");
    expect(warned.headers.get("deprecation")).toBe("@1767225600");
  });

  test("takes the version that it names, and no other", async () => {
    const owner = await signUpVerified();
    await declare(owner, { name: "a", schema: ORDER, enforce: "reject" });
    await addVersion(owner, "a", { type: "string" });
    expect((await publish(owner, "a", "text")).status).toBe(202);
    expect((await publish(owner, "a", { total: 1 })).status).toBe(400);
    expect((await publish(owner, "a", { total: 1 }, { schemaVersion: 1 })).status).toBe(202);
    const unknown = await publish(owner, "a", "text", { schemaVersion: 3 });
    expect([unknown.status, unknown.body.details[0].path]).toEqual([400, "schemaVersion"]);
    for (const schemaVersion of [3, 0, -1, 1.5, "x", "2", null, 1e300]) {
      expect((await publish(owner, "unregistered", 1, { schemaVersion })).status).toBe(202);
      const known = await publish(owner, "a", "text", { schemaVersion });
      expect([known.status, known.body.details[0].path]).toEqual([400, "schemaVersion"]);
    }
  });

  test.each([
    ["known", "nobody", "Unknown event type"],
    ["known", "old", "Archived event type"],
    ["validated", "plain", "The event type has no schema"],
  ])("in the mode %s, %s is refused", async (mode, type, message) => {
    const owner = await signUpVerified();
    await declare(owner, { name: "old" });
    await change(owner, "old", { archived: true });
    await declare(owner, { name: "plain" });
    await declare(owner, { name: "checked", schema: ORDER });
    expect((await publish(owner, type, 1)).status).toBe(202);
    expect((await set(owner, mode)).body.data).toEqual({ mode, catalog: { public: false } });
    expect((await publish(owner, type, 1)).body.details).toEqual([{ path: "type", message }]);
    expect((await publish(owner, "checked", { total: 1 })).status).toBe(202);
    expect((await publish(owner, "checked", {})).status).toBe(mode === "validated" ? 400 : 202);
    await set(owner, "open");
    expect((await publish(owner, type, 1)).status).toBe(202);
  });

  test("again with the same key is answered as first, whatever the rules are now", async () => {
    const owner = await signUpVerified();
    const key = { "idempotency-key": "k" };
    const first = await publish(owner, "a", {}, {}, key);
    await declare(owner, { name: "a", schema: ORDER, enforce: "reject" });
    const again = await publish(owner, "a", {}, {}, key);
    expect([again.status, again.body.data.id]).toEqual([202, first.body.data.id]);
    expect((await publish(owner, "a", {})).status).toBe(400);
  });

  test("obeys a rule as soon as its change is answered", async () => {
    const owner = await signUpVerified();
    await declare(owner, { name: "a", schema: ORDER });
    expect((await publish(owner, "a", {})).status).toBe(202);
    const running = Promise.all(Array.from({ length: 10 }, () => publish(owner, "a", {})));
    await change(owner, "a", { enforce: "reject" });
    const count = (await call("GET", "/events?limit=100", owner)).body.data.length;
    expect((await publish(owner, "a", {})).status).toBe(400);
    const statuses = (await running).map(({ status }) => status);
    expect((await call("GET", "/events?limit=100", owner)).body.data).toHaveLength(count);
    expect(statuses.filter((status) => status === 202)).toHaveLength(count - 1);
  });
});

test("a tenant without rules pays nothing, and one with rules a round trip when they change", async () => {
  const [without, owner] = [await signUpVerified(), await signUpVerified()];
  const cost = ({ token }: Person) => costOf("POST", "/events", { token, body: { type: "a", payload: { total: 1 } } });
  const plain = await cost(without);
  await declare(owner, { name: "a", schema: ORDER, enforce: "reject" });
  const [first, next] = [await cost(owner), await cost(owner)];
  expect([plain.trips, first.trips, next.trips]).toEqual([2, 3, 2]);
  // The first event of a tenant costs one row more.
  expect([first.rowsWritten, next.rowsWritten]).toEqual([plain.rowsWritten, plain.rowsWritten - 1]);
});
