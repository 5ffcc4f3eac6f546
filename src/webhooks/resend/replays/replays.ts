/** Starting, counting, showing and stopping replays. */

import { sha256Hex } from "../../../base/crypto/encoding";
import { firstIdAt, newIdAt, timeOfId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import { AppError, invalidField, notFound } from "../../../base/errors";
import type { ActingIn } from "../../../base/schemas/actor";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { DAY_MS, iso, MINUTE_MS } from "../../../base/time";
import { inEach, placesOf } from "../../../tenancy/moves/places";
import { mergePages } from "../../events/merge";
import { ID_BEFORE_MS } from "../../plane/timing";
import { findSubscription } from "../../subscriptions/store";
import { COUNTING_STEPS, Meter } from "../../work/meter";
import { continueReplay } from "./continue";
import { type ReplayOutcome, readReplayOutcome } from "./outcome-store";
import { readPage } from "./page-store";
import type { Replay, ReplayPreview, ReplayRequest } from "./schemas";
import { findJob, insertJob, listJobs, MAX_JOBS, type ReplayJob, type ReplaySpec, stopJob } from "./store";

/** A new job may use this much time of its rate at once, so that its first deliveries do not wait. */
const PAID_AT_START_MS = 5_000;
const MAX_COUNTED = 10_000;
const MAX_COUNTED_PAGES = 10;

const oldestMs = (deps: Deps) => deps.now() - deps.config.retentionDays * DAY_MS;

/**
 * Returns the job's spec. Throws VALIDATION_FAILED for a period that is empty, in the future, or older than the
 * retention.
 */
function specOf(deps: Deps, request: ReplayRequest, nowMs: number): ReplaySpec {
  const { since, until = nowMs, which, eventTypes = null, includeBefore = false, ratePerMinute } = request;
  const refuse = (path: string, message: string) => {
    throw invalidField(path, message);
  };
  const oldest = oldestMs(deps);
  if (since < oldest) refuse("since", `Must not be before ${iso(oldest)}, because older events are not kept`);
  if (until > nowMs) refuse("until", "Must not be in the future");
  if (since >= until) refuse("since", "Must be before until");
  return { which, since, until, eventTypes, includeBefore, ratePerMinute };
}

const firstCursor = ({ since }: ReplaySpec) => firstIdAt(since - ID_BEFORE_MS);

/**
 * Starts a replay and returns it. If the Idempotency-Key was used in the last 24 hours, returns the replay that it
 * started. Throws NOT_FOUND, VALIDATION_FAILED, and CONFLICT while another replay is running, while the subscription is
 * paused, and for a key that was used with another request.
 */
export async function startReplay(
  deps: Deps,
  tenant: ActingIn,
  subscriptionId: string,
  request: ReplayRequest,
  key: string | null,
): Promise<Replay> {
  const nowMs = deps.now();
  const spec = specOf(deps, request, nowMs);
  const id = newIdAt(nowMs);
  const pacedAt = Math.floor(nowMs - Math.max(PAID_AT_START_MS, MINUTE_MS / spec.ratePerMinute));
  const requestHash = key === null ? null : await sha256Hex(JSON.stringify({ ...request, dryRun: undefined }));
  const job = { id, cursor: firstCursor(spec), pacedAt, spec };
  const begin = async (place: ActingIn, wanted: typeof job) => {
    const made = await insertJob(deps, place, subscriptionId, wanted, { key, requestHash }, nowMs, oldestMs(deps));
    if (made.kind === "inserted") deps.background("begin replay", continueReplay(deps, place.shard, made.job));
    return made;
  };
  const [present, ...former] = placesOf(tenant);
  const inserted = await begin(present, job);
  switch (inserted.kind) {
    case "inserted":
    case "repeated":
      // With the same id, also if an earlier call with this key did not come so far.
      for (const place of former) await begin(place, { ...job, id: inserted.job.id });
      return replayOf(deps, tenant, subscriptionId, inserted.job.id);
    case "no subscription":
      throw notFound("Webhook");
    case "paused":
      throw new AppError("CONFLICT", { message: "Resume the webhook first." });
    case "running":
      throw new AppError("CONFLICT", { message: "A replay of this webhook is running. Wait for it, or stop it." });
    case "too many":
      throw new AppError("CONFLICT", { message: `A webhook can have at most ${MAX_JOBS} replays in 24 hours.` });
    case "other request":
      throw new AppError("CONFLICT", { message: "This Idempotency-Key was used with another body." });
  }
}

/** Counts what a replay would queue, also for a paused subscription. Throws NOT_FOUND and VALIDATION_FAILED. */
export async function previewReplay(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  request: ReplayRequest,
): Promise<ReplayPreview> {
  const nowMs = deps.now();
  const spec = specOf(deps, request, nowMs);
  if (!(await findSubscription(deps, tenant, subscriptionId))) throw notFound("Webhook");
  return countEverywhere(deps, tenant, subscriptionId, spec, MAX_COUNTED_PAGES);
}

/** Counts the deliveries of the last `periodMs` whose last attempt failed, in one page of attempts only. */
export function countFailed(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  periodMs: number,
): Promise<ReplayPreview> {
  const since = Math.max(deps.now() - periodMs, oldestMs(deps));
  const spec = specOf(deps, { which: "failed", since, ratePerMinute: 1 }, deps.now());
  return countEverywhere(deps, tenant, subscriptionId, spec, 1);
}

async function countEverywhere(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  spec: ReplaySpec,
  maxPages: number,
): Promise<ReplayPreview> {
  const counts = await inEach(tenant, (place) => countMatches(deps, place, subscriptionId, spec, maxPages));
  const matched = counts.reduce((sum, count) => sum + count.matched, 0);
  return { matched, isPartial: counts.some(({ isPartial }) => isPartial) };
}

async function countMatches(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  spec: ReplaySpec,
  maxPages: number,
): Promise<ReplayPreview> {
  const nowMs = deps.now();
  const range = { ...spec, id: newIdAt(nowMs), tenantId: tenant.tenantId, subscriptionId, createdAt: nowMs };
  let cursor = firstCursor(spec);
  let matched = 0;
  const meter = new Meter(COUNTING_STEPS);
  for (let pages = 0; pages < maxPages && matched < MAX_COUNTED && !meter.isSpent; pages += 1) {
    const job = { ...range, cursor };
    const { wanted, next } = await readPage(deps.shards.db(tenant.shard), job, MAX_COUNTED - matched, meter);
    matched += wanted.length;
    if (next === null) return { matched, isPartial: false };
    cursor = next;
  }
  return { matched, isPartial: true };
}

/** Returns one page of a subscription's replays, newest first. Throws NOT_FOUND. */
export async function replaysOf(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  cursor?: string,
): Promise<{ data: Replay[]; nextCursor: string | null }> {
  const [present, ...former] = await inEach(tenant, (place) => listJobs(deps, place, subscriptionId, cursor));
  if (!present) throw notFound("Webhook");
  const pages = [present, ...former.filter((page) => page !== undefined)];
  const lists = pages.map(({ jobs, nextCursor }) => ({ rows: jobs, nextCursor }));
  const { rows, nextCursor } = mergePages(lists, Math.max(1, ...lists.map((page) => page.rows.length)));
  return { data: [...Map.groupBy(rows, ({ id }) => id).values()].map(viewOfParts), nextCursor };
}

/** What has become of the deliveries of a replay so far. */
export async function outcomeOfReplay(deps: Deps, tenant: TenantRef, replay: Replay): Promise<ReplayOutcome> {
  const period = { since: Date.parse(replay.since), until: Date.parse(replay.until) };
  const times = { ...period, startedAt: Date.parse(replay.createdAt) };
  const parts = await inEach(tenant, (place) => readReplayOutcome(deps, place, replay.webhookId, times));
  return {
    delivered: parts.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: parts.reduce((sum, { failed }) => sum + failed, 0),
    isPartial: parts.some(({ isPartial }) => isPartial),
  };
}

/** Returns one replay. Throws NOT_FOUND. */
export async function replayOf(deps: Deps, tenant: TenantRef, subscriptionId: string, id: string): Promise<Replay> {
  const jobs = await inEach(tenant, (place) => findJob(deps, place, subscriptionId, id));
  const parts = jobs.filter((job) => job !== undefined);
  const [job] = parts;
  if (!job) throw notFound("Replay");
  return replayView(wholeOf([job, ...parts.slice(1)]));
}

/** A replay after a move has a part in each database. It runs until all of them have ended. */
function wholeOf(parts: readonly [ReplayJob, ...ReplayJob[]]): ReplayJob {
  const [first] = parts;
  const slowest = parts.find(({ state }) => state === "running") ?? parts.find(({ state }) => state === "stopped");
  const queued = parts.reduce((sum, part) => sum + part.queued, 0);
  return { ...(slowest ?? first), queued };
}

/**
 * Stops a replay and returns it. What it has queued is still sent. A replay that has ended does not change. Throws
 * NOT_FOUND.
 */
export async function stopReplay(deps: Deps, tenant: TenantRef, subscriptionId: string, id: string): Promise<Replay> {
  await inEach(tenant, (place) => stopJob(deps, place, subscriptionId, id, deps.now()));
  return replayOf(deps, tenant, subscriptionId, id);
}

const viewOfParts = ([first, ...others]: ReplayJob[]): Replay => {
  if (!first) throw new Error("no part");
  return replayView(wholeOf([first, ...others]));
};

const replayView = (job: ReplayJob): Replay => ({
  id: job.id,
  webhookId: job.subscriptionId,
  status: job.state,
  which: job.which,
  since: iso(job.since),
  until: iso(job.until),
  ...(job.eventTypes === null ? {} : { eventTypes: job.eventTypes }),
  ...(job.includeBefore ? { includeBefore: true } : {}),
  ratePerMinute: job.ratePerMinute,
  queued: job.queued,
  reached: iso(job.state === "finished" ? job.until : Math.min(Math.max(timeOfCursor(job), job.since), job.until)),
  createdAt: iso(job.createdAt),
  ...(job.endedAt === null ? {} : { endedAt: iso(job.endedAt) }),
});

/** Returns the time of the cursor (Unix ms). The first cursor is only the beginning of an id. */
const timeOfCursor = ({ cursor }: ReplayJob) => timeOfId(cursor);
