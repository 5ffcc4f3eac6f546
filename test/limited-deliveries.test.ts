/** Subscriptions with a rate limit or a limit of concurrency, at a real receiver: what arrives, when, and what it costs the others. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { SubscriptionGate } from "../src/gates/durable-object";
import { call, eventually, type Person, signUp, verify } from "./support/client";
import { newInbox, subscribe } from "./support/receiver";
import { deliveryDb } from "./support/shard";

/** A request may arrive a little later than another that was sent after it. */
const NETWORK = 1;

const gateOf = (id: string) => env.SUBSCRIPTION_GATE.get(env.SUBSCRIPTION_GATE.idFromName(id));

async function limited(behaviour: string, delivery: object) {
  const person = await signUp();
  await verify(person.email);
  const inbox = newInbox(behaviour);
  return { person, inbox, id: await subscribe(person, inbox.url, { delivery }) };
}

async function publishMany(person: Person, count: number): Promise<void> {
  for (let published = 0; published < count; published += 100) {
    const events = Array.from({ length: Math.min(100, count - published) }, (_, n) => ({
      type: "OrderPaid",
      payload: published + n,
    }));
    const answer = await call("POST", "/events/batch", { token: person.token, body: { events } });
    expect(answer.status).toBe(202);
  }
}

const _change = (person: Person, id: string, delivery: unknown) =>
  call("PATCH", `/webhooks/${id}`, { token: person.token, body: { delivery } });

/** The most requests that arrived within any window of this length. */
function mostIn(windowMs: number, received: readonly { at: number }[]): number {
  const times = received.map(({ at }) => at).sort((a, b) => a - b);
  return Math.max(...times.map((time) => times.filter((other) => other >= time && other < time + windowMs).length));
}

const attemptsOf = async (id: string) =>
  (
    await deliveryDb
      .prepare("SELECT status, attempt_count FROM attempts WHERE subscription_id = ? AND status <> 'moved'")
      .bind(id)
      .all<{ status: string; attempt_count: number }>()
  ).results;

test("no sliding second has more than the limit, every event arrives once with one attempt, and a neighbour has no gate", async () => {
  const { person, inbox, id } = await limited("200", { rateLimit: { limit: 20, per: "second" } });
  const neighbour = newInbox("200");
  const neighbourId = await subscribe(person, neighbour.url);
  await publishMany(person, 100);
  await neighbour.arrived(100);
  const received = await inbox.arrived(100, 20_000);
  expect(mostIn(1_000, received)).toBeLessThanOrEqual(20 + NETWORK);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(100);
  await eventually("all recorded", async () => (await attemptsOf(id)).every(({ status }) => status === "success"));
  expect((await attemptsOf(id)).map((attempt) => attempt.attempt_count)).toEqual(Array(100).fill(1));
  expect(received).toHaveLength(100);
  await runInDurableObject(gateOf(neighbourId), async (_: SubscriptionGate, { storage }) => {
    expect((await storage.list()).size).toBe(0);
  });
});
