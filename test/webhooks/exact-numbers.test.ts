/** Numbers that a double cannot hold, in filters, in schemas and in payloads. */
import { SELF } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { compareExact, type ExactNumber, isHeld, isWhole, parseExact, placeOfExact } from "../../src/base/exact-json";
import { compileSchema } from "../../src/webhooks/event-types/json-schema/check";
import { validate } from "../../src/webhooks/event-types/json-schema/validate";
import { matches } from "../../src/webhooks/filters/match";
import { parseFilter } from "../../src/webhooks/filters/parse";
import { call, type Person, signUpVerified } from "../support/client";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const raw = (text: string) => JSON.rawJSON(text);
const pathsOf = ({ status, body }: { status: number; body: { details?: { path: string }[] } }) => [
  status,
  body.details?.map(({ path }) => path),
];
const publish = async ({ token }: Person, type: string, payload: unknown) =>
  call("POST", "/events", { token, body: { type, payload } });
const declare = async ({ token }: Person, body: object) => call("POST", "/event-types", { token, body });

describe("parsing", () => {
  test.each(["0.1", "1.0", "-0", "1e2", "1E-7", "9007199254740992", "5e-324", "100000000000000000000", "0e999"])(
    "%s is held by a double",
    (text) => expect([isHeld(text), parseExact(`[${text}]`)]).toEqual([true, JSON.parse(`[${text}]`)]),
  );

  test.each(["1e309", "-1e400", "1e-400", "9007199254740993", "12345678901234567890", "0.12345678901234567890"])(
    "%s is not, and keeps its digits",
    (text) => {
      expect(isHeld(text)).toBe(false);
      expect(JSON.stringify(parseExact(text))).toBe(text);
      const json = `{"a":[{"__proto__":${text},"t":"${text}\\"${text}","n":1.5}]}`;
      expect(JSON.stringify(parseExact(json))).toBe(json);
      expect(placeOfExact(parseExact(json))).toEqual(["a", "0", "__proto__"]);
    },
  );

  test("what is no JSON stays refused", () => {
    for (const text of ["{9007199254740993:1}", "1e5e5", "-", "[1e400", "012345678901234567"]) {
      expect(() => parseExact(text)).toThrow(SyntaxError);
    }
  });

  test("they are compared by their digits", () => {
    const order = (text: string, other: number) => Math.sign(compareExact(parseExact(text) as ExactNumber, other));
    expect(order("9007199254740993", 2 ** 53)).toBe(1);
    expect(order("-9007199254740993", -(2 ** 53))).toBe(-1);
    expect(order("1e-400", 0)).toBe(1);
    expect(order("-1e309", 1)).toBe(-1);
    expect(order("9007199254740992.5", 1e300)).toBe(-1);
    expect(["1e309", "9007199254740992.5"].map((text) => isWhole(raw(text)))).toEqual([true, false]);
  });
});

test.each<[object, string]>([
  [{ "payload.n": { $gte: raw("1e309") } }, "payload.n.$gte"],
  [{ "payload.n": raw("9007199254740993") }, "payload.n"],
  [{ "payload.n": { $in: [1, { a: raw("1e-400") }] } }, "payload.n.$in.1.a"],
])("a filter with one is refused at its place: %j", async (filter, place) => {
  const person = await signUpVerified();
  const { token } = person;
  const body = { name: "n", url: "http://receiver.example/200/n", events: ["*"], secret: "s", delivery: { filter } };
  expect(pathsOf(await call("POST", "/webhooks", { token, body }))).toEqual([400, [`delivery.filter.${place}`]]);
  const id = await subscribe(person, newInbox("200").url);
  const sample = { token, body: { type: "a", payload: 1, filter } };
  expect(pathsOf(await call("POST", `/webhooks/${id}/filter/test`, sample))).toEqual([400, [`filter.${place}`]]);
});

test.each<[object, string]>([
  [{ maximum: raw("1e400") }, "schema.maximum"],
  [{ properties: { n: { maximum: raw("9223372036854775807") } } }, "schema.properties.n.maximum"],
  [{ enum: [1, [raw("1e309")]] }, "schema.enum.1.0"],
])("a schema with one is refused at its place: %j", async (schema, place) => {
  const owner = await signUpVerified();
  expect(pathsOf(await declare(owner, { name: "a", schema }))).toEqual([400, [place]]);
});

