/**
 * Each delivery database has two Durable Objects of this class, each with its own alarm. The one named by the number of
 * the database runs the sweep and the replays: its alarm is set to the next due delivery, so a crash delays deliveries
 * by seconds, not by a minute. The one named `upkeep:` and the number runs the jobs of upkeep.ts. One more object,
 * `counts`, adds up what the isolates count.
 */
import { DurableObject } from "cloudflare:workers";
import { type Counts, sumOf } from "./base/counts";
import { createDeps, type Deps } from "./base/deps";
import { describeError, log } from "./base/log/log";
import { HOUR_MS, MINUTE_MS } from "./base/time";
import { readOpenJobs, storeOpenJobs } from "./service/upkeep/open-jobs";
import { begin, budget, type OpenJob, type Period, runJobs } from "./service/upkeep/run-jobs";
import { JOBS } from "./upkeep";
import { sweepLanes } from "./webhooks/delivery/lanes/feed";
import type { SweptAt } from "./webhooks/delivery/overdue";
import { sweepShard } from "./webhooks/delivery/sweep";
import { sweepFanOuts } from "./webhooks/plane/fan-out";
import { MAX_SWEEP_INTERVAL_MS, MIN_SWEEP_INTERVAL_MS } from "./webhooks/plane/timing";
import { type FeedState, publishPlatform } from "./webhooks/platform-events/feed";
import { continueReplays } from "./webhooks/resend/replays/continue";

const SHARD_KEY = "shard";
/** The periods that have begun since the last run of the upkeep. An upkeep object has them from its first call on. */
const BEGUN_KEY = "begun";
/** When they last began. */
const BEGUN_AT_KEY = "begunAt";
/** When somebody first asked for the sweep of an object since it was last started. */
const ASKED_KEY = "asked";
/** What was swept lately: without it, an object that has slept since would queue the same deliveries again. */
const SWEPT_KEY = "swept";
/** A stored value has at most 2 MB. What is left out can be queued twice, and the second message finds nothing. */
const MAX_SWEPT = 20_000;
/** What the isolates have counted so far, in the object `counts`. */
const COUNTS_KEY = "counts";

/** How long a sweep may publish events of the platform, and with how many calls to D1. */
const MAX_FEED_MS = 3_000;
const MAX_FEED_CALLS = 100;

export class Sweeper extends DurableObject<Env> {
  /** What was swept lately; null until it is read. */
  #sweptAt: SweptAt | null = null;
  /** When the sweep that is running began, Unix ms. */
  #sweepingSince: number | null = null;
  /** What the last look at the feed of the platform has found, and when. While it is off, a look a minute is enough. */
  #feed: { state: FeedState; lookedMs: number } = { state: "off", lookedMs: 0 };

  /** Starts the sweeps of a shard unless they are running. */
  async start(shard: number): Promise<void> {
    await this.ctx.storage.put(SHARD_KEY, shard);
    const [alarmMs, nowMs] = [await this.ctx.storage.getAlarm(), Date.now()];
    // One that is further ahead was set while the clock was wrong.
    if (alarmMs !== null && Math.abs(alarmMs - nowMs) <= MAX_SWEEP_INTERVAL_MS) return;
    await this.ctx.storage.setAlarm(nowMs);
    await this.ctx.storage.delete(ASKED_KEY);
  }

