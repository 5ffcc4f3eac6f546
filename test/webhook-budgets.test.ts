/** What operations on webhooks and events cost: one D1 round trip after the check of who calls, and no row more than they need. */
import { expect, test } from "vitest";
import { signUp } from "./support/client";
import { costOf, costOfBatch } from "./support/cost";
import { addDelivery, deliveryRow, makeDue, messageFor } from "./support/engine";
import { newInbox, subscribe } from "./support/receiver";

const AUTH_TRIPS = 1;

/** The last column: rows written, indexes included. */
test.each([
  ["POST", "/webhooks", { name: "n", url: "http://receiver.example/200/b", events: ["Unheard"], secret: "s" }, 6],
  ["GET", "/webhooks", undefined, 0],
  ["GET", "/webhooks/:id", undefined, 0],
  ["PATCH", "/webhooks/:id", { name: "other" }, 1],
  ["PATCH", "/webhooks/:id", { events: ["A", "B"], secret: "new", url: "http://receiver.example/204/b" }, 8],
  ["PATCH", "/webhooks/:id", {}, 0],
  ["GET", "/webhooks/:id/logs", undefined, 0],
  ["GET", "/webhooks/:id/logs?status=failed&limit=100", undefined, 0],
  ["POST", "/webhooks/:id/retry-failed", { since: "2026-01-01T00:00:00Z" }, 0],
  ["GET", "/webhooks/:id/metrics", undefined, 0],
  ["GET", "/webhooks/:id/stats", undefined, 0],
  ["GET", "/stats", undefined, 0],
  ["POST", "/webhooks/:id/pause", undefined, 2],
  ["POST", "/webhooks/:id/resume", undefined, 0],
  ["POST", "/webhooks/:id/retry", undefined, 0],
  ["POST", "/webhooks/:id/test", undefined, 5],
  ["POST", "/events", { type: "Unheard", payload: 1 }, 3],
  ["DELETE", "/webhooks/:id", undefined, 2],
] as [string, string, object | undefined, number][])("%s %s %j", async (method, path, body, rowsWritten) => {
  const person = await signUp();
  const id = await subscribe(person, "http://receiver.example/200/b", { events: ["Else"] });
  const cost = await costOf(method, path.replace(":id", id), { token: person.token, body });
  expect(cost.status).toBe(path.endsWith("/retry") ? 404 : cost.status < 300 ? cost.status : 200);
  expect(cost.trips).toBe(AUTH_TRIPS + 1);
  expect(cost.rowsWritten).toBe(rowsWritten);
});

test.each([
  [1, 6],
  [10, 33],
])("publishing to %i subscriptions writes %i rows", async (count, rowsWritten) => {
  const person = await signUp();
  const { url } = newInbox("200");
  for (let made = 0; made < count; made += 1) await subscribe(person, url);
  const cost = await costOf("POST", "/events", { token: person.token, body: { type: "OrderPaid", payload: 1 } });
  expect(cost).toEqual({ status: 202, trips: AUTH_TRIPS + 1, rowsWritten });
});

/**
 * What is the delivery's own is written 6 times. Once a batch come the subscription's counters (2) and the hour's (3, and 2
 * more in the first batch of an hour).
 */
test.each([
  [1, 11],
  [10, 65],
])("a batch of %i first attempts that succeed writes %i rows", async (count, rowsWritten) => {
  const person = await signUp();
  const id = await subscribe(person, newInbox("200").url);
  const add = () => Promise.all(Array.from({ length: count }, () => addDelivery(person, id)));
  expect(await costOfBatch((await add()).map(messageFor))).toEqual({ trips: 2, rowsWritten: rowsWritten + 2 });
  expect(await costOfBatch((await add()).map(messageFor))).toEqual({ trips: 2, rowsWritten });
});

test("an attempt that fails, and its retry, cost 2 round trips each", async () => {
  const person = await signUp();
  const delivery = await addDelivery(person, await subscribe(person, newInbox("500").url));
  expect(await costOfBatch([messageFor(delivery)])).toEqual({ trips: 2, rowsWritten: 16 });
  await makeDue(delivery);
  expect(await costOfBatch([messageFor(delivery)], "postern-deliveries-slow")).toEqual({ trips: 2, rowsWritten: 14 });
  expect((await deliveryRow(delivery)).attempts).toBe(2);
});

test("a message for a delivery that is done writes nothing", async () => {
  const person = await signUp();
  const delivery = await addDelivery(person, await subscribe(person, newInbox("200").url));
  await costOfBatch([messageFor(delivery)]);
  expect(await costOfBatch([messageFor(delivery)])).toEqual({ trips: 1, rowsWritten: 0 });
});
