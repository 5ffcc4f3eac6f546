/** The order of a feed: no reader passes over what is committed late. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createDb } from "../../src/base/db/client";
import { createDeps, type Deps } from "../../src/base/deps";
import { findTenant } from "../../src/tenancy/tenants/store";
import { publishEvents } from "../../src/webhooks/events/publish";
import { call, type Person, signUpVerified } from "../support/client";
import { type Feed, oldest, onlyFeed, payloads, poll, post } from "../support/feeds";
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

/** A publish of an isolate with its own clock, whose batch waits until it is let through. */
async function heldPublish(payload: string, clockMs: number) {
  const context = createExecutionContext();
  const real = await createDeps(env, context);
  let reached = () => {};
  const isReady = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let commit = () => {};
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const held = {
    prepare: (query: string) => deliveryDb.prepare(query),
    batch: async (statements: D1PreparedStatement[]) => {
      reached();
      await mayCommit;
      return deliveryDb.batch(statements);
    },
  } as unknown as D1Database;
  const db = createDb(held, { trips: 0, sqlMs: 0, rowsWritten: 0 });
  const deps: Deps = { ...real, shards: { ...real.shards, db: () => db }, now: () => Date.now() + clockMs };
  const tenant = await findTenant(real, person.tenantId);
  if (!tenant) throw new Error("no tenant");
  const input = { type: "T", payload: JSON.stringify(payload), correlationId: null, idempotencyKey: null };
  const done = publishEvents(deps, tenant, [input], 0);
  await isReady;
  return async () => {
    commit();
    await done;
  };
}

test.each([
  ["slow", "fast", -60_000, 60_000],
  ["fast", "slow", 60_000, -60_000],
  ["equal", "equal", 0, 0],
])("a cursor passes no late commit of isolates with a %s and a %s clock, in both orders", async (_, __, one, two) => {
  for (const isReversed of [false, true]) {
    const begin = await poll(feed, "?from=oldest");
    const seen: unknown[] = [];
    let { cursor } = begin;
    const read = async () => {
      const page = await poll(feed, `?cursor=${cursor}`);
      seen.push(...payloads(page));
      ({ cursor } = page);
    };
    // Both have made their ids before either commits.
    const commits = [await heldPublish("first id", one), await heldPublish("second id", two)];
    const [early, late] = isReversed ? commits.toReversed() : commits;
    await read();
    await early?.();
    await read();
    expect(seen).toHaveLength(1);
    await publish(person, "between");
    await read();
    await late?.();
    await read();
    const order = isReversed ? ["second id", "between", "first id"] : ["first id", "between", "second id"];
    expect(seen).toEqual(order);
  }
});

test("a reader that polls during 100 parallel publishes gets each event once, in the order of the feed", async () => {
  const seen: unknown[] = [];
  let { cursor } = await poll(feed);
  const publishes = Promise.all(
    Array.from({ length: 100 }, (_, number) =>
      post(person, number % 2 === 0 ? "/events" : "/events/batch", eventOf(number)),
    ),
  );
  let isOver = false;
  void publishes.then(() => {
    isOver = true;
  });
  for (let isLast = false; !isLast; ) {
    isLast = isOver;
    const page = await poll(feed, `?cursor=${cursor}&limit=7`);
    seen.push(...payloads(page));
    ({ cursor } = page);
    isLast &&= !page.hasMore;
  }
  expect((await publishes).map(({ status }) => status)).toEqual(Array(100).fill(202));
  expect(seen.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 100 }, (_, number) => number));
  expect(payloads(await poll(feed, "?from=oldest&limit=500"))).toEqual(seen);
});

const eventOf = (number: number): object => {
  const event = { type: "T", payload: number };
  return number % 2 === 0 ? event : { events: [event] };
};

test("50 parallel repeats of an Idempotency-Key and conflicts with it make one entry", async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, number) =>
      call("POST", "/events", {
        token: person.token,
        body: { type: "T", payload: number % 2 },
        headers: { "idempotency-key": `once ${feed.id}`.replaceAll(" ", "-") },
      }),
    ),
  );
  const won = answers.filter(({ status }) => status === 202);
  expect([new Set(won.map(({ body }) => body.data.id)).size, (await oldest(feed)).length]).toEqual([1, 1]);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(25);
});

test("a batch is in the feed in its own order", async () => {
  const events = Array.from({ length: 20 }, (_, payload) => ({ type: "T", payload }));
  await post(person, "/events/batch", { events });
  expect(await oldest(feed)).toEqual(events.map(({ payload }) => payload));
});