/** Filters, and whether they let through an event with 9007199254740993 as `n`. */
test.each<[object, boolean]>([
  [{ n: 5 }, true],
  [{ n: { $ne: 5 } }, true],
  [{ n: { $lt: 5 } }, true],
  [{ n: { $in: ["a", 5] } }, true],
  [{ n: { $nin: ["a", 5] } }, true],
  [{ $not: { n: 5 } }, true],
  [{ $not: { $not: { n: { $gt: 5 } } } }, true],
  [{ n: "a" }, false],
  [{ n: { $exists: true } }, true],
  [{ "n.rawJSON": { $exists: true } }, false],
  [{ n: { rawJSON: "9007199254740993" } }, false],
])("in a payload it fits whatever a number is asked for: %j", (payload, expected) => {
  const subject = { type: "a", payload: parseExact('{"n":9007199254740993}') };
  expect(matches(parseFilter({ payload }), subject)).toBe(expected);
});

/** Schemas, a payload, and whether it fits. */
test.each<[unknown, string, boolean]>([
  [{ type: "integer" }, "12345678901234567890", true],
  [{ type: "integer" }, "12345678901234567890.5", false],
  [{ type: "number" }, "1e309", true],
  [{ type: "object" }, "1e309", false],
  [{ maximum: 9007199254740992 }, "9007199254740993", false],
  [{ exclusiveMinimum: 9007199254740992 }, "9007199254740993", true],
  [{ minimum: 0 }, "-1e309", false],
  [{ multipleOf: 1 }, "9007199254740992.5", false],
  [{ multipleOf: 7 }, "9007199254740993", true],
  [{ multipleOf: 0.5 }, "1e308", true],
  [{ const: 5 }, "9007199254740993", true],
  [{ const: "a" }, "9007199254740993", false],
  [{ uniqueItems: true }, "[9007199254740992,9007199254740993]", true],
])("in a payload it is checked by its digits: %j %s", (schema, payload, expected) => {
  expect(validate(compileSchema(schema), parseExact(payload), "payload").length === 0).toBe(expected);
});

test("the API shows the digits that were published", async () => {
  const person = await signUpVerified();
  const { body } = await publish(person, "OrderPaid", { n: raw("12345678901234567890") });
  const headers = { authorization: `Bearer ${person.token}` };
  const shown = await SELF.fetch(`http://postern.test/api/v1/events/${body.data.id}`, { headers });
  expect(await shown.text()).toContain('"payload":{"n":12345678901234567890}');
});

describe("a stored row that cannot be read", () => {
  test.each(['{"payload.n":{"$gte":null}}', "no JSON"])(
    "lets every event through if it is a filter: %s",
    async (stored) => {
      const person = await signUpVerified();
      const inbox = newInbox("200");
      const filter = { "payload.n": { $gte: 5 } };
      const id = await subscribe(person, inbox.url, { delivery: { filter } });
      await subscribe(person, newInbox("200").url, { delivery: { filter } });
      await deliveryDb.prepare("UPDATE subscriptions SET filter = ? WHERE id = ?").bind(stored, id).run();
      const { status, body } = await publish(person, "OrderPaid", { n: 1 });
      expect([status, body.data]).toMatchObject([202, { deliveries: 1, filtered: 1 }]);
      expect((await inbox.arrived(1)).map((one) => one.body)).toEqual(['{"n":1}']);
      const sample = { ...person, body: { type: "OrderPaid", payload: { n: 1 } } };
      expect((await call("POST", `/webhooks/${id}/filter/test`, sample)).body.data.matches).toBe(true);
      expect((await call("GET", "/webhooks", person)).status).toBe(200);
    },
  );

  test.each(['{"maximum":null}', "no JSON"])("refuses nothing if it is a schema: %s", async (stored) => {
    const person = await signUpVerified();
    await declare(person, { name: "a", schema: { maximum: 5 }, enforce: "reject" });
    await call("PATCH", "/tenant/event-types", { ...person, body: { mode: "validated" } });
    await deliveryDb
      .prepare("UPDATE event_type_versions SET schema = ? WHERE tenant_id = ? AND name = 'a'")
      .bind(stored, person.tenantId)
      .run();
    expect((await publish(person, "a", 9)).status).toBe(202);
    expect((await call("GET", "/event-types/export?format=typescript", person)).status).toBe(200);
    const added = { ...person, body: { schema: { maximum: 7 } } };
    expect((await call("POST", "/event-types/a/versions", added)).body.data.version).toBe(2);
    expect((await publish(person, "a", 9)).status).toBe(400);
  });
});
