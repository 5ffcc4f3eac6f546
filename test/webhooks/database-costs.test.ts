/**
 * What operations on webhooks and events cost: one D1 round trip after the check of who calls, two for a change of a
 * subscription, and no row more than they need.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Person, signUpVerified, verify } from "../support/client";
import { costAndMessagesOf, costOf, costOfBatch, costOfRetention, rowsRead } from "../support/cost";
import { addDelivery, makeDue, messageFor, outboxRow } from "../support/engine";
import { publisher } from "../support/publishers";
import { newInbox, subscribe } from "../support/receiver";

const AUTH_TRIPS = 1;

// The clock stands still, so that a slow machine does not hand back deliveries that could not start in time, which
// writes rows.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A verified owner with this many subscriptions. */
async function subscribers(count: number): Promise<Person> {
  const person = await signUpVerified();
  await verify(person.email);
  const { url } = newInbox("200");
  for (let made = 0; made < count; made += 1) await subscribe(person, url);
  return person;
}

/**
 * The last columns: rows written, indexes included, of which each event of the audit log is 2, and the note that a
 * tenant has published is 1, with its first event; and the round trips. A change of a subscription is decided on what
 * is stored, so it takes one to read and one to write.
 */
test.each([
  ["POST", "/webhooks", { name: "n", url: "http://receiver.example/200/b", events: ["Unheard"], secret: "s" }, 6],
  ["GET", "/webhooks", undefined, 0],
  ["GET", "/webhooks/:id", undefined, 0],
  ["PATCH", "/webhooks/:id", { name: "other" }, 3, 2],
  ["PATCH", "/webhooks/:id", { events: ["A", "B"], secret: "new", url: "http://receiver.example/204/b" }, 9, 2],
  ["PATCH", "/webhooks/:id", {}, 0],
  ["GET", "/webhooks/:id/logs", undefined, 0],
  ["GET", "/webhooks/:id/logs?status=failed&limit=100", undefined, 0],
  ["POST", "/webhooks/:id/retry-failed", { since: "2026-01-01T00:00:00Z" }, 0],
  ["GET", "/webhooks/:id/metrics", undefined, 0],
  ["GET", "/webhooks/:id/stats", undefined, 0],
  ["GET", "/stats", undefined, 0],
  ["POST", "/webhooks/:id/pause", undefined, 4, 2],
  ["POST", "/webhooks/:id/resume", undefined, 0],
  ["POST", "/webhooks/:id/retry", undefined, 0],
  ["POST", "/webhooks/:id/test", undefined, 3],
  ["POST", "/events", { type: "Unheard", payload: 1 }, 2],
  ["DELETE", "/webhooks/:id", undefined, 5],
] as [string, string, object | undefined, number, number?][])(
  "%s %s %j",
  async (method, path, body, rowsWritten, trips = 1) => {
    const person = await signUpVerified();
    const id = await subscribe(person, "http://receiver.example/200/b", { events: ["Else"] });
    const cost = await costOf(method, path.replace(":id", id), { token: person.token, body });
    expect(cost.status).toBe(path.endsWith("/retry") ? 404 : cost.status < 300 ? cost.status : 200);
    expect(cost.trips).toBe(AUTH_TRIPS + trips);
    expect(cost.rowsWritten).toBe(rowsWritten);
  },
);

/** The first event of a tenant costs one row more. */
const publishFirst = ({ token }: Person) => costOf("POST", "/events", { token, body: { type: "First", payload: 1 } });

const publishTo = (person: Person) =>
  costAndMessagesOf("POST", "/events", { token: person.token, body: { type: "OrderPaid", payload: 1 } });

test.each([
  [1, 2],
  [10, 11],
])("publishing to %i subscriptions writes %i rows", async (count, rowsWritten) => {
  const person = await subscribers(count);
  await publishFirst(person);
  expect(await publishTo(person)).toMatchObject({ status: 202, trips: AUTH_TRIPS + 1, rowsWritten });
});

/** performance.md says what each of these rows is for. */
test.each([
  [1, 22],
  [10, 58],
])("publishing to %i subscriptions by a key that is remembered reads %i rows, in one trip", async (count, read) => {
  const owner = await publisher();
  const { url } = newInbox("200");
  for (let made = 0; made < count; made += 1) await subscribe(owner, url);
  const publish = () => costOf("POST", "/events", { token: owner.key, body: { type: "OrderPaid", payload: 1 } });
  await publish();
  rowsRead.count = 0;
  expect(await publish()).toMatchObject({ status: 202, trips: 1, rowsWritten: count + 1 });
  expect(rowsRead.count).toBeLessThanOrEqual(read);
});