  /**
   * How long ago a sweep was due that has not run, or that has not ended, in ms. Without an alarm, counts from the
   * first call since the last start.
   */
  async overdueMs(): Promise<number> {
    if (this.#sweepingSince !== null) return Date.now() - this.#sweepingSince;
    const alarmMs = await this.ctx.storage.getAlarm();
    if (alarmMs !== null) return Math.max(0, Date.now() - alarmMs);
    const askedMs = (await this.ctx.storage.get<number>(ASKED_KEY)) ?? Date.now();
    await this.ctx.storage.put(ASKED_KEY, askedMs);
    return Date.now() - askedMs;
  }

  /** When the cron last began the jobs of a period, Unix ms; null for never. */
  async begunAt(): Promise<number | null> {
    return (await this.ctx.storage.get<number>(BEGUN_AT_KEY)) ?? null;
  }

  /** Adds what an isolate has counted. */
  async addCounts(counts: Counts): Promise<void> {
    await this.ctx.storage.put(COUNTS_KEY, sumOf(await this.counts(), counts));
  }

  /** What all isolates have handed over since the service was first deployed. */
  async counts(): Promise<Counts> {
    return (await this.ctx.storage.get<Counts>(COUNTS_KEY)) ?? {};
  }

  /**
   * Begins the jobs of a period on a shard, as soon as the present run has ended. Continues what an error has stopped.
   */
  async begin(shard: number, period: Period): Promise<void> {
    const begun = (await this.ctx.storage.get<Period[]>(BEGUN_KEY)) ?? [];
    await this.ctx.storage.put({
      [SHARD_KEY]: shard,
      [BEGUN_KEY]: [...new Set([...begun, period])],
      [BEGUN_AT_KEY]: Date.now(),
    });
    await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    const shard = (await this.ctx.storage.get<number>(SHARD_KEY)) ?? 0;
    const begun = await this.ctx.storage.get<Period[]>(BEGUN_KEY);
    if (begun === undefined) await this.#sweepAndContinue(shard);
    else await this.#maintain(shard, begun);
  }

  /** Sweeps, and sets the next alarm even if that fails. */
  async #sweepAndContinue(shard: number): Promise<void> {
    const startedMs = Date.now();
    this.#sweepingSince = startedMs;
    const nextMs = await this.#sweep(shard, startedMs).catch((error: unknown) => {
      log("error", "sweep failed", { shard, ...describeError(error) });
      return null;
    });
    this.#sweepingSince = null;
    const latestMs = startedMs + MAX_SWEEP_INTERVAL_MS;
    await this.ctx.storage.setAlarm(
      Math.max(startedMs + MIN_SWEEP_INTERVAL_MS, Math.min(nextMs ?? latestMs, latestMs)),
    );
  }

  /**
   * Runs all parts of a sweep, also after one that fails. Returns when the next sweep will have something to do (Unix
   * ms); null if no part knows. Throws when the settings are wrong.
   */
  async #sweep(shard: number, startedMs: number): Promise<number | null> {
    const deps = await createDeps(this.env, this.ctx);
    this.#sweptAt ??= new Map(await this.ctx.storage.get<[string, number][]>(SWEPT_KEY));
    const sweptAt = this.#sweptAt;
    const parts = {
      deliveries: () => sweepShard(deps, shard, sweptAt),
      lanes: () => sweepLanes(deps, shard, sweptAt),
      fanOuts: () => sweepFanOuts(deps, shard).then(() => null),
      replays: async () => ((await continueReplays(deps, shard)) ? startedMs : null),
      platformEvents: () => this.#publishPlatform(deps, shard, startedMs),
    };
    const moments: number[] = [];
    for (const [job, run] of Object.entries(parts)) {
      try {
        const moment = await run();
        if (moment !== null) moments.push(moment);
      } catch (error) {
        log("error", "sweep failed", { shard, job, ...describeError(error) });
      }
    }
    const isNew = sweptAt.values().some((atMs) => atMs >= startedMs);
    if (isNew) await this.ctx.storage.put(SWEPT_KEY, [...sweptAt].slice(-MAX_SWEPT));
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /** Publishes the events of the platform, which are in database 0. Returns when there is more to do. */
  async #publishPlatform(deps: Deps, shard: number, startedMs: number): Promise<number | null> {
    if (shard !== 0 || (this.#feed.state === "off" && startedMs < this.#feed.lookedMs + MINUTE_MS)) return null;
    const isOver = budget(deps, MAX_FEED_CALLS, MAX_FEED_MS);
    this.#feed = { state: await publishPlatform(deps, isOver), lookedMs: startedMs };
    return this.#feed.state === "unfinished" ? startedMs : null;
  }

  /** Makes one run of the upkeep. While jobs are left, the next run follows at once. */
  async #maintain(shard: number, begun: readonly Period[]): Promise<void> {
    const { storage } = this.ctx;
    const left = await readOpenJobs(storage);
    const hour = Math.floor(Date.now() / HOUR_MS);
    const open = begun.reduce<OpenJob[]>((jobs, period) => begin(JOBS, jobs, period, shard, hour), left);
    // Before the work: a run that is killed is repeated from here.
    await Promise.all([storeOpenJobs(storage, left, open), storage.put(BEGUN_KEY, [])]);
    try {
      const deps = await createDeps(this.env, this.ctx);
      const run = await runJobs(deps, JOBS, open, shard);
      await storeOpenJobs(storage, open, run.open);
      if (run.mayContinue) await storage.setAlarm(Date.now());
    } catch (error) {
      log("error", "upkeep failed", { shard, ...describeError(error) });
    }
  }
}
