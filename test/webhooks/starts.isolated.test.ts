/** What a run makes of the answers of a throttle. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type ClaimedDelivery, claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import type { Claimed } from "../../src/webhooks/delivery/run-states";
import type { StartAnswer } from "../../src/webhooks/delivery/throttling/demand";
import { Starts } from "../../src/webhooks/delivery/throttling/starts";
import { eventually, signUpVerified } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { addDelivery, outboxRow } from "../support/engine";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

async function limited(delivery: object) {
  const person = await signUpVerified();
  return { person, id: await subscribe(person, newInbox("200").url, { delivery }) };
}

/** A delivery as a run has claimed it. */
const ofRun = (delivery: ClaimedDelivery, options: Claimed["options"]): Claimed => ({
  ...{ ...delivery, options, shard: SHARD },
  ...{ readMs: 0, startMs: 0, startByMs: Date.now() + 1_500, release: () => undefined },
});

test("what a run has read again after a change of the limits waits for its start under the new ones", async () => {
  const rateLimit = { limit: 1, per: "hour" } as const;
  const { person, id } = await limited({ rateLimit: { limit: 10, per: "second" } });
  const key = await addDelivery(person, id);
  const { deps, ended } = await controlledDeps();
  const holder = { speed: "fast", claim: crypto.randomUUID() } as const;
  const { claimed } = await claimDeliveries(deps.shards.db(SHARD), holder, [key], Date.now());
  await deliveryDb
    .prepare("UPDATE subscriptions SET options = json_set(options, '$.rateLimit', json(?)) WHERE id = ?")
    .bind(JSON.stringify(rateLimit), id)
    .run();
  const first = { demands: [{ id: "the first of an hour", priority: "new" as const }], ended: [], called: [] };
  const throttle = env.SUBSCRIPTION_GATE.get(env.SUBSCRIPTION_GATE.idFromName(id));
  await throttle.schedule({ rateLimit }, { ...first, holder: "another run", latestMs: Date.now() + 1_000 });
  const starts = new Starts({ deps, ...holder }, { onStart: () => undefined, onDeferred: () => undefined });
  starts.ask(claimed.map((delivery) => ofRun(delivery, { rateLimit })));
  await ended();
  expect((await outboxRow(key))?.due_at).toBeGreaterThan(key.dueAt);
});

test("a delivery that has missed its start and lost its permit keeps no other one of its run waiting", async () => {
  const { person, id } = await limited({ maxConcurrent: 1 });
  const keys = [await addDelivery(person, id), await addDelivery(person, id)];
  const { deps, ended } = await controlledDeps();
  const untilMs = Date.now() + 60_000;
  const answers: StartAnswer[] = [
    { kind: "start", atMs: 1 },
    { kind: "wait", untilMs, waitsFor: "start" },
    { kind: "wait", untilMs, waitsFor: "permit" },
  ];
  const throttles = {
    idFromName: () => env.SUBSCRIPTION_GATE.newUniqueId(),
    get: () => ({ schedule: async () => answers.splice(0, 1) }),
  } as unknown as typeof deps.throttles;
  const holder = { speed: "fast", claim: crypto.randomUUID() } as const;
  const { claimed } = await claimDeliveries(deps.shards.db(SHARD), holder, keys, Date.now());
  const [first, second] = claimed.map((delivery) => ofRun(delivery, { maxConcurrent: 1 }));
  if (!first || !second) throw new Error("nothing claimed");
  const answered: Claimed[] = [];
  const deferred: Claimed[] = [];
  const events = { onStart: () => void answered.push(first), onDeferred: (one: Claimed) => void deferred.push(one) };
  const starts = new Starts({ deps: { ...deps, throttles }, ...holder }, events);
  for (const [turn, delivery] of [first, first, second].entries()) {
    starts.ask([delivery]);
    await eventually("an answer", async () => answered.length > turn);
  }
  await ended();
  expect(deferred).toEqual([first, second]);
});
