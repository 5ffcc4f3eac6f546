/**
 * One Durable Object per shard runs the sweep and the replays. Its alarm is set to the next due delivery, so a crash
 * delays deliveries by seconds, not by a minute.
 */
import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { SweptAt } from "../../webhooks/delivery/overdue";
import { sweepShard } from "../../webhooks/delivery/sweep";
import { MAX_SWEEP_INTERVAL_MS, MIN_SWEEP_INTERVAL_MS } from "../../webhooks/delivery/timing";
import { sweepFanOuts } from "../../webhooks/events/fan-out";
import { sweepLanes } from "../../webhooks/lanes/feed";
import { continueReplays } from "../../webhooks/resend/replays/continue";

const SHARD_KEY = "shard";

export class Sweeper extends DurableObject<Env> {
  /** Kept in memory only. If it is lost, a few deliveries are queued twice. */
  readonly #sweptAt: SweptAt = new Map();

  /** Starts the sweeps of a shard unless they are running. */
  async start(shard: number): Promise<void> {
    await this.ctx.storage.put(SHARD_KEY, shard);
    const alarmMs = await this.ctx.storage.getAlarm();
    if (alarmMs === null || alarmMs < Date.now() - MAX_SWEEP_INTERVAL_MS) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Sweeps, and sets the next alarm even if that fails. */
  override async alarm(): Promise<void> {
    const shard = (await this.ctx.storage.get<number>(SHARD_KEY)) ?? 0;
    const startedMs = Date.now();
    const nextMs = await this.#sweep(shard, startedMs).catch((error: unknown) => {
      log("error", "sweep failed", { shard, ...describeError(error) });
      return null;
    });
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
    const parts = {
      deliveries: () => sweepShard(deps, shard, this.#sweptAt),
      lanes: () => sweepLanes(deps, shard, this.#sweptAt),
      fanOuts: () => sweepFanOuts(deps, shard).then(() => null),
      replays: async () => ((await continueReplays(deps, shard)) ? startedMs : null),
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
    return moments.length === 0 ? null : Math.min(...moments);
  }
}

/**
 * Starts the sweeps of every shard where they are not running. Called every minute. A failure is logged. Never throws.
 */
export async function startSweepers({ shards, sweepers }: Deps): Promise<void> {
  for (const shard of shards.numbers) {
    try {
      await sweepers.get(sweepers.idFromName(String(shard))).start(shard);
    } catch (error) {
      log("error", "sweeper not started", { shard, ...describeError(error) });
    }
  }
}
