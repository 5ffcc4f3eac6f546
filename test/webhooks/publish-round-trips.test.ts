/** Publishing that takes more than one round trip to D1, because the first one writes nothing. */
import { describe, expect, test } from "vitest";
import type { Deps } from "../../src/base/deps";
import type { Limiter } from "../../src/base/limits/limiter";
import { publishEvents } from "../../src/webhooks/events/publish";
import { call, type Person, signUp } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { newInbox, subscribe } from "../support/receiver";
import { SHARD } from "../support/shard";

const DAY_MS = 24 * 3_600_000;

/** Publishes one event by the function behind the route, which can do so at any time. */
async function publish(deps: Deps, { tenantId }: Person, idempotencyKey: string | null, payload = "1") {
  const input = { type: "OrderPaid", payload, correlationId: null, idempotencyKey };
  const [event] = await publishEvents(deps, { tenantId, shard: SHARD, hasVerifiedOwner: true }, [input], 0);
  return event;
}

describe("an Idempotency-Key that was used more than 24 hours ago", () => {
  test.each([
    ["the same body", "1"],
    ["another body", "2"],
  ])("publishes %s even if the event needs more deliveries than expected", async (_, payload) => {
    const person = await signUp();
    const { deps, turn, ended } = await controlledDeps();
    const first = await publish(deps, person, "daily");
    await subscribe(person, newInbox("200").url);
    turn(DAY_MS + 1_000);
    const second = await publish(deps, person, "daily", payload);
    expect([first?.deliveries, second?.deliveries]).toEqual([0, 1]);
    expect(second?.id).not.toBe(first?.id);
    await ended();
  });
});

test("a batch with a used Idempotency-Key is a conflict that names its event, whatever the other events are", async () => {
  const { token } = await signUp();
  const batch = (events: object[]) => call("POST", "/events/batch", { token, body: { events } });
  const used = { type: "OrderPaid", payload: 1, idempotencyKey: "used" };
  expect((await batch([used])).status).toBe(202);
  for (const other of [{}, { idempotencyKey: "new" }]) {
    const { status, body } = await batch([
      { type: "OrderPaid", payload: 1, ...other },
      { ...used, payload: 2 },
    ]);
    const message = "The idempotencyKey of events.1 was used with another body.";
    expect([status, body.code, body.message]).toEqual([409, "CONFLICT", message]);
  }
});

test("an event that fits only after a subscription was paused is published to the others", async () => {
  const person = await signUp();
  let trips = 0;
  const { deps, ended } = await controlledDeps(async (name, toD1) => {
    if (name === "acceptEvents") trips += 1;
    // The first publish takes one trip. The second one writes nothing in its first trip and reads that in its second.
    if (trips === 3) await call("PATCH", `/webhooks/${paused}`, { token: person.token, body: { enabled: false } });
    return toD1();
  });
  await subscribe(person, newInbox("200").url);
  await publish(deps, person, null);
  const paused = await subscribe(person, newInbox("200").url);
  expect((await publish(deps, person, null))?.deliveries).toBe(1);
  expect(trips).toBe(4);
  await ended();
});

test("a publish that is refused after it reserved deliveries twice gives back both reservations", async () => {
  const person = await signUp();
  await subscribe(person, newInbox("200").url);
  const other = await controlledDeps();
  await publish(other.deps, person, null);
  await subscribe(person, newInbox("200").url);
  let trips = 0;
  const { deps } = await controlledDeps(async (name, toD1) => {
    if (name === "acceptEvents") trips += 1;
    // The first trip writes nothing, the second reads that, and before the third somebody else uses the key.
    if (trips === 3) await publish(other.deps, person, "key", "2");
    return toD1();
  });
  const taken: number[] = [];
  const limiter: Limiter = {
    ...deps.limiter,
    consume(name, key, units = 1) {
      if (name === "tenantDeliveries") taken.push(units);
      return deps.limiter.consume(name, key, units);
    },
    giveBack(name, key, unused) {
      if (name === "tenantDeliveries") taken.push(-unused.units);
      return deps.limiter.giveBack(name, key, unused);
    },
  };
  await expect(publish({ ...deps, limiter }, person, "key")).rejects.toMatchObject({ code: "CONFLICT" });
  expect(taken).toEqual([1, 1, -1, -1]);
  await other.ended();
});
