/** Continues replays page by page. Each page is written at most once, and a crash continues at the cursor. */

import { reserveUpTo } from "../../../base/budgets/reserve";
import type { Deps } from "../../../base/deps";
import { AppError } from "../../../base/errors";
import { describeError, log } from "../../../base/log/log";
import { MINUTE_MS } from "../../../base/time";
import { findTenant } from "../../../tenancy/tenants/store";
import { enqueue } from "../../plane/enqueue";
import { sendOperational } from "../../plane/operational";
import { Meter, REPLAY_STEPS } from "../../work/meter";
import { firstOf, type ReplayPage, readPage, writePage } from "./page-store";
import { type ReplayJob, readRunningJobs } from "./store";

/** How many deliveries a run writes for one job. */
const MAX_DELIVERIES = 500;
/** How many empty pages a run reads for one job. */
const MAX_EMPTY_PAGES = 5;
/** A job saves up at most this much unused time of its rate, so that it does not send a lot at once after a pause. */
const MOST_SAVED_MS = 15_000;

/**
 * Calls to D1 in one run, besides those of a replay that has begun: the other parts of a sweep have theirs, and the
 * platform refuses those of an invocation after the first 1,000.
 */
const RUN_CALLS = 300;
/** Below the 10 s of CPU time that an invocation has. */
export const REPLAYS_MS = 4_000;

/**
 * Continues the replays of a shard, those that fit into one run. A replay that fails is logged and skipped. Returns
 * whether any is running. Throws when D1 is down.
 */
export async function continueReplays(deps: Deps, shard: number): Promise<boolean> {
  const jobs = await readRunningJobs(deps.shards.db(shard), deps.now());
  const [lastTrip, endMs] = [deps.trips.trips + RUN_CALLS, deps.now() + REPLAYS_MS];
  for (const job of jobs) {
    if (deps.trips.trips >= lastTrip || deps.now() >= endMs) break;
    try {
      await continueReplay(deps, shard, job);
    } catch (error) {
      log("error", "replay held up", {
        shard,
        replayId: job.id,
        webhookId: job.subscriptionId,
        ...describeError(error),
      });
    }
  }
  return jobs.length > 0;
}

/**
 * Queues the next deliveries of one job, as many as its rate and the tenant's budget allow. Throws when D1 or the queue
 * is down.
 */
export async function continueReplay(deps: Deps, shard: number, job: ReplayJob): Promise<void> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const intervalMs = MINUTE_MS / job.ratePerMinute;
  const paidFromMs = Math.max(job.pacedAt, nowMs - Math.max(MOST_SAVED_MS, intervalMs));
  const limit = Math.min(MAX_DELIVERIES, Math.floor((nowMs - paidFromMs) / intervalMs));
  if (limit < 1) return;
  let current = job;
  const meter = new Meter(REPLAY_STEPS);
  for (let pages = 0; pages < MAX_EMPTY_PAGES && !meter.isSpent; pages += 1) {
    const page = await readPage(db, current, limit, meter);
    if (page.wanted.length > 0) {
      return queue(deps, shard, current, page, (deliveries) => Math.ceil(paidFromMs + deliveries * intervalMs));
    }
    const written = await writePage(db, current, page, job.pacedAt, nowMs);
    sendOperational(deps, shard, written?.told ?? []);
    if (written === null || page.next === null) return;
    current = { ...current, cursor: page.next };
  }
}

/** Queues the deliveries of a page, or the first of them if the tenant's budget has no more. */
async function queue(
  deps: Deps,
  shard: number,
  job: ReplayJob,
  page: ReplayPage,
  pacedAtAfter: (deliveries: number) => number,
): Promise<void> {
  const tenant = await findTenant(deps, job.tenantId);
  if (!tenant) return;
  const budget = await reserveUpTo(deps, tenant, page.wanted.length).catch((error: unknown) => {
    // The budget is used up. The job continues when there is room again.
    if (error instanceof AppError) return null;
    throw error;
  });
  if (!budget) return;
  const affordable = firstOf(page, budget.limit);
  const pacedAt = pacedAtAfter(affordable.wanted.length);
  const written = await writePage(deps.shards.db(shard), job, affordable, pacedAt, deps.now());
  const unused = budget.limit - (written?.queued ?? 0);
  if (unused > 0) deps.background("give back", budget.giveBack({ deliveries: unused }));
  if (!written) return;
  sendOperational(deps, shard, written.told);
  await enqueue(deps, "slow", shard, written.due);
}