test.each([
  [[undefined, undefined], 2],
  [["a", "a"], 3],
  [["a", "b"], 4],
])("publishing a batch with the order keys %j writes %i rows: one more for each key", async (keys, rowsWritten) => {
  const person = await signUpVerified();
  await publishFirst(person);
  const events = keys.map((orderKey) => ({ type: "Unheard", payload: 1, ...(orderKey ? { orderKey } : {}) }));
  const publishing = { token: person.token, body: { events } };
  expect(await costOf("POST", "/events/batch", publishing)).toMatchObject({ trips: AUTH_TRIPS + 1, rowsWritten });
});

/**
 * What is the delivery's own is written 3 times. Once a record comes the hour of the subscription. performance.md says
 * what the rows that are read are for; a claim that leaves something reads that twice.
 */
test("a batch of ten first attempts that succeed writes three rows each and one more a record, and reads 24 each", async () => {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url);
  const keys = await Promise.all(Array.from({ length: 10 }, () => addDelivery(person, id)));
  rowsRead.count = 0;
  const { trips, rowsWritten } = await costOfBatch([messageFor(...keys)]);
  const records = rowsWritten - 30;
  expect(rowsRead.count).toBeLessThanOrEqual(24 * 10);
  expect(records).toBeGreaterThan(0);
  expect(records).toBeLessThan(10);
  // The claim, and a second one of what the first has left.
  expect([1, 2]).toContain(trips - records);
});

test.each<[string, object?]>([
  ["no options"],
  ["a schedule", { retry: { schedule: "standard", respectRetryAfter: true, onGone: "disable", abortHeader: true } }],
  ["headers", { headers: { Authorization: "Bearer 0123456789" } }],
  ["an envelope", { format: "standard" }],
  ["an Ed25519 key", { signature: "v1+v1a" }],
])("a delivery costs 2 round trips and 4 rows with %s, and a failed attempt no more", async (_what, delivery) => {
  const person = await signUpVerified();
  const costs = await Promise.all(
    ["200", "500"].map(async (behaviour) => {
      const id = await subscribe(person, newInbox(behaviour).url, { delivery });
      return costOfBatch([messageFor(await addDelivery(person, id))]);
    }),
  );
  expect(costs).toEqual([
    { trips: 2, rowsWritten: 4 },
    { trips: 2, rowsWritten: 4 },
  ]);
});

describe("a rotation", () => {
  test.each([
    ["of the secret writes 5 rows", {}, 5],
    ["of the secret that ends the old one at once writes 4 rows", { overlapSeconds: 0 }, 4],
    ["of the Ed25519 key writes 6 rows", { kind: "v1a" }, 6],
  ])("%s, and the deliveries after it cost no more", async (_what, body, rowsWritten) => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, { delivery: { signature: "v1+v1a" } });
    const cost = await costOf("POST", `/webhooks/${id}/secret/rotate`, { token: person.token, body });
    expect([cost.status, cost.rowsWritten]).toEqual([200, rowsWritten]);
    const sent = await costOfBatch([messageFor(await addDelivery(person, id))]);
    expect(sent).toEqual({ trips: 2, rowsWritten: 4 });
  });
});

/** One row more is written when retention removes the attempt. */
test("an attempt that fails, and its retry, cost 2 round trips and at most 4 rows each, before retention", async () => {
  const person = await signUpVerified();
  const key = await addDelivery(person, await subscribe(person, newInbox("500").url));
  const first = await costOfBatch([messageFor(key)]);
  const retry = await costOfBatch([messageFor(await makeDue(key))], "postern-deliveries-slow");
  expect([first.trips, retry.trips]).toEqual([2, 2]);
  expect(Math.max(first.rowsWritten, retry.rowsWritten)).toBeLessThanOrEqual(4);
  expect((await outboxRow(key))?.attempts).toBe(2);
});

test("a message for a delivery that has ended writes nothing", async () => {
  const person = await signUpVerified();
  const key = await addDelivery(person, await subscribe(person, newInbox("200").url));
  await costOfBatch([messageFor(key)]);
  expect(await costOfBatch([messageFor(key)])).toEqual({ trips: 1, rowsWritten: 0 });
});

/**
 * Rows that `count` events cost from the publish call to their removal, each delivered at once and in a batch of its
 * own.
 */
async function lifeOf(count: number, person: Person): Promise<number> {
  let rowsWritten = 0;
  for (let published = 0; published < count; published += 1) {
    const accepted = await publishTo(person);
    rowsWritten += accepted.rowsWritten;
    for (const message of accepted.messages) rowsWritten += (await costOfBatch([message])).rowsWritten;
  }
  return rowsWritten + (await costOfRetention()).rowsWritten;
}

describe("from the publish call to the removal by retention", () => {
  // What one event more costs: the row of the hour is removed once, whatever it counted.
  test.each([
    [1, 8],
    [100, 610],
  ])("one event to %i subscriptions writes at most %i rows", async (count, atMost) => {
    const person = await subscribers(count);
    await lifeOf(1, person);
    const [one, two] = [await lifeOf(1, person), await lifeOf(2, person)];
    expect(two - one).toBeLessThanOrEqual(atMost);
  });
});
