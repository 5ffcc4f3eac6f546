/** Feeds: what programs pull, how long it stays, and who may read it. */
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createDb } from "../../src/base/db/client";
import { DAY_MS } from "../../src/base/time";
import { deleteOldEntries } from "../../src/webhooks/feeds/retention-store";
import { call, type Person, signUp, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";
import { createFeed, type Feed, oldest, onlyFeed, payloads, poll, post } from "../support/feeds";
import { publish } from "../support/receiver";
import { deliveryDb } from "../support/shard";

let person: Person;
let feed: Feed;
beforeAll(async () => {
  person = await signUpVerified();
});
beforeEach(async () => {
  feed = await onlyFeed(person);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("reading", () => {
  test("without a cursor it begins now; a cursor leads to what follows, once and in order", async () => {
    await publish(person, "before");
    const begin = await poll(feed);
    expect(begin).toEqual({
      data: [],
      hasMore: false,
      truncated: false,
      cursor: expect.any(String),
      nextPollMs: expect.any(Number),
    });
    expect(begin.nextPollMs).toBeGreaterThan(0);
    for (const payload of [1, 2, 3]) await publish(person, payload);
    const first = await poll(feed, `?cursor=${begin.cursor}&limit=2`);
    expect([payloads(first), first.hasMore, first.nextPollMs]).toEqual([[1, 2], true, 0]);
    const second = await poll(feed, `?cursor=${first.cursor}&limit=2`);
    expect([payloads(second), second.hasMore]).toEqual([[3], false]);
    expect(payloads(await poll(feed, `?cursor=${second.cursor}`))).toEqual([]);
    expect(await oldest(feed)).toEqual(["before", 1, 2, 3]);
  });

  test("an event has what it was published with, and its payload byte for byte", async () => {
    const payload = '{ "n": 12345678901234567890, "b":1e400 }';
    const raw = `{"type":"Order.Paid","payload":${payload},"correlationId":"c","orderKey":"k"}`;
    const headers = { "content-type": "application/json" };
    const { body } = await call("POST", "/events", { token: person.token, raw, headers });
    const url = `http://postern.test/api/v1/feeds/${feed.id}/events?from=oldest`;
    const text = await (await exports.default.fetch(url, { headers: { "x-api-key": feed.token } })).text();
    expect(text).toContain('"payload":{ "n": 12345678901234567890, "b":1e400 }}');
    expect(JSON.parse(text).data[0]).toMatchObject({
      id: body.data.id,
      type: "Order.Paid",
      correlationId: "c",
      orderKey: "k",
      sequence: body.data.sequence,
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  test("a feed lists the types of its list only, wildcards too, and a change counts from then on", async () => {
    const narrow = await createFeed(person, ["order.*", "Exact"]);
    for (const type of ["order.paid", "order.paid.late", "Exact", "orders.paid", "Other"]) {
      await publish(person, type, { type });
    }
    expect(await oldest(narrow)).toEqual(["order.paid", "order.paid.late", "Exact"]);
    await call("PATCH", `/feeds/${narrow.id}`, { token: person.token, body: { events: ["order.*", "Other"] } });
    for (const type of ["order.due", "Exact", "Other"]) await publish(person, `new ${type}`, { type });
    expect(await oldest(narrow)).toEqual(["order.paid", "order.paid.late", "new order.due", "new Other"]);
  });

  test("a page has at most 1 MiB, but at least one event", async () => {
    const long = "x".repeat(250_000);
    for (let count = 0; count < 6; count += 1) await publish(person, long);
    const first = await poll(feed, "?from=oldest");
    const second = await poll(feed, `?cursor=${first.cursor}`);
    expect([first.data.length, first.hasMore, second.data.length, second.hasMore]).toEqual([4, true, 2, false]);
  });

  test("a cursor of another feed, a forged one and contradictions are refused", async () => {
    const other = await createFeed(person);
    const { cursor } = await poll(other);
    const refused = async (query: string) => {
      const { status, body } = await call("GET", `/feeds/${feed.id}/events${query}`, { token: feed.token });
      return [status, body.details?.[0]?.path];
    };
    expect(await refused(`?cursor=${cursor}`)).toEqual([400, "cursor"]);
    expect(await refused("?cursor=zzzzzzzzzzzzzzzz")).toEqual([400, "cursor"]);
    const own = (await poll(feed)).cursor;
    expect(await refused(`?cursor=${own}&from=oldest`)).toEqual([400, "from"]);
    expect(await refused(`?cursor=${own}&consumer=a`)).toEqual([400, "consumer"]);
    expect(await refused("?limit=501")).toEqual([400, "limit"]);
    expect(await refused("?wait=21")).toEqual([400, "wait"]);
  });

  test("operational events cannot be listed", async () => {
    for (const events of [["postern.*"], ["postern.audit"], []]) {
      expect((await post(person, "/feeds", { name: "n", events })).status).toBe(400);
    }
  });
});

describe("retention", () => {
  const removeAll = () =>
    deleteOldEntries(createDb(deliveryDb, { trips: 0, sqlMs: 0, rowsWritten: 0 }), Date.now() + DAY_MS, before, 1_000);
  let before = "";
  beforeAll(() => {
    before = person.tenantId.slice(0, -1);
  });

  test("says that a page is truncated exactly if events of the feed after the cursor were removed", async () => {
    const narrow = await createFeed(person, ["Kept"]);
    const [wide, begin] = [(await poll(feed)).cursor, (await poll(narrow)).cursor];
    await publish(person, "gone", { type: "T" });
    const read = await poll(feed, `?cursor=${wide}`);
    while ((await removeAll()).count > 0);
    await publish(person, "left", { type: "Kept" });
    const page = await poll(feed, `?cursor=${wide}`);
    expect([payloads(page), page.truncated]).toEqual([["left"], true]);
    expect(await poll(feed, `?cursor=${read.cursor}`)).toMatchObject({ truncated: false, data: [{ payload: "left" }] });
    expect(await poll(narrow, `?cursor=${begin}`)).toMatchObject({ truncated: false, data: [{ payload: "left" }] });
    expect(await poll(feed, "?from=oldest")).toMatchObject({ truncated: false, data: [{ payload: "left" }] });
  });

  test("a position that was removed is never given again", async () => {
    const owner = await signUp();
    const own = await createFeed(owner);
    const ahead = (Date.now() + DAY_MS) * 1_000;
    await deliveryDb
      .prepare("UPDATE feed_logs SET trimmed_to = ? WHERE tenant_id = ?")
      .bind(ahead, owner.tenantId)
      .run();
    await publish(owner, 1);
    const position = deliveryDb.prepare("SELECT position FROM feed_entries WHERE tenant_id = ?");
    expect(await position.bind(owner.tenantId).first("position")).toBe(ahead + 1);
    expect(await oldest(own)).toEqual([1]);
  });

  test("maxAgeMs skips older events and says so", async () => {
    // Not the tenant of the isolates with fast clocks.
    const owner = await signUp();
    const own = await createFeed(owner);
    await publish(owner, "old");
    const { cursor } = await poll(own, "?from=oldest");
    await publish(owner, "older");
    // It then stands still, so that a slow machine does not make the new event too old.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_100 });
    await publish(owner, "new");
    const page = await poll(own, "?from=oldest&maxAgeMs=1000");
    expect([payloads(page), page.truncated]).toEqual([["new"], true]);
    const all = await poll(own, `?cursor=${cursor}&maxAgeMs=600000`);
    expect([payloads(all), all.truncated]).toEqual([["older", "new"], false]);
  });
});

describe("tokens", () => {
  test("a token reads its feed only: 404 for another one, 401 elsewhere", async () => {
    const other = await createFeed(person);
    const status = async (method: string, path: string, body?: object) =>
      (await call(method, path, { token: feed.token, ...(body ? { body } : {}) })).status;
    expect(await status("GET", `/feeds/${feed.id}/events`)).toBe(200);
    expect(await status("GET", `/feeds/${other.id}/events`)).toBe(404);
    expect(await status("POST", `/feeds/${other.id}/consumers/a/seek`, { to: "now" })).toBe(404);
    for (const path of ["/feeds", `/feeds/${feed.id}`, `/feeds/${feed.id}/consumers`, "/events", "/auth/me"]) {
      expect([path, await status("GET", path)]).toEqual([path, 401]);
    }
    expect(await status("DELETE", `/feeds/${feed.id}`)).toBe(401);
    expect(await status("POST", "/events", { type: "T", payload: 1 })).toBe(401);
  });

  test("a former token works during the overlap, and not at all without one", async () => {
    const rotate = async (body: object) => {
      const { status: answered, body: answer } = await post(person, `/feeds/${feed.id}/token`, body);
      expect(answered).toBe(200);
      return answer.data.token;
    };
    const reads = async (token: string) => (await call("GET", `/feeds/${feed.id}/events`, { token })).status;
    const second = await rotate({ overlapSeconds: 60 });
    expect([await reads(feed.token), await reads(second)]).toEqual([200, 200]);
    const third = await rotate({});
    expect([await reads(feed.token), await reads(second), await reads(third)]).toEqual([401, 401, 200]);
    const { body } = await call("GET", `/feeds/${feed.id}`, { token: person.token });
    expect([body.data.tokenPrefix, body.data.token]).toEqual([`${third.slice(0, 8)}…`, undefined]);
  });

  test("of 30 feeds at once, 20 are made, and the others leave no token", async () => {
    const owner = await signUp();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post(owner, "/feeds", { name: "n", events: ["*"] })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const tokens = env.DB.prepare("SELECT count(*) AS n FROM feed_tokens WHERE tenant_id = ?");
    expect(await tokens.bind(owner.tenantId).first("n")).toBe(20);
  });

  test("another tenant's feed is not there", async () => {
    const stranger = await signUp();
    for (const path of [`/feeds/${feed.id}`, `/feeds/${feed.id}/events`, `/feeds/${feed.id}/consumers`]) {
      expect([path, (await call("GET", path, { token: stranger.token })).status]).toEqual([path, 404]);
    }
  });
});

describe("costs", () => {
  const send = (to: Person) => costOf("POST", "/events", { token: to.token, body: { type: "T", payload: 1 } });

  test("a listed event costs one row more, however many feeds list it; others and reads cost none", async () => {
    const stranger = await signUpVerified();
    await send(stranger);
    const plain = await send(stranger);
    await createFeed(person);
    await send(person);
    const listed = await send(person);
    expect(listed).toEqual({ ...plain, rowsWritten: plain.rowsWritten + 1 });
    const read = await costOf("GET", `/feeds/${feed.id}/events?from=oldest`, { token: feed.token });
    expect(read).toEqual({ status: 200, trips: 3, rowsWritten: 0 });
  });
});
