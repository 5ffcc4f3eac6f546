/** Consumers of feeds, whose positions the service keeps. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, eventually, type Person, signUpVerified } from "../support/client";
import { type Feed, onlyFeed, payloads, poll, post } from "../support/feeds";
import { joinTenant } from "../support/people";
import { publish } from "../support/receiver";

let person: Person;
let feed: Feed;
beforeAll(async () => {
  person = await signUpVerified();
});
beforeEach(async () => {
  feed = await onlyFeed(person);
});

const poll1 = (query = "") => poll(feed, `?consumer=a${query}`);
const ack = (cursor: string, name = "a") => post(feed, `/feeds/${feed.id}/consumers/${name}/ack`, { cursor });
const consumers = async () =>
  (await call("GET", `/feeds/${feed.id}/consumers`, { token: person.token })).body.data as Record<string, unknown>[];

test("what is not acknowledged comes again; an older acknowledgement changes nothing", async () => {
  await publish(person, 1);
  const first = await poll1("&from=oldest");
  await publish(person, 2);
  const again = await poll1();
  expect([payloads(first), payloads(again)]).toEqual([[1], [1, 2]]);
  expect(await consumers()).toMatchObject([{ name: "a", waiting: 2 }]);
  expect((await ack(again.cursor)).body.data).toMatchObject({ name: "a", waiting: 0 });
  expect((await ack(first.cursor)).status).toBe(200);
  expect(payloads(await poll1())).toEqual([]);
});

test("a consumer is made by its first poll, from now on; others get 404", async () => {
  await publish(person, "before");
  expect((await ack((await poll(feed)).cursor, "b")).status).toBe(404);
  expect(payloads(await poll1())).toEqual([]);
  await publish(person, "after");
  expect(payloads(await poll1())).toEqual(["after"]);
  const path = `/feeds/${feed.id}/consumers`;
  expect((await call("DELETE", `${path}/a`, { token: feed.token })).status).toBe(200);
  expect((await call("DELETE", `${path}/a`, { token: feed.token })).status).toBe(404);
  expect((await post(feed, `${path}/a/seek`, { to: "now" })).body.message).toBe("Consumer not found");
});

test("seek goes to the oldest event, to now, to a time and to a cursor, and is in the audit log", async () => {
  for (const payload of [1, 2]) await publish(person, payload);
  const { cursor } = await poll(feed, "?from=oldest&limit=1");
  await poll1();
  const payloadsAfter = async (target: object) => {
    expect((await post(feed, `/feeds/${feed.id}/consumers/a/seek`, target)).status).toBe(200);
    return payloads(await poll1());
  };
  expect(await payloadsAfter({ to: "oldest" })).toEqual([1, 2]);
  expect(await payloadsAfter({ to: "now" })).toEqual([]);
  expect(await payloadsAfter({ cursor })).toEqual([2]);
  expect(await payloadsAfter({ since: new Date(Date.now() - 60_000).toISOString() })).toEqual([1, 2]);
  const early = await post(feed, `/feeds/${feed.id}/consumers/a/seek`, { since: "0001-01-01T00:00:00Z" });
  expect(payloads(await poll(feed, `?cursor=${early.body.data.cursor}`))).toEqual([1, 2]);
  expect(await payloadsAfter({ since: "2099-01-01T00:00:00Z" })).toEqual([]);
  await publish(person, 3);
  expect(payloads(await poll1())).toEqual([3]);
  expect((await post(feed, `/feeds/${feed.id}/consumers/a/seek`, { to: "now", cursor })).status).toBe(400);
  const log = await call("GET", "/audit?action=feed.consumer_moved", { token: person.token });
  expect(log.body.data[0]).toMatchObject({ target: { kind: "feed", id: feed.id }, meta: { consumer: "a" } });
});

test("of 10 polls of a consumer at once, one is answered and the others get 409 with Retry-After", async () => {
  await poll1();
  const path = `/feeds/${feed.id}/events?consumer=a&wait=20`;
  const statuses: number[] = [];
  const polls = Array.from({ length: 10 }, async () => {
    const answer = await call("GET", path, { token: feed.token });
    statuses.push(answer.status);
    return answer;
  });
  await eventually("nine answers", async () => statuses.length === 9);
  expect(statuses).toEqual(Array(9).fill(409));
  await publish(person, "for the one that waits");
  const answers = await Promise.all(polls);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  const refused = answers.find(({ status }) => status === 409);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("while a poll of a consumer waits, others get 409, although its object is evicted; its end lets the next one in", async () => {
  await poll1();
  const waiting = call("GET", `/feeds/${feed.id}/events?consumer=a&wait=20`, { token: feed.token });
  const polls = env.FEED_LEASE.getByName(person.tenantId);
  const open = () => runInDurableObject(polls, (_, state) => state.getWebSockets().length);
  await eventually("an open poll", async () => (await open()) === 1);
  const status = async () => (await call("GET", `/feeds/${feed.id}/events?consumer=a`, { token: feed.token })).status;
  for (let evictions = 0; evictions < 3; evictions += 1) {
    await evictDurableObject(polls);
    expect(await status()).toBe(409);
  }
  await publish(person, "awake");
  expect(payloads((await waiting).body)).toEqual(["awake"]);
  expect(await status()).toBe(200);
});

test("a poll of a consumer whose object is restarted is answered at once, and the next one waits", async () => {
  await poll1();
  const waiting = call("GET", `/feeds/${feed.id}/events?consumer=a&wait=20`, { token: feed.token });
  const polls = env.FEED_LEASE.getByName(person.tenantId);
  await eventually("an open poll", async () =>
    runInDurableObject(polls, (_, state) => state.getWebSockets().length === 1),
  );
  await evictDurableObject(polls, { webSockets: "close" });
  expect((await waiting).body).toMatchObject({ data: [], hasMore: false });
});

describe("a viewer, who may not acknowledge,", () => {
  const asViewer = async () => (await joinTenant(person, "viewer")).token;

  test("keeps nobody from polling a consumer", async () => {
    const token = await asViewer();
    await poll1("&from=oldest");
    const waiting = call("GET", `/feeds/${feed.id}/events?consumer=a&wait=20`, { token });
    for (let again = 0; again < 5; again += 1) expect((await poll1()).data).toEqual([]);
    await publish(person, 1);
    expect(payloads(await poll1())).toEqual([1]);
    expect(payloads((await waiting).body)).toEqual([1]);
  });

  test("makes consumers up to half of the cap, exactly, and leaves the other half to those who may", async () => {
    const token = await asViewer();
    const made = async (as: string, name: string) => {
      const path = (number: number) => `/feeds/${feed.id}/events?consumer=${name}${number}`;
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => call("GET", path(n), { token: as })));
      return answers.filter(({ status }) => status === 200).length;
    };
    expect(await made(token, "viewer")).toBe(10);
    expect(await made(feed.token, "product")).toBe(10);
  });
});

test("of 30 consumers at once, 20 are made", async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, number) =>
      call("GET", `/feeds/${feed.id}/events?consumer=c${number}`, { token: feed.token }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(await consumers()).toHaveLength(20);
});
