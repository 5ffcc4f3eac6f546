/** Subscriptions: create, list, get, change, delete; validation, tenancy, roles. */
import { describe, expect, test } from "vitest";
import { SYSTEM } from "../../src/base/schemas/actor";
import { updateSubscription } from "../../src/webhooks/subscriptions/change-store";
import { findSubscription } from "../../src/webhooks/subscriptions/store";
import { type Answer, call, type Person, setRole, signUp } from "../support/client";
import { depsOf } from "../support/moves";
import { subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const FIELDS = { name: "orders", url: "http://receiver.example/200/x", events: ["OrderPaid"], secret: "s3cret" };
const create = (person: Person, fields: object) => call("POST", "/webhooks", { token: person.token, body: fields });
const paths = (answer: Answer) => answer.body.details?.map((detail: { path: string }) => detail.path);

describe("creating and reading", () => {
  test("a subscription has every field of the contract and comes back the same from get and list", async () => {
    const person = await signUp();
    const created = await create(person, FIELDS);
    expect(created.status).toBe(201);
    expect(created.body.data).toEqual({
      _id: expect.any(String),
      ...FIELDS,
      enabled: true,
      failureCount: 0,
      tenantId: person.tenantId,
      isDeleted: false,
      version: 0,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: created.body.data.createdAt,
    });
    const second = await create(person, { ...FIELDS, name: " second ", enabled: false, events: ["*", "A", "A"] });
    expect(second.body.data).toMatchObject({ name: "second", enabled: false, events: ["*", "A"] });
    const got = await call("GET", `/webhooks/${created.body.data._id}`, { token: person.token });
    expect(got.body).toEqual(created.body);
    const list = await call("GET", "/webhooks", { token: person.token });
    expect(list.body.data).toEqual([second.body.data, created.body.data]);
  });

  test.each([
    ["  http://receiver.example/200/x \n", "http://receiver.example/200/x"],
    ["HTTP://receiver.example/200/x", "http://receiver.example/200/x"],
    ["http://receiver.example/200/nl\nx", null],
    ["http://receiver.example/200/\tx", null],
    ["http://receiver.example/200/x\0", null],
    ["http:receiver.example/200/x", null],
    ["http://receiver.example\\200\\x", null],
  ])("the URL %j is stored as it is called, or refused", async (typed, stored) => {
    const person = await signUp();
    const { status, body } = await create(person, { ...FIELDS, url: typed });
    expect([status, body.data?.url]).toEqual(stored === null ? [400, undefined] : [201, stored]);
  });

  test.each([
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", true],
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw==", false],
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLQ==", true],
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLQ", true],
    ["whsec_", false],
    ["whsec_not base64!", false],
    ["whsec_-__-MfKQ9r8GKYqrTwjUPD8ILPZIo2La", false],
  ])("the secret %s, wherever it is set: %j", async (secret, isTaken) => {
    const person = await signUp();
    const { token } = person;
    const id = await subscribe(person, FIELDS.url);
    const { data } = (
      await call("POST", "/webhooks/import", {
        token,
        body: { subscriptions: [{ ...FIELDS, secret, externalId: "e" }] },
      })
    ).body;
    const statuses = [
      (await create(person, { ...FIELDS, secret })).status,
      (await call("PATCH", `/webhooks/${id}`, { token, body: { secret } })).status,
      (
        await call("POST", `/webhooks/${await subscribe(person, FIELDS.url)}/secret/rotate`, {
          token,
          body: { secret },
        })
      ).status,
      data[0].outcome,
    ];
    expect(statuses).toEqual(isTaken ? [201, 200, 200, "created"] : [400, 400, 400, "refused"]);
  });

  test("the secret is not in the database in clear", async () => {
    const person = await signUp();
    const secret = `clear-${crypto.randomUUID()}`;
    await create(person, { ...FIELDS, secret });
    const rows = await deliveryDb.prepare("SELECT * FROM subscriptions").all();
    expect(JSON.stringify(rows.results)).not.toContain(secret);
  });

  test.each([
    [{ name: undefined }, "name"],
    [{ name: "  " }, "name"],
    [{ name: "n".repeat(201) }, "name"],
    [{ url: undefined }, "url"],
    [{ url: "not a url" }, "url"],
    [{ url: "ftp://example.com/" }, "url"],
    [{ url: "http://user:pass@example.com/" }, "url"],
    [{ url: `http://example.com/${"x".repeat(2048)}` }, "url"],
    [{ events: undefined }, "events"],
    [{ events: [] }, "events"],
    [{ events: ["two words"] }, "events.0"],
    [{ events: ["ok", "a*"] }, "events.1"],
    [{ events: ["é"] }, "events.0"],
    [{ events: ["x".repeat(129)] }, "events.0"],
    [{ events: Array.from({ length: 101 }, (_, n) => `E${n}`) }, "events"],
    [{ secret: undefined }, "secret"],
    [{ secret: "" }, "secret"],
    [{ secret: "s".repeat(257) }, "secret"],
    [{ enabled: "yes" }, "enabled"],
  ])("%j is refused with 400 on create and, where it is a value, on change", async (wrong, path) => {
    const person = await signUp();
    const refused = await create(person, { ...FIELDS, ...wrong });
    expect([refused.status, refused.body.code, paths(refused)]).toEqual([400, "VALIDATION_FAILED", [path]]);
    if (Object.values(wrong)[0] === undefined) return;
    const id = await subscribe(person, FIELDS.url);
    const unchanged = await call("PATCH", `/webhooks/${id}`, { token: person.token, body: wrong });
    expect([unchanged.status, paths(unchanged)]).toEqual([400, [path]]);
  });

  test("a host without a dot and a one-character secret are fine", async () => {
    const answer = await create(await signUp(), { ...FIELDS, url: "http://receiver/200/x", secret: " " });
    expect([answer.status, answer.body.data?.secret]).toEqual([201, " "]);
  });
});

describe("changing and deleting", () => {
  test("a change sets what is given, counts the version up, and no more when nothing differs", async () => {
    const person = await signUp();
    const { body } = await create(person, FIELDS);
    const patch = (change: object) =>
      call("PATCH", `/webhooks/${body.data._id}`, { token: person.token, body: change });
    for (const same of [{}, FIELDS, { secret: FIELDS.secret }, { unknown: 1 }]) {
      const answer = await patch(same);
      expect([answer.status, answer.body.data]).toEqual([200, body.data]);
    }
    const change = { name: "renamed", url: "https://receiver.example/204/y", events: ["A", "*"], secret: "new" };
    const changed = await patch(change);
    expect(changed.body.data).toMatchObject({ ...change, enabled: true, version: 1 });
    const disabled = await patch({ enabled: false, name: "renamed" });
    expect(disabled.body.data).toMatchObject({ ...change, enabled: false, version: 2 });
  });

  test("changed events decide what it gets from then on; a deleted one gets nothing", async () => {
    const person = await signUp();
    const id = await subscribe(person, "http://receiver.example/200/x", { events: ["A", "*"] });
    const deliveries = async (type: string) => {
      const answer = await call("POST", "/events", { token: person.token, body: { type, payload: 1 } });
      return answer.body.data.deliveries;
    };
    expect([await deliveries("A"), await deliveries("B")]).toEqual([1, 1]);
    await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { events: ["B"] } });
    expect([await deliveries("A"), await deliveries("B")]).toEqual([0, 1]);
    const deleted = await call("DELETE", `/webhooks/${id}`, { token: person.token });
    expect([deleted.status, deleted.body]).toEqual([200, { message: "Webhook deleted" }]);
    expect(await deliveries("B")).toBe(0);
    const again = await call("DELETE", `/webhooks/${id}`, { token: person.token });
    expect([again.status, again.body.message]).toEqual([404, "Webhook not found"]);
    const list = await call("GET", "/webhooks", { token: person.token });
    expect(list.body.data).toEqual([]);
    const row = await deliveryDb.prepare("SELECT is_deleted AS gone FROM subscriptions WHERE id = ?").bind(id).first();
    expect(row).toEqual({ gone: 1 });
  });
});

