/** How much the event types of a tenant may store, and which versions keep their schemas. */
import { describe, expect, test } from "vitest";
import { KEPT_VERSIONS, ROOM, TRIAL_ROOM } from "../../src/webhooks/event-types/room-store";
import { call, type Person, signUp, signUpVerified } from "../support/client";
import { deliveryDb } from "../support/shard";

const KIB = 1024;
const schemaOf = (bytes: number) => ({ description: "x".repeat(bytes) });
const declare = ({ token }: Person, name: string, more: object = {}) =>
  call("POST", "/event-types", { token, body: { name, ...more } });

const storedBytes = async ({ tenantId }: Person) =>
  (await deliveryDb
    .prepare("SELECT sum(stored_bytes) AS bytes FROM event_types WHERE tenant_id = ?")
    .bind(tenantId)
    .first<number>("bytes")) ?? 0;

/** Declares a type that stores as much as leaves this room. */
async function leaveRoom(person: Person, bytes: number): Promise<void> {
  expect((await declare(person, "large", { schema: true })).status).toBe(201);
  await deliveryDb
    .prepare("UPDATE event_types SET stored_bytes = ? WHERE tenant_id = ? AND name = 'large'")
    .bind(ROOM.bytes - bytes, person.tenantId)
    .run();
}

const FULL = { status: 409, body: { code: "CONFLICT", message: expect.stringContaining("16 MiB of schemas") } };

describe("a tenant without a verified owner", () => {
  test("has at most 20 types, of 30 at once too", async () => {
    const person = await signUp();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => declare(person, `t${at}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(TRIAL_ROOM.types);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(["403 EMAIL_NOT_VERIFIED"]),
    );
  });

  test("has 256 KiB for them", async () => {
    const person = await signUp();
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      statuses.push((await declare(person, `t${at}`, { schema: schemaOf(60 * KIB) })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 403]);
    expect(await storedBytes(person)).toBeLessThanOrEqual(TRIAL_ROOM.bytes);
  });
});

describe("16 MiB of schemas and examples", () => {
  test("are not exceeded by 10 types at once", async () => {
    const person = await signUpVerified();
    await leaveRoom(person, 130 * KIB);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => declare(person, `t${at}`, { schema: schemaOf(60 * KIB) })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const refused of answers.filter(({ status }) => status !== 201)) expect(refused).toMatchObject(FULL);
    expect(await storedBytes(person)).toBeLessThanOrEqual(ROOM.bytes);
  });

  test("are not exceeded by versions, examples and imports, and a deleted type leaves its room", async () => {
    const person = await signUpVerified();
    const { token } = person;
    await declare(person, "small", { schema: true });
    await leaveRoom(person, 40 * KIB);
    const big = schemaOf(60 * KIB);
    const version = () => call("POST", "/event-types/small/versions", { token, body: { schema: big } });
    const examples = Array.from({ length: 5 }, () => "x".repeat(12 * KIB));
    expect(await version()).toMatchObject(FULL);
    expect(await call("PATCH", "/event-types/small", { token, body: { examples } })).toMatchObject(FULL);
    const body = { eventTypes: [{ name: "imported", schema: big }] };
    expect(await call("POST", "/event-types/import", { token, body })).toMatchObject(FULL);
    expect((await call("PATCH", "/event-types/small", { token, body: { description: "Small." } })).status).toBe(200);
    expect((await call("DELETE", "/event-types/large", { token })).status).toBe(200);
    expect((await version()).status).toBe(201);
    expect((await call("POST", "/event-types/import", { token, body })).status).toBe(200);
    const before = await storedBytes(person);
    expect((await call("PATCH", "/event-types/small", { token, body: { examples } })).status).toBe(200);
    expect((await storedBytes(person)) - before).toBe(JSON.stringify(examples).length);
  });
});

test("types from before they were counted take room too, without a change", async () => {
  const person = await signUpVerified();
  const large = schemaOf(60 * KIB);
  expect((await declare(person, "old", { schema: large })).status).toBe(201);
  await leaveRoom(person, 90 * KIB);
  const uncount = "UPDATE event_types SET stored_bytes = 0 WHERE tenant_id = ? AND name = 'old'";
  await deliveryDb.prepare(uncount).bind(person.tenantId).run();
  expect(await declare(person, "new", { schema: large })).toMatchObject(FULL);
  expect((await declare(person, "small", { schema: true })).status).toBe(201);
});

test("the newest 20 versions keep their schemas; older ones are listed without", async () => {
  const person = await signUpVerified();
  const { token } = person;
  await declare(person, "t", { schema: { const: 1 }, enforce: "reject" });
  for (let version = 2; version <= KEPT_VERSIONS + 2; version += 1) {
    const body = { schema: { const: version }, examples: [version] };
    expect((await call("POST", "/event-types/t/versions", { token, body })).status).toBe(201);
  }
  const { data } = (await call("GET", "/event-types/t/versions", { token })).body;
  expect(data).toHaveLength(KEPT_VERSIONS + 2);
  const statusOf = async (version: number) =>
    (await call("GET", `/event-types/t/versions/${version}`, { token })).status;
  expect([await statusOf(2), await statusOf(3)]).toEqual([404, 200]);
  const publish = (version: number) =>
    call("POST", "/events", { token, body: { type: "t", payload: version, schemaVersion: version } });
  expect((await publish(3)).status).toBe(202);
  expect(await publish(2)).toMatchObject({ status: 400, body: { details: [{ path: "schemaVersion" }] } });
});
