/**
 * Deliveries of limited subscriptions wait in the outbox until they may start, or until the limits change. This uses up
 * no attempt.
 */
import type { Deps } from "../../../base/deps";
import type { ShardKey } from "../../../base/messages";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { inTime } from "../../../base/time";
import { enqueue, enqueueLater } from "../../plane/enqueue";
import { sendOperational } from "../../plane/operational";
import { CLAIM_TIMEOUT_MS, LONGEST_THROTTLE_MESSAGE_DELAY_MS, THROTTLED_AFTER_MS } from "../../plane/timing";
import { postponeNew, releaseDeliveries, type Wait } from "../release-store";
import type { Claimed, Run } from "../run-states";
import { endWaits, markThrottled } from "./waits-store";

/** A delivery and until when it waits. */
export interface Deferral<Delivery = Claimed> extends Wait {
  delivery: Delivery;
}

/**
 * Defers deliveries. If the limits of one have changed meanwhile, it is only released, and the sweep finds it. Throws
 * when D1 or the queue is down.
 */
export async function defer(run: Run, shard: number, deferrals: readonly Deferral[]): Promise<void> {
  const released = deferrals.map((wait) => ({ ...wait.delivery, wait }));
  await releaseDeliveries(run.deps.shards.db(shard), run.claim, released);
  await queueAndReport(run, shard, deferrals);
}

/**
 * Defers new deliveries of one database without claiming them. Returns the ids of those that now wait; the others must
 * be claimed. Throws when D1 is down.
 */
export async function deferNew(
  run: Run,
  shard: number,
  deferrals: readonly Deferral<ShardKey>[],
): Promise<ReadonlySet<string>> {
  const postponed = deferrals.map((wait) => ({ ...wait.delivery, wait }));
  const waiting = await inTime(CLAIM_TIMEOUT_MS, postponeNew(run.deps.shards.db(shard), postponed));
  const deferred = deferrals.filter(({ delivery }) => waiting.has(delivery.id));
  run.deps.background("queue deferred deliveries", queueAndReport(run, shard, deferred));
  return waiting;
}

async function queueAndReport({ deps, speed }: Run, shard: number, deferrals: readonly Deferral<ShardKey>[]) {
  const keys = deferrals.map(({ delivery, untilMs }) => ({ ...delivery, dueAt: untilMs }));
  await enqueueLater(deps, speed, shard, keys, LONGEST_THROTTLE_MESSAGE_DELAY_MS, Math.ceil);
  await reportThrottled(deps, shard, deferrals);
}

/**
 * Publishes `postern.webhook.throttled` if deliveries of one subscription wait for starts that are far away, unless
 * earlier far starts have not passed yet. Waits for permits do not count, because permits become free sooner.
 */
async function reportThrottled(deps: Deps, shard: number, deferrals: readonly Deferral<ShardKey>[]): Promise<void> {
  const nowMs = deps.now();
  const far = deferrals.filter(({ untilMs, waitsFor }) => waitsFor === "start" && untilMs > nowMs + THROTTLED_AFTER_MS);
  const [first] = far;
  if (!first?.limits) return;
  const throttled = {
    subscriptionId: first.delivery.subscriptionId,
    limits: first.limits,
    lastStartMs: Math.max(...far.map(({ untilMs }) => untilMs)),
  };
  sendOperational(deps, shard, await markThrottled(deps.shards.db(shard), throttled, nowMs));
}

/** As many as one `sendBatch` takes. */
const ROWS_PER_ROUND = 1_000;

/**
 * Queues the waiting deliveries again. If it fails halfway, the rest waits as long as before. Throws when D1 or the
 * queue is down.
 */
export async function rescheduleWaiting(deps: Deps, tenant: TenantRef, subscriptionId: string): Promise<void> {
  for (;;) {
    const due = await endWaits(deps, tenant, subscriptionId, ROWS_PER_ROUND, deps.now());
    await enqueue(deps, "fast", tenant.shard, due);
    if (due.length < ROWS_PER_ROUND) return;
  }
}
