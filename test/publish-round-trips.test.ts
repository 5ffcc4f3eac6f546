/** Publishing that takes more than one round trip to D1, because the first one writes nothing. */
import { describe, expect, test } from "vitest";
import type { Deps } from "../src/deps";
import { publishEvents } from "../src/events/publish";
import { type Person, signUp } from "./support/client";
import { controlledDeps } from "./support/controlled";
import { newInbox, subscribe } from "./support/receiver";
import { SHARD } from "./support/shard";

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