const ON_ONE: [string, string, object?][] = [
  ["GET", ""],
  ["PATCH", "", { name: "mine", events: ["Stolen"] }],
  ["PATCH", "", {}],
  ["DELETE", ""],
  ["GET", "/logs"],
  ["GET", "/metrics"],
  ["POST", "/retry"],
  ["POST", "/test"],
  ["POST", "/pause"],
  ["POST", "/resume"],
];

describe("changing at the same time", () => {
  test("20 changes all succeed or answer 409, and none that succeeds is lost", async () => {
    const person = await signUp();
    const id = await subscribe(person, FIELDS.url);
    const names = Array.from({ length: 20 }, (_, n) => `X-${n}`);
    const answers = await Promise.all(
      names.map((name) => {
        const body = { name, delivery: { headers: { [name]: "v" } } };
        return call("PATCH", `/webhooks/${id}`, { token: person.token, body });
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const written = names.filter((_, index) => answers[index]?.status === 200);
    const { data } = (await call("GET", `/webhooks/${id}`, { token: person.token })).body;
    expect(Object.keys(data.delivery.headers).sort()).toEqual(written.sort());
    expect([data.version, written.includes(data.name)]).toEqual([written.length, true]);
    const audit = await call("GET", "/audit?action=webhook.updated&limit=100", { token: person.token });
    expect(audit.body.data).toHaveLength(written.length);
  });

  test("decides a change again, but does not prevent a pause by whoever undoes what was not them", async () => {
    const person = await signUp();
    const id = await subscribe(person, FIELDS.url);
    const { deps, ended } = await depsOf();
    const tenant = { tenantId: person.tenantId, shard: SHARD, actor: SYSTEM };
    const before = await findSubscription(deps, tenant, id);
    if (!before) throw new Error("no subscription");
    await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { name: "other" } });
    const pause = { before, changed: { enabled: false } };
    const isEnabled = async () => (await findSubscription(deps, tenant, id))?.enabled;
    expect([await updateSubscription(deps, tenant, pause, 0), await isEnabled()]).toEqual([undefined, true]);
    const forced = await updateSubscription(deps, tenant, { ...pause, isForced: true }, 0);
    expect([forced?.version, await isEnabled()]).toEqual([2, false]);
    expect(await updateSubscription(deps, tenant, { ...pause, isForced: true }, 0)).toBeUndefined();
    await ended();
  });
});

describe("who may", () => {
  test("another tenant's subscription answers exactly as a missing one, and stays as it was", async () => {
    const owner = await signUp();
    const stranger = await signUp();
    const id = await subscribe(owner, FIELDS.url);
    const before = await call("GET", `/webhooks/${id}`, { token: owner.token });
    for (const [method, action, body] of ON_ONE) {
      for (const target of [id, crypto.randomUUID()]) {
        const answer = await call(method, `/webhooks/${target}${action}`, { token: stranger.token, body });
        const { requestId, ...rest } = answer.body;
        expect([method, action, answer.status, rest]).toEqual([
          method,
          action,
          404,
          { code: "NOT_FOUND", message: "Webhook not found" },
        ]);
      }
    }
    expect((await call("GET", "/webhooks", { token: stranger.token })).body.data).toEqual([]);
    expect((await call("GET", `/webhooks/${id}`, { token: owner.token })).body).toEqual(before.body);
    const types = await deliveryDb
      .prepare("SELECT event_type AS type FROM subscription_events WHERE subscription_id = ?")
      .bind(id)
      .all();
    expect(types.results).toEqual([{ type: "OrderPaid" }]);
  });

  test("roles hold what the table says, and 403 comes before validation and 404", async () => {
    const person = await signUp();
    const id = await subscribe(person, FIELDS.url);
    const statuses = async (role: string) => {
      await setRole(person, role);
      const ask = async (method: string, path: string, body?: object) =>
        (await call(method, path, { token: person.token, ...(body ? { body } : {}) })).status;
      return [
        await ask("GET", "/webhooks"),
        await ask("PATCH", `/webhooks/${id}`, { name: "" }),
        await ask("POST", "/webhooks", {}),
        await ask("DELETE", "/webhooks/none"),
        await ask("POST", "/events", {}),
      ];
    };
    expect(await statuses("member")).toEqual([403, 403, 403, 403, 403]);
    expect(await statuses("viewer")).toEqual([200, 403, 403, 403, 403]);
    expect(await statuses("operator")).toEqual([200, 400, 403, 403, 403]);
    expect(await statuses("developer")).toEqual([200, 400, 400, 404, 400]);
    expect(await statuses("admin")).toEqual([200, 400, 400, 404, 400]);
  });

  test("nobody without credentials gets anything", async () => {
    for (const [method, action, body] of ON_ONE) {
      const answer = await call(method, `/webhooks/some-id${action}`, { body });
      expect([method, action, answer.status, answer.body.code]).toEqual([method, action, 401, "UNAUTHENTICATED"]);
    }
  });
});
