/** Subscriptions that list a wildcard such as `order.*`. */
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { createDb } from "../../src/base/db/client";
import { covers, wildcardsOf } from "../../src/webhooks/plane/patterns-store";
import { call, signUp, signUpVerified } from "../support/client";
import { newInbox, publish, subscribe } from "../support/receiver";

const db = createDb(env.DB, { trips: 0, sqlMs: 0, rowsWritten: 0 });

describe("what matches", () => {
  test.each<[string[], string, number]>([
    [["order.*"], "order.paid", 1],
    [["order.*"], "order.paid.late", 1],
    [["order.paid.*"], "order.paid.late", 1],
    [["order.*"], "order", 0],
    [["order.*"], "orders.paid", 0],
    [["order.paid.*"], "order.paid", 0],
    [["order.*"], "Order.paid", 0],
    [["paid.*"], "order.paid", 0],
    [["o[a-z]der.*"], "order.paid", 0],
    [["o[a-z]der.*"], "o[a-z]der.paid", 1],
    [["order.?.*"], "order.x.paid", 0],
    [["a.b.c.d.e.f.g.h.*"], "a.b.c.d.e.f.g.h.i", 1],
    [["order.*", "order.paid", "order.paid.*", "*"], "order.paid.late", 1],
    [["order.paid", "order.*"], "order.paid", 1],
  ])("%j receives %s %i times", async (events, type, deliveries) => {
    const person = await signUp();
    await subscribe(person, newInbox("200").url, { events });
    const answer = await call("POST", "/events", { token: person.token, body: { type, payload: 1 } });
    expect([answer.status, answer.body.data?.deliveries]).toEqual([202, deliveries]);
  });

  test.each([
    ".*",
    "order*",
    "order.*.paid",
    "*.paid",
    "order..*",
    "**",
    "a.b.c.d.e.f.g.h.i.*",
    `${"o".repeat(126)}.*x`,
    `${"o".repeat(127)}.*`,
    "postern.webhook.*",
    "order. paid.*",
  ])("%s is refused at its place", async (pattern) => {
    const { token } = await signUp();
    const body = { name: "n", url: "https://example.com", events: ["a", pattern], secret: "a-signing-secret" };
    const answer = await call("POST", "/webhooks", { token, body });
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, "events.1"]);
  });

  test("SQL and a plain comparison agree about 2,000 random patterns and types", async () => {
    const parts = ["a", "b", "ab", "A", "[a]", "?", "", "a_b", "%"];
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const name = (most: number) =>
      Array.from({ length: 1 + random(most) }, () => parts[random(parts.length)] ?? "").join(".");
    const pairs = Array.from({ length: 2_000 }, () => ({ pattern: `${name(4)}.*`, type: name(6) }));
    const found = await db.all<{ covers: number; listed: number }>(sql`SELECT
        ${covers(sql`(j.value ->> 'pattern')`, sql`(j.value ->> 'type')`, sql`'t'`)} AS covers,
        (j.value ->> 'pattern') IN (${wildcardsOf(sql`(j.value ->> 'type')`)}) AS listed
      FROM json_each(${JSON.stringify(pairs)}) j ORDER BY j.key`);
    const expected = pairs.map(({ pattern, type }) => Number(type.startsWith(pattern.slice(0, -1))));
    expect(found.map((row) => row.covers)).toEqual(expected);
    expect(found.map((row) => row.listed)).toEqual(expected);
    expect(new Set(expected).size).toBe(2);
  });
});

test("an entry that another one covers stays in the subscription, and counts again when that one goes", async () => {
  const person = await signUp();
  const events = ["order.paid", "order.*"];
  const id = await subscribe(person, newInbox("200").url, { events });
  const read = async () => (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data.events;
  expect(await read()).toEqual(events);
  const deliveriesOf = async (type: string) =>
    (await call("POST", "/events", { token: person.token, body: { type, payload: 1 } })).body.data.deliveries;
  const patch = (body: object) => call("PATCH", `/webhooks/${id}`, { token: person.token, body });
  expect([await deliveriesOf("order.paid"), await deliveriesOf("order.sent")]).toEqual([1, 1]);
  await patch({ events: ["order.paid"] });
  expect([await deliveriesOf("order.paid"), await deliveriesOf("order.sent")]).toEqual([1, 0]);
  await patch({ events: ["order.*", "*"] });
  expect([await deliveriesOf("order.paid"), await deliveriesOf("other")]).toEqual([1, 1]);
  await patch({ enabled: false });
  expect(await deliveriesOf("order.paid")).toBe(0);
});

test("a fan-out that goes on through the queue reaches every wildcard, once", async () => {
  const person = await signUpVerified();
  const inboxes = await Promise.all(
    Array.from({ length: 7 }, async (_, position) => {
      const inbox = newInbox("200");
      await subscribe(person, inbox.url, { events: position % 2 === 0 ? ["order.*"] : ["order.paid.*", "order.paid"] });
      return inbox;
    }),
  );
  // A page of a batch of 100 has five deliveries of each event.
  const events = Array.from({ length: 100 }, (_, n) => ({ type: "order.paid", payload: n }));
  const { body } = await call("POST", "/events/batch", { token: person.token, body: { events } });
  expect(new Set(body.data.map(({ deliveries }: { deliveries: number }) => deliveries))).toEqual(new Set([7]));
  for (const inbox of inboxes) {
    const arrived = await inbox.arrived(100, 60_000);
    expect(new Set(arrived.map((request) => request.body)).size).toBe(100);
  }
}, 120_000);

test("an event names the subscriptions whose wildcard wanted it, and a replay sends it to a new one", async () => {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url, { events: ["order.*"] });
  const event = await publish(person, 1, { type: "order.paid" });
  await publish(person, 2, { type: "invoice.paid" });
  const get = async (path: string) => (await call("GET", path, { token: person.token })).body.data;
  const outcomes = (await get(`/events/${event.id}`)).subscriptions;
  expect(outcomes.map(({ webhookId }: { webhookId: string }) => webhookId)).toEqual([id]);
  const later = await subscribe(person, newInbox("200").url, { events: ["order.*"] });
  const since = new Date(Date.now() - 60_000).toISOString();
  const body = { since, which: "missing", includeBefore: true, dryRun: true };
  const preview = await call("POST", `/webhooks/${later}/replay`, { token: person.token, body });
  expect(preview.body.data).toEqual({ matched: 1, isPartial: false });
});
