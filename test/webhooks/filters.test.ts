/** Subscriptions with a filter: what they receive, how they are changed, and why an event was not sent. */
import { describe, expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { call, eventually, type Person, setRole, signUp, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";
import { newInbox, publish, subscribe } from "../support/receiver";
import { finished, replay } from "../support/replays";
import { deliveryDb } from "../support/shard";

const LARGE = { "payload.total": { $gt: 100 } };
const URL_200 = "http://receiver.example/200/filters";

const filtering = (person: Person, filter: object, fields: object = {}) =>
  subscribe(person, newInbox("200").url, { delivery: { filter }, ...fields });
const change = ({ token }: Person, id: string, body: object) => call("PATCH", `/webhooks/${id}`, { token, body });
const detail = async ({ token }: Person, eventId: string) =>
  (await call("GET", `/events/${eventId}`, { token })).body.data;
const outcomeOf = async (person: Person, eventId: string) => (await detail(person, eventId)).subscriptions[0];
const pathsOf = ({ status, body }: { status: number; body: { details?: { path: string }[] } }) => [
  status,
  body.details?.map(({ path }) => path),
];

describe("publishing", () => {
  test("sends what fits, and tells how many subscriptions were filtered", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url, { delivery: { filter: LARGE } });
    await filtering(person, { "payload.total": { $lt: 1_000 } });
    await subscribe(person, newInbox("200").url);
    const small = await publish(person, { total: 5 });
    const large = await publish(person, { total: 500 });
    expect(small).toEqual({ id: small.id, type: "OrderPaid", deliveries: 2, filtered: 1 });
    expect(large).toEqual({ id: large.id, type: "OrderPaid", deliveries: 3 });
    expect((await inbox.arrived(1)).map(({ body }) => body)).toEqual(['{"total":500}']);
    const { data } = (await call("GET", "/events", { token: person.token })).body;
    expect(data.map((event: { filtered?: number }) => event.filtered)).toEqual([undefined, 1]);
  });

  test("does not count as filtered who does not receive the type, or is paused", async () => {
    const person = await signUpVerified();
    await filtering(person, LARGE, { events: ["Other", "order.*"] });
    const paused = await filtering(person, LARGE);
    await call("POST", `/webhooks/${paused}/pause`, { token: person.token });
    const event = await publish(person, { total: 5 });
    expect(event).toEqual({ id: event.id, type: "OrderPaid", deliveries: 0 });
    expect(await publish(person, 1, { type: "order.paid" })).toMatchObject({ deliveries: 0, filtered: 1 });
    expect(await outcomeOf(person, event.id)).toMatchObject({ state: "skipped", reason: "paused" });
    await call("POST", `/webhooks/${paused}/resume`, { token: person.token });
    expect(await publish(person, { total: 5 })).toMatchObject({ deliveries: 0, filtered: 1 });
  });

  test("looks at each event of a batch, and repeats answer as first", async () => {
    const person = await signUpVerified();
    await filtering(person, LARGE);
    const events = [1, 500, 2].map((total, at) => ({
      ...{ type: "OrderPaid", payload: { total }, idempotencyKey: `k${at}`, orderKey: "o" },
    }));
    const batch = () => call("POST", "/events/batch", { token: person.token, body: { events } });
    const first = (await batch()).body.data;
    expect(first.map(({ deliveries, filtered, sequence }: never) => [deliveries, filtered, sequence])).toEqual([
      [0, 1, 1],
      [1, undefined, 2],
      [0, 1, 3],
    ]);
    await call("DELETE", `/webhooks/${await filtering(person, LARGE)}`, { token: person.token });
    expect((await batch()).body.data).toEqual(first);
  });

  test("obeys a change from its answer on, in each of 20 publishes at once", async () => {
    const person = await signUpVerified();
    const id = await filtering(person, LARGE);
    await publish(person, { total: 5 });
    for (const limit of [1, 1_000]) {
      expect((await change(person, id, { delivery: { filter: { "payload.total": { $gt: limit } } } })).status).toBe(
        200,
      );
      const sent = await Promise.all(Array.from({ length: 20 }, () => publish(person, { total: 500 })));
      expect(new Set(sent.map(({ deliveries }) => deliveries))).toEqual(new Set([limit === 1 ? 1 : 0]));
    }
    await change(person, id, { events: ["OrderPaid", "Other"] });
    expect(await publish(person, { total: 5 }, { type: "Other" })).toMatchObject({ deliveries: 0, filtered: 1 });
    await change(person, id, { delivery: { filter: null } });
    expect(await publish(person, { total: 5 })).toMatchObject({ deliveries: 1 });
  });

  test("keeps to the filters in a wide fan-out", async () => {
    const person = await signUpVerified();
    const id = await filtering(person, LARGE);
    const at = Date.now() - 1_000;
    const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      SELECT i, '${newIdAt(at).slice(0, 24)}' || printf('%012x', i) AS id FROM n`;
    await deliveryDb.batch([
      deliveryDb
        .prepare(
          `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled,
             released_to, has_backlog, created_at, updated_at, filter)
           SELECT id, ?, 'n', '${URL_200}', '["OrderPaid"]', '', '', 0, 0, 1, ${at}, ${at},
             iif(i > 550, '{"payload.total":7}', NULL) FROM (${many})`,
        )
        .bind(person.tenantId),
      deliveryDb
        .prepare(
          `INSERT INTO subscription_events (tenant_id, event_type, subscription_id)
           SELECT ?, 'OrderPaid', id FROM (${many})`,
        )
        .bind(person.tenantId),
    ]);
    // Written past the API: a change lets the next publish see them.
    await change(person, id, { delivery: { filter: { "payload.total": { $gt: 200 } } } });
    const event = await publish(person, { total: 5 });
    expect(event).toMatchObject({ deliveries: 550, filtered: 51 });
    const created = () =>
      deliveryDb.prepare("SELECT count(*) AS n FROM outbox WHERE event_id = ?").bind(event.id).first<number>("n");
    await eventually("fan-out done", async () => (await detail(person, event.id)) && (await created()) === 550);
    const open = "SELECT fan_out_after AS after FROM events WHERE id = ?";
    await eventually(
      "no more pages",
      async () => (await deliveryDb.prepare(open).bind(event.id).first("after")) === null,
    );
    expect(await created()).toBe(550);
  });

  test("costs a tenant with filters no more written rows, and one round trip when it reads them", async () => {
    const person = await signUpVerified();
    await filtering(person, LARGE, { url: URL_200 });
    const body = { type: "OrderPaid", payload: { total: 5 } };
    const costs = [
      await costOf("POST", "/events", { ...person, body }),
      await costOf("POST", "/events", { ...person, body }),
    ];
    // The first event of a tenant costs one row more.
    expect(costs.map(({ trips, rowsWritten }) => [trips, rowsWritten])).toEqual([
      [3, 2],
      [2, 1],
    ]);
  });
});

describe("why an event was not sent", () => {
  test("is told by the conditions that did not hold, until the filter changes", async () => {
    const person = await signUpVerified();
    const id = await filtering(person, { ...LARGE, type: "OrderPaid" });
    const event = await publish(person, { total: 5 });
    expect(await outcomeOf(person, event.id)).toMatchObject({
      webhookId: id,
      state: "skipped",
      reason: "filtered",
      because: [{ path: "payload.total", operator: "$gt", expected: 100, found: "number" }],
    });
    await change(person, id, { name: "other", delivery: { filter: { type: "OrderPaid", ...LARGE } } });
    const later = await outcomeOf(person, event.id);
    expect([later.reason, later.filterChanged, later.because]).toEqual(["filtered", true, undefined]);
  });

  test("is still told after a change of something else", async () => {
    const person = await signUpVerified();
    const id = await filtering(person, LARGE);
    const event = await publish(person, 1);
    await change(person, id, { name: "other", delivery: { filter: LARGE, maxConcurrent: 3 } });
    expect((await outcomeOf(person, event.id)).because).toHaveLength(1);
  });
});

test("a replay of missing events obeys the present filter, and one of all too", async () => {
  const person = await signUpVerified();
  const inbox = newInbox("200");
  const id = await subscribe(person, inbox.url, { delivery: { filter: LARGE } });
  for (const total of [5, 50, 500]) await publish(person, { total });
  await inbox.arrived(1);
  const matched = async (which: string) => (await replay(person, id, { which, dryRun: true })).body.data.matched;
  expect([await matched("missing"), await matched("all")]).toEqual([0, 1]);
  await change(person, id, { delivery: { filter: { "payload.total": { $gt: 10 } } } });
  expect([await matched("missing"), await matched("all")]).toEqual([1, 2]);
  const { data } = (await replay(person, id, { which: "missing" })).body;
  expect(await finished(person, id, data.id)).toMatchObject({ queued: 1 });
  expect((await inbox.arrived(2)).map(({ body }) => body)).toEqual(['{"total":500}', '{"total":50}']);
});

describe("a subscription", () => {
  test("has its filter replaced as a whole, shown, and removed by null", async () => {
    const person = await signUp();
    const filter = { "payload.a": null, "payload.b": { $in: [null, 1] } };
    const id = await filtering(person, filter);
    const shown = async () => (await call("GET", `/webhooks/${id}`, person)).body.data;
    expect((await shown()).delivery).toEqual({ filter });
    await change(person, id, { delivery: { filter: { type: "a" }, format: "thin" } });
    expect((await shown()).delivery).toEqual({ filter: { type: "a" }, format: "thin" });
    const { version } = await shown();
    await change(person, id, { delivery: { filter: { type: "a" } } });
    expect((await shown()).version).toBe(version);
    await change(person, id, { delivery: null });
    expect((await shown()).delivery).toBeUndefined();
  });

  test("is refused with a wrong filter, at its place", async () => {
    const person = await signUp();
    const id = await subscribe(person, URL_200);
    const filter = { payload: { total: { $gt: [] } } };
    expect(pathsOf(await change(person, id, { delivery: { filter } }))).toEqual([
      400,
      ["delivery.filter.payload.total.$gt"],
    ]);
    expect(pathsOf(await change(person, id, { delivery: { filter: "x" } }))).toEqual([400, ["delivery.filter"]]);
  });

  test("does not have a filter beside operational events", async () => {
    const person = await signUp();
    const operational = await subscribe(person, URL_200, { events: ["postern.*"] });
    const filtered = await filtering(person, LARGE);
    const created = await call("POST", "/webhooks", {
      token: person.token,
      body: { name: "n", url: URL_200, secret: "s", events: ["postern.*", "a"], delivery: { filter: LARGE } },
    });
    expect(pathsOf(created)).toEqual([400, ["delivery.filter"]]);
    expect(pathsOf(await change(person, operational, { delivery: { filter: LARGE } }))).toEqual([
      400,
      ["delivery.filter"],
    ]);
    expect(pathsOf(await change(person, filtered, { events: ["postern.*"] }))).toEqual([400, ["events"]]);
    expect((await change(person, filtered, { events: ["postern.*"], delivery: { filter: null } })).status).toBe(200);
    expect((await change(person, operational, { events: ["*"], delivery: { filter: LARGE } })).status).toBe(200);
  });

  test("may be one of 100 with a filter, also when 10 are made or changed at once", async () => {
    const person = await signUpVerified();
    const first = await filtering(person, LARGE);
    await deliveryDb
      .prepare(
        `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
           updated_at, filter) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 97)
         SELECT ? || i, ?, 'n', '${URL_200}', '["a"]', '', '', 1, 1, 1, '{"type":"a"}' FROM n`,
      )
      .bind(crypto.randomUUID(), person.tenantId)
      .run();
    const body = { name: "n", url: URL_200, events: ["a"], secret: "s", delivery: { filter: LARGE } };
    const made = await Promise.all(
      Array.from({ length: 10 }, () => call("POST", "/webhooks", { token: person.token, body })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(8).fill(409)]);
    expect(made.find(({ status }) => status === 409)?.body.message).toContain("100");
    const plain = await subscribe(person, URL_200);
    expect((await change(person, plain, { delivery: { filter: LARGE } })).status).toBe(409);
    expect((await change(person, first, { delivery: { filter: { type: "b" } } })).status).toBe(200);
    await call("DELETE", `/webhooks/${first}`, { token: person.token });
    const others = [plain, ...(await Promise.all(Array.from({ length: 9 }, () => subscribe(person, URL_200))))];
    const changed = await Promise.all(others.map((id) => change(person, id, { delivery: { filter: LARGE } })));
    expect(changed.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  test("that is imported gets the filter of its item, or none", async () => {
    const person = await signUpVerified();
    const item = { externalId: "e", url: URL_200, events: ["a"], secret: "s", name: "n" };
    const send = async (delivery?: object) => {
      const body = { subscriptions: [{ ...item, ...(delivery ? { delivery } : {}) }] };
      const answer = await call("POST", "/webhooks/import", { token: person.token, body });
      return answer.body.data[0].outcome;
    };
    const filter = { "payload.a": null };
    expect([await send({ filter }), await send({ filter }), await send(), await send()]).toEqual([
      ...["created", "unchanged", "updated", "unchanged"],
    ]);
    const { data } = (await call("GET", "/webhooks?externalId=e", person)).body;
    expect(data[0].delivery).toBeUndefined();
  });
});

describe("POST /webhooks/:id/filter/test", () => {
  const tried = ({ token }: Person, id: string, body: object) =>
    call("POST", `/webhooks/${id}/filter/test`, { token, body });

  test("tells what the stored filter makes of an event, and what another would", async () => {
    const person = await signUp();
    const id = await filtering(person, LARGE);
    const [event, because] = [
      { type: "OrderPaid", payload: { total: 5 } },
      [{ path: "payload.total", operator: "$gt", expected: 100, found: "number" }],
    ];
    expect((await tried(person, id, event)).body.data).toEqual({ subscribed: true, matches: false, because });
    const other = await tried(person, id, { ...event, type: "Other", filter: { "payload.total": 5 } });
    expect(other.body.data).toEqual({ subscribed: false, matches: true, because: [] });
    const plain = await subscribe(person, URL_200);
    expect((await tried(person, plain, event)).body.data).toEqual({ subscribed: true, matches: true, because: [] });
  });

  test("is open to readers of the tenant, and takes up to 256 KiB", async () => {
    const [person, stranger] = [await signUp(), await signUp()];
    const id = await filtering(person, LARGE);
    const event = { type: "OrderPaid", payload: { total: 500, text: "x".repeat(200_000) } };
    await setRole(person, "viewer");
    expect((await tried(person, id, event)).body.data.matches).toBe(true);
    expect((await tried(stranger, id, event)).status).toBe(404);
    expect((await tried(person, id, { ...event, payload: "x".repeat(300_000) })).status).toBe(413);
    expect(pathsOf(await tried(person, id, { ...event, filter: { $or: [] } }))).toEqual([400, ["filter.$or"]]);
    expect(pathsOf(await tried(person, id, { type: "a" }))).toEqual([400, ["payload"]]);
  });
});
