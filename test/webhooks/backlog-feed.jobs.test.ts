/**
 * Who queues the deliveries of a backlog: the results of earlier ones do, each delivery once, and the sweep, so that a
 * backlog never stands still.
 */
import { expect, test } from "vitest";
import { DeliveryRun } from "../../src/webhooks/delivery/deliver";
import { type SweptAt, sweepShard } from "../../src/webhooks/delivery/sweep";
import { MAX_SWEEP_INTERVAL_MS } from "../../src/webhooks/delivery/timing";
import { controlledDeps } from "../support/controlled";
import { addDelivery, type Key, newDelivery } from "../support/engine";
import { deliveryDb, SHARD } from "../support/shard";

/** Returns the keys of a subscription's deliveries that wait in its backlog, oldest first. */
async function newBacklog(count: number): Promise<Key[]> {
  const { person, webhookId, key } = await newDelivery("200");
  const keys = [key];
  while (keys.length < count) keys.push(await addDelivery(person, webhookId));
  await deliveryDb.batch([
    deliveryDb.prepare("UPDATE subscriptions SET has_backlog = 1 WHERE id = ?").bind(webhookId),
    deliveryDb.prepare("UPDATE outbox SET queue = subscription_id WHERE subscription_id = ?").bind(webhookId),
  ]);
  return keys.map((waiting) => ({ ...waiting, queue: webhookId }));
}

const idsOf = (keys: readonly Key[]) => keys.map(({ id }) => id);

test("the results of a backlog's deliveries queue each of the next ones once", async () => {
  const { deps, queued, ended } = await controlledDeps();
  const keys = await newBacklog(9);
  for (const part of [keys.slice(0, 3), keys.slice(3, 6)]) {
    const run = new DeliveryRun(deps, "slow");
    await run.add(part.map((key) => ({ ...key, shard: SHARD })));
    await run.finished();
  }
  await ended();
  expect(queued.toSorted()).toEqual(idsOf(keys.slice(3)).toSorted());
});

test("a backlog whose messages have come to nothing, because its subscription hung then, is queued again by the next sweep", async () => {
  const { deps, queued, turn } = await controlledDeps();
  const keys = await newBacklog(2);
  const sweptAt: SweptAt = new Map();
  await sweepShard(deps, SHARD, sweptAt);
  expect(queued).toEqual(expect.arrayContaining(idsOf(keys)));
  queued.length = 0;
  await sweepShard(deps, SHARD, sweptAt);
  expect(queued).toEqual([]);
  turn(MAX_SWEEP_INTERVAL_MS);
  await sweepShard(deps, SHARD, sweptAt);
  expect(queued).toEqual(expect.arrayContaining(idsOf(keys)));
});
