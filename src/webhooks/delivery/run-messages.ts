/** Delivers what the messages of a queue name, in one run. */
import type { Deps } from "../../base/deps";
import type { DeliveryMessage, ShardKey } from "../../base/messages";
import type { QueueSpeed } from "../plane/enqueue";
import { MAX_EARLY_MS } from "../plane/timing";
import { DeliveryRun } from "./deliver";
import { queueAfterFault } from "./hand-back";
import { inTurns } from "./selection";

interface Delivery {
  keys: ShardKey[];
  /** The time until all of them are due, in ms. */
  earlyMs: number;
}

/** When a message must come again: after so many seconds because it is too early, after a fault, or never (null). */
export type ComesAgain = number | "after a fault" | null;

/**
 * Delivers what is due, and, in the background, what is slightly early. Resolves when nothing is being claimed. Returns
 * for each message when it must come again: "after a fault" for one that could not be claimed.
 */
export async function runMessages(
  deps: Deps,
  speed: QueueSpeed,
  messages: readonly DeliveryMessage[],
): Promise<ComesAgain[]> {
  const nowMs = deps.now();
  const run = new DeliveryRun(deps, speed);
  const deliveries = messages.map(
    ({ shard, due }): Delivery => ({
      keys: due.map((key) => ({ ...key, shard })),
      earlyMs: Math.max(...due.map(({ dueAt }) => dueAt - nowMs)),
    }),
  );
  const early = deliveries.filter(({ earlyMs }) => earlyMs > 0 && earlyMs <= MAX_EARLY_MS);
  const failed = new Set(await run.add(inOrder(deliveries.filter(({ earlyMs }) => earlyMs <= 0))));
  deps.background("deliver", run.finished());
  if (early.length > 0) deps.background("deliver what is early", deliverEarly(deps, speed, run, early));
  return deliveries.map(({ keys, earlyMs }) => {
    if (earlyMs > MAX_EARLY_MS) return Math.floor(earlyMs / 1000);
    return keys.some((key) => failed.has(key)) ? "after a fault" : null;
  });
}

/** The handler does not wait for these, because the next batch would wait with it. */
async function deliverEarly(
  deps: Deps,
  speed: QueueSpeed,
  run: DeliveryRun,
  early: readonly Delivery[],
): Promise<void> {
  // A claim takes only what is due by then, and a timer can end a moment before its time.
  const dueMs = Math.max(...early.flatMap(({ keys }) => keys.map(({ dueAt }) => dueAt)));
  while (deps.now() < dueMs) await scheduler.wait(dueMs - deps.now());
  queueAfterFault({ deps, speed }, await run.add(inOrder(early)));
  await run.finished();
}

/** A message has the deliveries of one event or a few, so messages take turns. */
function inOrder(deliveries: readonly Delivery[]): ShardKey[] {
  const all = deliveries.flatMap((delivery) => delivery.keys.map((key) => ({ key, delivery })));
  return inTurns(all, ({ delivery }) => delivery).map(({ key }) => key);
}
